import { CentreBound } from '../bounds/centre-bound.ts';
import { orderBySkill } from '../collections/sort-skills.ts';
import type { DividedGame } from '../model/division.ts';
import type { RoleTable } from '../model/roles.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { SoloExchanges } from '../search/solo-exchanges.ts';
import type { GameRules } from '../types.ts';
import type { Entry } from './entry.ts';

/**
 * The centre bound of a queue's tickets, kept up to date while tickets are removed. Every player of every ticket has its
 * own place. It does not support inserts: the queue then builds a new one.
 */
export class PoolCentre {
  readonly #centre: CentreBound;
  /** The ticket of the player at each place, and the places of each ticket's players. */
  readonly #entries: Entry[];
  readonly #placesOf = new Map<Entry, number[]>();
  /** The game found around this basis; undefined when it is no longer valid. */
  #game: DividedGame | undefined;
  #basis: readonly number[] | undefined;

  /** @param waiting the entries of the queue, at least one */
  constructor(waiting: Iterable<Entry>, roles: RoleTable, rules: GameRules, clock: SearchClock) {
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
      clock,
    );
  }

  remove(entry: Entry): void {
    for (const place of this.#placesOf.get(entry)!) this.#centre.remove(place);
    if (this.#game?.members.includes(entry.pooled)) this.#basis = undefined;
  }

  /** No game has an imbalance below this; not searched beyond `enough`. ∞ when no game can be formed. */
  bound(enough: number): number {
    return this.#centre.prove(enough) ? this.#centre.bound : Number.POSITIVE_INFINITY;
  }

  /**
   * A good game of solo players around the best centre; call `bound` first. Undefined when there are parties around the
   * centre, no game was found, or the time is over.
   */
  game(exchanges: SoloExchanges): DividedGame | undefined {
    const { basis } = this.#centre;
    if (basis.length === 0) return undefined;
    if (basis === this.#basis) return this.#game;
    this.#basis = basis;
    this.#game = undefined;
    const ticketsOf = (places: readonly number[]) => places.map((place) => this.#entries[place].pooled);
    const players = ticketsOf(basis);
    if (players.some(({ size }) => size > 1)) return undefined;
    const others = ticketsOf(this.#centre.others()).filter(({ size }) => size === 1);
    if (!exchanges.search(players, others)) return undefined;
    const { members, division, imbalance } = exchanges;
    this.#game = { members, division, imbalance };
    return this.#game;
  }
}
