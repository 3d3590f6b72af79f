import type { Column } from './cover-program.ts';

/** A cell in which a game may be worth more than it costs. */
export interface Finding {
  /** The best games at the centre of the cell, with what they cost; none when the best has tickets that are not listed. */
  games(): Column[];
  /** The party that is in all games of the cell, if there is one. */
  readonly party?: number;
  /**
   * Calls back with tickets and by how much their prices have to fall. If each ticket of a game falls by the greatest
   * amount of any finding, the prices of the game are at most its cost.
   */
  each(callback: (at: number, fall: number) => void): void;
}
