/** What is known of the best game that each of the players could have had, by their places in order of skill. */
export interface BestGames {
  readonly skills: Float64Array;
  /** No game with the player has less imbalance. */
  readonly least: Float64Array;
  /** Some game with the player has this imbalance; equal to `least` where the game is proved best. */
  readonly found: Float64Array;
}

/**
 * A lower bound on the greatest unhappiness of every partition into games of `size` players that leaves `leftOver` of them
 * out, 1 or above.
 *
 * A player far from all others makes others unhappy: whatever game it plays has a wide range, and the others in it could have
 * had better ones. A game with player i and farthest member at distance d costs at least `perRange`·d and at least the
 * best game of i. Its unhappiest member could have had the least of all their best games, which is at most the
 * (size − 1)-th greatest among the players within d. So no game of i has a lower unhappiness than the least such quotient over
 * all d. As many players as are left over may escape; the next one bounds every partition.
 *
 * Cost: a few steps for most players. For one far from others as many as there are players within its best game's reach.
 */
export function unhappinessBound(best: BestGames, size: number, perRange: number, leftOver: number): number {
  const bounds = Float64Array.from(best.skills, (_, place) => boundOf(place, best, size, perRange));
  return bounds.sort()[bounds.length - 1 - leftOver] ?? 1;
}

/** No game of the player at a place has a lower greatest unhappiness. */
function boundOf(place: number, { skills, least, found }: BestGames, size: number, perRange: number): number {
  // The greatest `found` of the others so far, ascending.
  const others: number[] = [];
  let below = place - 1;
  let above = place + 1;
  let bound = Number.POSITIVE_INFINITY;
  while (below >= 0 || above < skills.length) {
    const down = below >= 0 ? skills[place] - skills[below] : Number.POSITIVE_INFINITY;
    const up = above < skills.length ? skills[above] - skills[place] : Number.POSITIVE_INFINITY;
    const cost = perRange * Math.min(down, up) * rounded;
    // Farther players make the imbalance greater, and the best game of this one limits what they could have had.
    if (cost >= bound * found[place]) break;
    insert(others, found[down <= up ? below-- : above++], size - 1);
    if (others.length < size - 1) continue;
    bound = Math.min(bound, quotient(Math.max(cost, least[place]), Math.min(others[0], found[place])));
    if (bound <= 1) return 1;
  }
  return bound;
}

/** Keeps the greatest `max` values in ascending order. */
function insert(values: number[], value: number, max: number): void {
  if (values.length === max) {
    if (value <= values[0]) return;
    values.shift();
  }
  let at = values.length;
  while (at > 0 && values[at - 1] > value) at--;
  values.splice(at, 0, value);
}

/** As unhappiness: 1 when both are 0. */
function quotient(imbalance: number, best: number): number {
  return imbalance === 0 ? 1 : imbalance / best;
}

/** The differences of skills are rounded. */
const rounded = 1 - 1e-9;
