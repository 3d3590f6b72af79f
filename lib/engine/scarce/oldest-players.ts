/**
 * Players in order of skill with what their waits add to the cost of a game: the longer the wait, the less. It finds those whose
 * wait is worth their distance from a skill, by the least wait of each part of a binary tree.
 */
export class OldestPlayers {
  readonly #n: number;
  readonly #skills: Float64Array;
  /** The least wait of each node. The root is 1, the children of i are 2i and 2i + 1, the player at a place is `leaves` + place. */
  readonly #least: Float64Array;
  readonly #leaves: number;

  /**
   * @param n the players of a game
   * @param skills in ascending order
   * @param waits what each player's wait adds to the cost
   */
  constructor(n: number, skills: Float64Array, waits: Float64Array) {
    this.#n = n;
    this.#skills = skills;
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(2, skills.length)));
    this.#least = new Float64Array(2 * this.#leaves).fill(Number.POSITIVE_INFINITY);
    this.#least.set(waits, this.#leaves);
    for (let node = this.#leaves - 1; node > 0; node--) this.#update(node);
  }

  /** The least wait of all. */
  get least(): number {
    return this.#least[1];
  }

  remove(place: number): void {
    let node = this.#leaves + place;
    this.#least[node] = Number.POSITIVE_INFINITY;
    for (node >>= 1; node > 0; node >>= 1) this.#update(node);
  }

  /** The least √((base + pull·(skill − at)²)/n) + wait over all players, if it is below the limit; otherwise the limit. */
  nearest(base: number, pull: number, at: number, limit: number): number {
    return this.#nearest(1, 0, this.#leaves, base, pull, at, limit);
  }

  /** The least wait of those whose √(pull·(skill − at)²/n) + wait is below the limit; ∞ if there are none. */
  leastWithin(pull: number, at: number, limit: number): number {
    return this.#leastWithin(1, 0, this.#leaves, pull, at, limit, Number.POSITIVE_INFINITY);
  }

  /** Calls `found` for the players whose √((base + pull·(skill − at)²)/n) + wait is below the limit, and their wait below `before`. */
  within(
    base: number,
    pull: number,
    at: number,
    limit: number,
    before: number,
    found: (place: number, cost: number) => void,
  ): void {
    this.#within(1, 0, this.#leaves, base, pull, at, limit, before, found);
  }

  #update(node: number): void {
    this.#least[node] = Math.min(this.#least[2 * node], this.#least[2 * node + 1]);
  }

  #nearest(
    node: number,
    from: number,
    end: number,
    base: number,
    pull: number,
    at: number,
    limit: number,
  ): number {
    const cost = this.#costOf(node, from, end, base, pull, at);
    if (cost >= limit) return limit;
    if (end - from === 1) return cost;
    const middle = (from + end) >> 1;
    const isBelow = middle >= this.#skills.length || at < this.#skills[middle];
    const first = isBelow ? 2 * node : 2 * node + 1;
    const least = isBelow
      ? this.#nearest(first, from, middle, base, pull, at, limit)
      : this.#nearest(first, middle, end, base, pull, at, limit);
    return isBelow
      ? this.#nearest(first + 1, middle, end, base, pull, at, least)
      : this.#nearest(first - 1, from, middle, base, pull, at, least);
  }

  #leastWithin(
    node: number,
    from: number,
    end: number,
    pull: number,
    at: number,
    limit: number,
    least: number,
  ): number {
    if (this.#least[node] >= least || this.#costOf(node, from, end, 0, pull, at) >= limit) return least;
    if (end - from === 1) return this.#least[node];
    const middle = (from + end) >> 1;
    const first = this.#leastWithin(2 * node, from, middle, pull, at, limit, least);
    return this.#leastWithin(2 * node + 1, middle, end, pull, at, limit, first);
  }

  #within(
    node: number,
    from: number,
    end: number,
    base: number,
    pull: number,
    at: number,
    limit: number,
    before: number,
    found: (place: number, cost: number) => void,
  ): void {
    if (this.#least[node] >= before) return;
    const cost = this.#costOf(node, from, end, base, pull, at);
    if (cost >= limit) return;
    if (end - from === 1) {
      found(from, cost);
      return;
    }
    const middle = (from + end) >> 1;
    this.#within(2 * node, from, middle, base, pull, at, limit, before, found);
    this.#within(2 * node + 1, middle, end, base, pull, at, limit, before, found);
  }

  /** The least cost of any player of a node. */
  #costOf(node: number, from: number, end: number, base: number, pull: number, at: number): number {
    const wait = this.#least[node];
    if (wait === Number.POSITIVE_INFINITY) return wait;
    const skills = this.#skills;
    const away = Math.max(0, skills[from] - at, at - skills[Math.min(end, skills.length) - 1]);
    return Math.sqrt((base + pull * away * away) / this.#n) + wait;
  }
}
