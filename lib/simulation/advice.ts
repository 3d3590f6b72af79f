import type { Ticket } from '../engine/types.ts';

/** A set of roles whose players come faster than games can seat them. */
export interface RoleOverload {
  /** The roles, ascending. */
  readonly roles: readonly string[];
  /** The share of players who accept nothing else. */
  readonly share: number;
  /** The share of seats these roles have. */
  readonly seats: number;
  /** Players who accept every role that would have to come for each 100 players, to mend it. */
  readonly flexiblePer100: number;
}

/**
 * Counts which roles players accept and finds what no matchmaker can mend: when more players accept only the
 * roles of a set than the set has seats, those players pile up without bound, whatever the policy.
 *
 * The condition is Hall's, per player who comes. With two roles it is the one of Xu, Yu & Wu for choosing sides: the
 * queue is stable exactly when choice-free players outnumber the difference of the sides (λC > |λA − λB|).
 */
export class RoleAdviser {
  readonly #names: readonly string[];
  readonly #places: readonly number[];
  /** Players by the set of roles they accept, as bits. */
  readonly #accepting: number[];
  #players = 0;

  constructor(roles: Readonly<Record<string, number>>) {
    this.#names = Object.keys(roles).sort();
    this.#places = this.#names.map((name) => roles[name]);
    this.#accepting = new Array<number>(2 ** this.#names.length).fill(0);
  }

  count({ players }: Ticket): void {
    for (const { roles } of players) {
      let set = 0;
      for (let at = 0; at < this.#names.length; at++) {
        if (roles === undefined || roles.includes(this.#names[at])) set |= 1 << at;
      }
      this.#accepting[set]++;
      this.#players++;
    }
  }

  /** The overloaded set that needs the most flexible players; undefined when all is well. */
  worst(): RoleOverload | undefined {
    const teamSize = this.#places.reduce((sum, places) => sum + places, 0);
    let worst: RoleOverload | undefined;
    for (let set = 1; set < this.#accepting.length - 1; set++) {
      const inSet = (at: number) => (set & (1 << at)) !== 0;
      let confined = 0;
      for (let accepted = 1; accepted <= set; accepted++) {
        if ((accepted & ~set) === 0) confined += this.#accepting[accepted];
      }
      const places = this.#places.reduce((sum, count, at) => sum + (inSet(at) ? count : 0), 0);
      const missing = (confined * teamSize) / places - this.#players;
      const flexiblePer100 = (100 * missing) / Math.max(1, this.#players);
      if (flexiblePer100 <= (worst?.flexiblePer100 ?? NOISE_PER_100)) continue;
      worst = {
        roles: this.#names.filter((_, at) => inSet(at)),
        share: confined / this.#players,
        seats: places / teamSize,
        flexiblePer100,
      };
    }
    return worst;
  }
}

/** Less than this is within the noise of a few thousand players. */
const NOISE_PER_100 = 1;

export function overloadWarning({ roles, share, seats, flexiblePer100 }: RoleOverload): string {
  const names = roles.join(' or ');
  return (
    `The wait has no bound: ${(100 * share).toFixed(1)} % of the players accept only ${names}, which ` +
    `${roles.length === 1 ? 'has' : 'have'} ${(100 * seats).toFixed(1)} % of the seats. ` +
    `${flexiblePer100.toFixed(0)} more players who accept every role, for each 100 who come, would mend it.`
  );
}
