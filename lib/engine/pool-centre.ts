import { CentreBound } from './centre-bound.ts';
import type { Entry } from './entry.ts';
import type { RoleTable } from './roles.ts';
import { orderBySkill } from './sort-skills.ts';
import type { GameRules } from './types.ts';

/**
 * The centre bound of a queue's tickets, kept while tickets leave: every player of every ticket has a place of its own.
 * What comes in is not taken in; then a new one is due.
 */
export class PoolCentre {
  readonly #centre: CentreBound;
  /** By place the ticket of the player, and by ticket its players' places. */
  readonly #entries: Entry[];
  readonly #placesOf = new Map<Entry, number[]>();

  /** @param waiting the entries of the queue, at least one */
  constructor(waiting: Iterable<Entry>, roles: RoleTable, rules: GameRules) {
    const skills: number[] = [];
    const masks: number[] = [];
    const entries: Entry[] = [];
    for (const entry of waiting) {
      skills.push(...entry.pooled.skills);
      masks.push(...entry.pooled.masks);
      for (let i = 0; i < entry.pooled.size; i++) entries.push(entry);
    }
    const order = orderBySkill(Float64Array.from(skills));
    this.#entries = Array.from(order, (player) => entries[player]);
    this.#entries.forEach((entry, place) => {
      const places = this.#placesOf.get(entry);
      if (places) places.push(place);
      else this.#placesOf.set(entry, [place]);
    });
    this.#centre = new CentreBound(
      Float64Array.from(order, (player) => skills[player]),
      Uint8Array.from(order, (player) => masks[player]),
      roles,
      rules,
    );
  }

  remove(entry: Entry): void {
    for (const place of this.#placesOf.get(entry)!) this.#centre.remove(place);
  }

  /** No game has an imbalance below this; not looked for beyond `enough`. ∞ when no game can be formed. */
  bound(enough: number): number {
    return this.#centre.prove(enough) ? this.#centre.bound : Number.POSITIVE_INFINITY;
  }

  /**
   * Where to look for a game after `bound`: solo players who can be seated together around the best centre, and those who may
   * take their places. Undefined when a party is among the former.
   */
  start(): { basis: Entry[]; others: Entry[] } | undefined {
    const basis = this.#centre.basis.map((place) => this.#entries[place]);
    if (basis.some(({ pooled }) => pooled.size > 1)) return undefined;
    const others = new Set(this.#centre.near(reachOfPolish).map((place) => this.#entries[place]));
    for (const entry of basis) others.delete(entry);
    return { basis, others: [...others] };
  }
}

/** How many players of the same roles to each side of the basis' players may take their place. */
const reachOfPolish = 12;
