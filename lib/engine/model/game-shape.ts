import type { GameRules } from '../types.ts';

/**
 * The number and sizes of a game's teams. Only this file derives them from the rules. Code that needs the seats of a game
 * or a team calls `shapeOf`.
 */
export interface GameShape {
  /** The seats of each team, in the order of the rules. */
  readonly teamSizes: readonly number[];
  /** N, the seats of a game: the sum of `teamSizes`. */
  readonly seats: number;
  /** The fewest players of a game; less than `seats` where teams may start short. */
  readonly seatsMin: number;
}

/** The rules that decide about the shape. */
export type ShapeRules = Pick<GameRules, 'teamSize' | 'teams' | 'short'>;

/** The shape of games with these rules. Returns the same object for the same number of equal teams. */
export function shapeOf({ teamSize, teams, short }: ShapeRules): GameShape {
  if (teams === undefined || teams === 2) {
    built[teamSize] ??= equalTeams(2, teamSize);
    return built[teamSize];
  }
  if (typeof teams === 'number') return equalTeams(teams, teamSize);
  const each = teams.flatMap((kind) => Array.from({ length: kind.count ?? 1 }, () => kind));
  const sizes = each.map(({ size }) => size);
  const least = each.map(({ size, minSize = size }) => (short === undefined ? size : minSize));
  return { teamSizes: sizes, seats: sumOf(sizes), seatsMin: sumOf(least) };
}

const built: GameShape[] = [];

/**
 * Whether games have two equal teams of at most 8 players and no party may be split: the paper's games. They have the
 * fastest search. Every other shape is searched by `shapes`.
 */
export function isPaperShape({ teamSize, teams }: ShapeRules): boolean {
  return (teams === undefined || teams === 2) && teamSize <= 8;
}

/** Whether all teams have one player and no offset: teamGap is then the range of skills. */
export function isFreeForAll({ teamSize, teams }: ShapeRules): boolean {
  if (!Array.isArray(teams)) return teamSize === 1;
  return teams.every(({ size, offset = 0 }) => size === 1 && offset === 0);
}

function equalTeams(count: number, size: number): GameShape {
  const seats = count * size;
  return { teamSizes: new Array<number>(count).fill(size), seats, seatsMin: seats };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
