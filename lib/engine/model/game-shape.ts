import type { GameRules } from '../types.ts';

/**
 * The number and sizes of a game's teams. Only this file derives them from the rules, as two teams of `teamSize`. Code
 * that needs the seats of a game or a team calls `shapeOf`.
 */
export interface GameShape {
  /** The seats of each team. */
  readonly teamSizes: readonly number[];
  /** N, the seats of a game: the sum of `teamSizes`. */
  readonly seats: number;
}

/** The shape of games with these rules. Returns the same object for the same team size. */
export function shapeOf({ teamSize }: Pick<GameRules, 'teamSize'>): GameShape {
  built[teamSize] ??= { teamSizes: [teamSize, teamSize], seats: 2 * teamSize };
  return built[teamSize];
}

const built: GameShape[] = [];
