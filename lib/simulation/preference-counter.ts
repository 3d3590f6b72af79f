import type { Player, Ticket } from '../engine/types.ts';
import type { PreferenceRate } from './stability.ts';

/** Counts the roles or the sides that arriving players accept. */
export class PreferenceCounter {
  readonly #acceptedBy: (player: Player) => readonly string[] | undefined;
  readonly #players = new Map<string, { accepts: readonly string[]; count: number }>();
  #counted = 0;

  /** @param acceptedBy the values that a player accepts; undefined for all */
  constructor(acceptedBy: (player: Player) => readonly string[] | undefined) {
    this.#acceptedBy = acceptedBy;
  }

  count({ players }: Ticket): void {
    this.#counted += players.length;
    for (const player of players) {
      const accepts = this.#acceptedBy(player) ?? [];
      const key = accepts.toSorted().join(' ');
      const entry = this.#players.get(key);
      if (entry === undefined) this.#players.set(key, { accepts, count: 1 });
      else entry.count++;
    }
  }

  /** How many players have been counted. */
  get counted(): number {
    return this.#counted;
  }

  /** @param seconds the time in which the counted players arrived, > 0 */
  rates(seconds: number): PreferenceRate[] {
    return Array.from(this.#players.values(), ({ accepts, count }) => ({ accepts, rate: count / seconds }));
  }
}
