/** The party mixes of one team, those with the largest parties first: 7 for teams of five, 22 for teams of eight. */
export function teamMixes(teamSize: number): readonly Uint8Array[] {
  mixesOfTeams[teamSize] ??= buildTeamMixes(teamSize);
  return mixesOfTeams[teamSize];
}

const mixesOfTeams: (readonly Uint8Array[])[] = [];

function buildTeamMixes(teamSize: number): readonly Uint8Array[] {
  const teams: Uint8Array[] = [];
  const team = new Uint8Array(teamSize + 1);
  const fill = (free: number, largest: number): void => {
    if (free === 0) teams.push(team.slice());
    for (let size = Math.min(free, largest); size >= 1; size--) {
      team[size]++;
      fill(free - size, size);
      team[size]--;
    }
  };
  fill(teamSize, teamSize);
  return teams;
}
