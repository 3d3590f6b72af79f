import type { Facet } from '../types.ts';
import type { RuledPool } from './ruled-pool.ts';

/** The tickets of one facet in order of skill, linked, so that tickets that leave the pool cost a search nothing. */
export class FacetList {
  /** Undefined when the list holds the whole pool. */
  readonly facet: Facet | undefined;
  /** By position: the ticket's place in the pool, ascending; its mean skill; its number in the constraints. */
  readonly places: Int32Array;
  readonly means: Float64Array;
  readonly numbers: Int32Array;
  /** By position: the next position whose ticket is in the pool, the length of the list if there is none. */
  readonly next: Int32Array;
  readonly #previous: Int32Array;
  readonly #alive: Uint8Array;

  constructor(pool: RuledPool, places: Int32Array, facet: Facet | undefined) {
    this.facet = facet;
    this.places = places;
    const count = places.length;
    this.means = new Float64Array(count);
    this.numbers = new Int32Array(count);
    this.next = new Int32Array(count);
    this.#previous = new Int32Array(count);
    for (let at = 0; at < count; at++) {
      this.means[at] = pool.means[places[at]];
      this.numbers[at] = pool.numbers[places[at]];
      this.next[at] = at + 1;
      this.#previous[at] = at - 1;
    }
    this.#alive = pool.alive;
  }

  /** Unlinks the ticket at a position, which has left the pool. */
  remove(position: number): void {
    const next = this.next[position];
    const previous = this.#previous[position];
    if (previous >= 0) this.next[previous] = next;
    if (next < this.places.length) this.#previous[next] = previous;
  }

  /** The first position whose ticket has at least this mean skill and is in the pool. */
  from(mean: number): number {
    let low = 0;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.means[middle] < mean) low = middle + 1;
      else high = middle;
    }
    while (low < this.places.length && this.#alive[this.places[low]] === 0) low = this.next[low];
    return low;
  }
}

/**
 * The lists of the facets in which a game may be found, or one of the whole pool.
 * @param seatsMin no game has fewer players. Facets of fewer are left out
 */
export function facetLists(
  pool: RuledPool,
  facets: readonly Facet[] | undefined,
  seatsMin: number,
): FacetList[] {
  const { numbers, sizes } = pool;
  if (!facets) return [new FacetList(pool, Int32Array.from(numbers.keys()), undefined)];
  const placeOf = new Int32Array(numbers.reduce((most, number) => Math.max(most, number), -1) + 1);
  numbers.forEach((number, place) => {
    placeOf[number] = place;
  });
  const isLargeEnough = ({ tickets }: Facet) => {
    let players = 0;
    for (let i = 0; i < tickets.length && players < seatsMin; i++) players += sizes[placeOf[tickets[i]]];
    return players >= seatsMin;
  };
  return facets.filter(isLargeEnough).map((facet) => {
    const places = Int32Array.from(facet.tickets, (number) => placeOf[number]).sort();
    return new FacetList(pool, places, facet);
  });
}
