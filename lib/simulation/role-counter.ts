import type { Ticket } from '../engine/types.ts';
import type { PreferenceRate } from './stability.ts';

/** Counts which roles arriving players accept. */
export class RoleCounter {
  readonly #players = new Map<string, { accepts: readonly string[]; count: number }>();
  #counted = 0;

  count({ players }: Ticket): void {
    this.#counted += players.length;
    for (const { roles = [] } of players) {
      const key = roles.toSorted().join(' ');
      const entry = this.#players.get(key);
      if (entry === undefined) this.#players.set(key, { accepts: roles, count: 1 });
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
