import type { Facet } from '../types.ts';
import type { RuledPool } from './ruled-pool.ts';

/** The tickets of one facet in order of skill. Tickets that have left the pool are skipped. */
export class FacetList {
  /** Undefined when the list holds the whole pool. */
  readonly facet: Facet | undefined;
  /** Places in the pool, ascending. */
  readonly places: Int32Array;
  readonly #alive: Uint8Array;
  /** Shortcuts over tickets that have left: where to continue after each position. */
  readonly #next: Int32Array;

  constructor(pool: RuledPool, places: Int32Array, facet: Facet | undefined) {
    this.facet = facet;
    this.places = places;
    this.#alive = pool.alive;
    this.#next = Int32Array.from({ length: places.length }, (_, at) => at + 1);
  }

  /** The first position from `from` on whose ticket is in the pool; the length of the list if there is none. */
  at(from: number): number {
    const { places } = this;
    const next = this.#next;
    let to = from;
    while (to < places.length && this.#alive[places[to]] === 0) to = next[to];
    for (let at = from; at < to; ) {
      const step = next[at];
      next[at] = to;
      at = step;
    }
    return to;
  }

  /** The first position whose ticket has at least this mean skill. */
  from(mean: number, means: Float64Array): number {
    let low = 0;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (means[this.places[middle]] < mean) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The lists of all facets, or one of the whole pool. */
export function facetLists(pool: RuledPool, facets: readonly Facet[] | undefined): FacetList[] {
  const { numbers } = pool;
  if (!facets) return [new FacetList(pool, Int32Array.from(numbers.keys()), undefined)];
  const placeOf = new Map(Array.from(numbers, (number, place) => [number, place]));
  return facets.map((facet) => {
    const places = Int32Array.from(facet.tickets, (number) => placeOf.get(number)!).sort();
    return new FacetList(pool, places, facet);
  });
}
