/**
 * The shapes of a game: how many parties of each size make two teams of exactly k, `shape[s]` of size s. Each once.
 * 26 of them for teams of five, 214 at most for teams of eight. Built once per k.
 */
export function gameMixes(teamSize: number): readonly Uint8Array[] {
  shapes[teamSize] ??= buildShapes(teamSize);
  return shapes[teamSize];
}

const shapes: (readonly Uint8Array[])[] = [];

function buildShapes(teamSize: number): readonly Uint8Array[] {
  const teams = teamMixes(teamSize);
  const games = new Map<string, Uint8Array>();
  for (const x of teams) {
    for (const y of teams) {
      const game = x.map((count, size) => count + y[size]);
      games.set(game.join(), game);
    }
  }
  return [...games.values()];
}

/** The shapes of one team of exactly k, those with the largest parties first: 7 for teams of five, 22 for teams of eight. */
export function teamMixes(teamSize: number): readonly Uint8Array[] {
  shapesOfTeams[teamSize] ??= buildTeamShapes(teamSize);
  return shapesOfTeams[teamSize];
}

const shapesOfTeams: (readonly Uint8Array[])[] = [];

function buildTeamShapes(teamSize: number): readonly Uint8Array[] {
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

/** Whether the counts fit into one of the shapes. */
export function fitsMix(counts: ArrayLike<number>, shapesLeft: readonly Uint8Array[]): boolean {
  for (const shape of shapesLeft) {
    let size = shape.length - 1;
    while (size > 0 && counts[size] <= shape[size]) size--;
    if (size === 0) return true;
  }
  return false;
}

/** The shapes that can be made of parties of which `available[s]` have s players, with one of size `anchor` in it. */
export function mixesOf(available: ArrayLike<number>, anchor: number, teamSize: number): Uint8Array[] {
  return gameMixes(teamSize).filter(
    (shape) => shape[anchor] > 0 && shape.every((count, size) => size === 0 || count <= available[size]),
  );
}
