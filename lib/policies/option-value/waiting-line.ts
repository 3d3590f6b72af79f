/** Which neighbours a game for a ticket is searched among: those of its kind (party or solo), or all. */
export type Neighbours = 'of its kind' | 'all';
/** Two parties that are one player short of a team each need one solo. */
export const PLACES_BESIDE_PARTIES = 2;
/** Removals that `isUnchanged` checks at most. */
const CHECKED_MAX = 200;

/** Tickets in the order of skill, as a linked list from which they can be removed. A ticket is known by its place. */
export class WaitingLine {
  readonly #skills: Float64Array;
  readonly #sizes: Uint8Array;
  /** By place: the next places in the list on both sides; −1 and the number of tickets at the ends. */
  readonly #below: Int32Array;
  readonly #above: Int32Array;
  readonly #isRemoved: Uint8Array;
  /** The places in the order of their removal. */
  readonly #removed: number[] = [];

  /**
   * @param skills ascending
   * @param sizes players of each ticket
   */
  constructor(skills: Float64Array, sizes: Uint8Array) {
    this.#skills = skills;
    this.#sizes = sizes;
    this.#below = new Int32Array(skills.length);
    this.#above = new Int32Array(skills.length);
    for (let at = 0; at < skills.length; at++) {
      this.#below[at] = at - 1;
      this.#above[at] = at + 1;
    }
    this.#isRemoved = new Uint8Array(skills.length);
  }

  has(at: number): boolean {
    return this.#isRemoved[at] === 0;
  }

  /** How many have been removed. */
  get removals(): number {
    return this.#removed.length;
  }

  /**
   * Whether none of these places has been removed after the first `removals` of the list. False too when many others have:
   * finding out would take as long as what it saves.
   */
  isUnchanged(low: number, high: number, removals: number): boolean {
    const removed = this.#removed;
    if (removed.length - removals > CHECKED_MAX) return false;
    for (let i = removals; i < removed.length; i++) if (removed[i] >= low && removed[i] <= high) return false;
    return true;
  }

  remove(at: number): void {
    this.#isRemoved[at] = 1;
    this.#removed.push(at);
    const below = this.#below[at];
    const above = this.#above[at];
    if (below >= 0) this.#above[below] = above;
    if (above < this.#below.length) this.#below[above] = below;
  }

  /** The places of all tickets in the list, ascending. */
  places(): number[] {
    const places: number[] = [];
    for (let at = 0; at < this.#isRemoved.length; at++) if (this.has(at)) places.push(at);
    return places;
  }

  /**
   * The places of a ticket and of those nearest to it, ascending.
   *
   * @param enough ends when the tickets have this many players
   * @param isLeftOut leaves out some tickets
   */
  nearest(
    middle: number,
    neighbours: Neighbours,
    enough: number,
    isLeftOut: (at: number) => boolean,
  ): { readonly places: number[]; readonly middle: number; readonly players: number } {
    const skills = this.#skills;
    const sizes = this.#sizes;
    const count = skills.length;
    const isParty = sizes[middle] > 1;
    const places: number[] = [];
    const aboves: number[] = [];
    let players = sizes[middle];
    let placesLeft = neighbours === 'all' ? Number.POSITIVE_INFINITY : isParty ? PLACES_BESIDE_PARTIES : 0;
    let low = this.#below[middle];
    let high = this.#above[middle];
    while (players < enough && (low >= 0 || high < count)) {
      const toLow = low < 0 ? Number.POSITIVE_INFINITY : skills[middle] - skills[low];
      const toHigh = high === count ? Number.POSITIVE_INFINITY : skills[high] - skills[middle];
      const isLow = toLow <= toHigh;
      const next = isLow ? low : high;
      if (isLow) low = this.#below[low];
      else high = this.#above[high];
      if (isLeftOut(next)) continue;
      if (sizes[next] > 1 !== isParty && placesLeft-- <= 0) continue;
      (isLow ? places : aboves).push(next);
      players += sizes[next];
    }
    places.reverse();
    const at = places.length;
    places.push(middle);
    for (let i = 0; i < aboves.length; i++) places.push(aboves[i]);
    return { places, middle: at, players };
  }
}
