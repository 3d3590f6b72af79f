import type { GameShape } from './game-shape.ts';

/**
 * The party mixes of a game, each once: `mix[s]` parties of size s fill its teams. There are 25 for two teams of five and
 * 167 for two teams of eight. Built once per shape.
 */
export function gameMixes(shape: GameShape): readonly Uint8Array[] {
  let games = mixesOfGames.get(shape);
  if (!games) {
    games = buildGameMixes(shape);
    mixesOfGames.set(shape, games);
  }
  return games;
}

const mixesOfGames = new WeakMap<GameShape, readonly Uint8Array[]>();

function buildGameMixes({ teamSizes }: GameShape): readonly Uint8Array[] {
  let games: readonly Uint8Array[] = [new Uint8Array(Math.max(...teamSizes) + 1)];
  for (const teamSize of teamSizes) {
    const more = new Map<string, Uint8Array>();
    for (const game of games) {
      for (const team of teamMixes(teamSize)) {
        const mix = game.map((count, size) => count + (team[size] ?? 0));
        more.set(mix.join(), mix);
      }
    }
    games = [...more.values()];
  }
  return games;
}

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

/** Whether the counts fit into one of the mixes. */
export function fitsMix(counts: ArrayLike<number>, mixes: readonly Uint8Array[]): boolean {
  for (const mix of mixes) {
    let size = mix.length - 1;
    while (size > 0 && counts[size] <= mix[size]) size--;
    if (size === 0) return true;
  }
  return false;
}

/** The mixes that can be formed when `available[s]` parties have s players and one party of size `anchor` is included. */
export function mixesOf(available: ArrayLike<number>, anchor: number, shape: GameShape): Uint8Array[] {
  const possible: Uint8Array[] = [];
  for (const mix of gameMixes(shape)) {
    let size = mix[anchor] > 0 ? mix.length - 1 : -1;
    while (size > 0 && mix[size] <= available[size]) size--;
    if (size === 0) possible.push(mix);
  }
  return possible;
}
