import { bestRoleGameOf, type Parameters, type RolePlayer } from './brute-force.ts';

/**
 * Theorem 3 as printed, for a pool at rest: the candidates of the shortest interval with distinct
 * representatives out of 2k lists l_1, l'_1, …, l_k, l'_k (two for each role). For every order of the lists
 * and every player q_1 of the first, q_2 is the next player in the second list, and so on; of those who end
 * at the same q_2k only the last counts. The best game of any candidate is at most ρ times the optimum.
 *
 * @returns the imbalance of that game, or ∞ when no candidate exists
 */
export function approximateRoleGame(pool: readonly RolePlayer[], parameters: Parameters): number {
  const sorted = [...pool].sort((a, b) => a.skill - b.skill);
  const lists = Array.from({ length: 2 * parameters.k }, (_, list) => Math.floor(list / 2));
  let best = Number.POSITIVE_INFINITY;
  for (const order of distinctOrders(lists)) {
    const byLast = new Map<number, RolePlayer[]>();
    for (let first = 0; first < sorted.length; first++) {
      const places = follow(sorted, order, first);
      if (places !== undefined)
        byLast.set(
          places.at(-1)!,
          places.map((place) => sorted[place]),
        );
    }
    for (const members of byLast.values()) best = Math.min(best, bestRoleGameOf(members, parameters));
  }
  return best;
}

/** The least q_2 < q_3 < … after q_1, each in its list; undefined when a list runs out. */
function follow(
  sorted: readonly RolePlayer[],
  order: readonly number[],
  first: number,
): number[] | undefined {
  const places: number[] = [];
  let from = first;
  for (const role of order) {
    const accepts = (place: number) => (sorted[place].roles >> role) & 1;
    if (places.length === 0 && !accepts(first)) return undefined;
    while (from < sorted.length && !accepts(from)) from++;
    if (from === sorted.length) return undefined;
    places.push(from++);
  }
  return places;
}

/** Every order of the lists; orders that differ only in the two lists of one role are the same. */
function* distinctOrders(lists: readonly number[]): Generator<number[]> {
  if (lists.length === 0) {
    yield [];
    return;
  }
  for (const first of new Set(lists)) {
    const rest = [...lists];
    rest.splice(rest.indexOf(first), 1);
    for (const order of distinctOrders(rest)) yield [first, ...order];
  }
}
