import type { GameRules } from '../types.ts';

/**
 * How many teams a game has, and how large they are. This file alone derives it from the rules: today two teams of
 * `teamSize`. Code that needs the seats of a game or a team asks for the shape.
 */
export interface GameShape {
  /** The seats of each team. */
  readonly teamSizes: readonly number[];
  /** N, the seats of a game: the sum of `teamSizes`. */
  readonly seats: number;
}

/** The shape of the games of these rules. The same object for the same team size. */
export function shapeOf({ teamSize }: Pick<GameRules, 'teamSize'>): GameShape {
  built[teamSize] ??= { teamSizes: [teamSize, teamSize], seats: 2 * teamSize };
  return built[teamSize];
}

const built: GameShape[] = [];
