import { imbalancePerRange, lemma1 } from '../bounds/range-bounds.ts';
import { KeyHeap } from '../collections/key-heap.ts';
import type { Division } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { SearchClock } from '../model/search-clock.ts';
import type { GameRules } from '../types.ts';
import { SoloSearch } from './solo-search.ts';

/** A game of a queue, by the ids of its players. */
export interface SoloGame {
  readonly players: Int32Array;
  readonly division: Division;
  readonly imbalance: number;
  /** No game in the queue at that moment has less imbalance; equal to `imbalance` when the game is proved best. */
  readonly lowerBound: number;
}

/**
 * The game queue of Theorem 1 (Alman & McKay) for players who are all known at the start and only leave: exact best games of
 * players given as numbers, without roles and parties.
 *
 * As in the paper, a game is filed under its first player in order of skill. A removal can only remove games, so the bound in
 * an entry's key stays valid without an update. A key is at first c times the range of the player and the next 2k − 1 (Lemma 6), and later the value
 * that a search proved: the exact imbalance of the entry's best game, or a bound below which there is none.
 * `best` examines only the entry of least key. If its best game is known and all its players are still waiting, it is
 * a best game of the queue. Otherwise the entry is searched up to a limit slightly above its key.
 */
export class SoloQueue {
  readonly #n: number;
  readonly #alpha: number;
  readonly #perRange: number;
  readonly #nodeBudget: number;
  readonly #clock: SearchClock;
  readonly #search: SoloSearch;

  /** By id: the skill (negated for p = ∞), and the neighbours in this order, −1 at the ends. */
  readonly #value: Float64Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  /** By id: whether the player waits, the key of its entry (∞ once it has left) and, if known, the best game. */
  readonly #isHere: Uint8Array;
  readonly #key: Float64Array;
  readonly #games: (SoloGame | undefined)[];
  #size: number;

  /** The entries with keys up to `#horizon`; the others are added when the heap is empty. */
  readonly #heap = new KeyHeap();
  #horizon = 0;
  /** The last result of `best`, until one of its players leaves. */
  #last: SoloGame | undefined;
  #lastBest = 0;

  /** The candidates of the search. */
  #candidates = new Int32Array(64);
  /** The first of the last `#narrowest` players. */
  #narrowestFrom = 0;

  /**
   * @param skills ascending; player i gets id i
   * @param options `nodeBudget`: the nodes one query may visit, 10 to 50 million of them a second. @default 1,000,000, a
   * bound against the worst case alone: searches are short
   */
  constructor(
    rules: GameRules,
    skills: Float64Array,
    options: { nodeBudget?: number | undefined; clock?: SearchClock } = {},
  ) {
    const count = skills.length;
    const n = shapeOf(rules).seats;
    this.#n = n;
    this.#alpha = rules.alpha;
    this.#perRange = imbalancePerRange(rules);
    this.#nodeBudget = options.nodeBudget ?? 1_000_000;
    this.#clock = options.clock ?? new SearchClock();
    this.#search = new SoloSearch(rules, this.#clock);
    this.#size = count;
    this.#value = new Float64Array(count);
    this.#next = new Int32Array(count).fill(-1);
    this.#previous = new Int32Array(count).fill(-1);
    this.#isHere = new Uint8Array(count).fill(1);
    this.#key = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    this.#games = new Array<undefined>(count).fill(undefined);
    const isNegated = rules.p === Number.POSITIVE_INFINITY;
    const order = isNegated ? mostSkilledFirst(skills) : undefined;
    const idAt = (i: number) => (order ? order[i] : i);
    for (let i = 0; i < count; i++) {
      const id = idAt(i);
      this.#value[id] = isNegated ? -skills[id] : skills[id];
      if (i > 0) this.#previous[id] = idAt(i - 1);
      if (i + 1 < count) this.#next[id] = idAt(i + 1);
    }
    for (let i = 0; i + n <= count; i++)
      this.#key[idAt(i)] = this.#perRange * (this.#value[idAt(i + n - 1)] - this.#value[idAt(i)]);
  }

  get size(): number {
    return this.#size;
  }

  /** Whether the player was in the queue. */
  remove(id: number): boolean {
    if (this.#isHere[id] !== 1) return false;
    this.#isHere[id] = 0;
    this.#size--;
    const next = this.#next[id];
    const previous = this.#previous[id];
    if (previous !== -1) this.#next[previous] = next;
    if (next !== -1) this.#previous[next] = previous;
    this.#key[id] = Number.POSITIVE_INFINITY;
    this.#games[id] = undefined;
    if (this.#last?.players.includes(id)) this.#last = undefined;
    return true;
  }

  /**
   * A game of least imbalance, or undefined when fewer than 2k wait. Exact unless the node budget ends
   * first: then the best game found and the bound that was proved.
   */
  best(): SoloGame | undefined {
    if (this.#last) return this.#last;
    const nodesFrom = this.#search.nodes;
    let found: SoloGame | undefined;
    for (;;) {
      const id = this.#least();
      if (id === -1) return undefined;
      const game = this.#games[id];
      if (game?.players.every((player) => this.#isHere[player] === 1)) {
        if (game.imbalance <= this.#key[id]) {
          this.#lastBest = game.imbalance;
          this.#last = game;
          return game;
        }
        if (!found || game.imbalance < found.imbalance) found = game;
      }
      const nodesLeft = this.#clock.isOver() ? 0 : this.#nodeBudget - (this.#search.nodes - nodesFrom);
      if (nodesLeft <= 0 && found) return { ...found, lowerBound: this.#key[id] };
      this.#refine(id, nodesLeft);
    }
  }

  /** A best game with this player, with the bound proved for games with this player; undefined if there is none. */
  bestWith(id: number): SoloGame | undefined {
    if (this.#isHere[id] !== 1) return undefined;
    const range = this.#narrowest(id, true);
    if (range === Number.POSITIVE_INFINITY) return undefined;
    const least = this.#perRange * range;
    let limit = this.#certain(id, range);
    let nearest: SoloGame | undefined;
    for (let below = range === 0 ? limit : 2 * least; ; below *= 2) {
      const isOver = this.#clock.isOver();
      const game = this.#searchAt(id, true, Math.min(limit, below), isOver ? 0 : this.#nodeBudget);
      // A search that was cut short may prove less than the narrowest window does.
      if (game) return { ...game, lowerBound: Math.max(game.lowerBound, Math.min(least, game.imbalance)) };
      const bound = Math.max(least, this.#search.bound);
      nearest ??= this.#nearestGame(id, true);
      if (below >= limit || isOver) return { ...nearest, lowerBound: Math.min(bound, nearest.imbalance) };
      // A search below this limit still finds games as good as the nearest.
      limit = Math.min(limit, nearest.imbalance * (1 + 1e-9));
    }
  }

  /** A bound on the imbalance of every game in the queue that is known without a search. */
  lowerBound(): number {
    const id = this.#least();
    return id === -1 ? Number.POSITIVE_INFINITY : this.#key[id];
  }

  /**
   * Learns more about the entry of least key: raises its key, or finds its best game. Without nodes it takes the game
   * with the nearest players.
   */
  #refine(id: number, nodeBudget: number): void {
    const range = this.#narrowest(id, false);
    const known = Math.max(this.#key[id], this.#perRange * range);
    if (known > this.#key[id]) {
      // Removals may have widened its window, so it may no longer be the least.
      this.#games[id] = undefined;
      this.#raiseLeast(id, known);
      return;
    }
    if (nodeBudget <= 0) {
      this.#games[id] = this.#nearestGame(id, false);
      return;
    }
    const certain = this.#certain(id, range);
    const little = step * Math.max(known, this.#lastBest);
    const limit = little === 0 ? certain : Math.min(certain, little);
    this.#games[id] = this.#searchAt(id, false, Math.max(limit, known * (1 + 1e-9)), nodeBudget);
    this.#raiseLeast(id, Math.max(known, this.#search.bound));
  }

  /** An upper bound on the best game of a player, if 2k players are within `range` (Lemma 1). */
  #certain(id: number, range: number): number {
    return lemma1(range, this.#alpha, Math.abs(this.#value[id]) + range);
  }

  /** The best game below `limit` of the entry of a player or, with `all`, of all games with it. */
  #searchAt(id: number, all: boolean, limit: number, nodeBudget: number): SoloGame | undefined {
    const reach = limit / this.#perRange;
    let from = id;
    for (let at = id; all && at !== -1 && this.#value[id] - this.#value[at] <= reach; at = this.#previous[at])
      from = at;
    return this.#searchFrom(from, Number.POSITIVE_INFINITY, id, reach, limit, nodeBudget);
  }

  /** The fairest division of the `#narrowest` players. There must be as many. Its `lowerBound` holds for these players only. */
  #nearestGame(id: number, all: boolean): SoloGame {
    this.#narrowest(id, all);
    const any = Number.POSITIVE_INFINITY;
    const game = this.#searchFrom(this.#narrowestFrom, this.#n, id, any, any, this.#n);
    if (!game) throw new Error('Expected a game of 2k players, got none');
    return game;
  }

  /** The best game below `limit` of a player among the first `most` from `from` on that are at most `reach` above it. */
  #searchFrom(
    from: number,
    most: number,
    id: number,
    reach: number,
    limit: number,
    nodeBudget: number,
  ): SoloGame | undefined {
    const search = this.#search;
    const skill = this.#value[id];
    let anchor = -1;
    search.count = 0;
    for (let at = from; at !== -1 && search.count < most; at = this.#next[at]) {
      const value = this.#value[at] - skill;
      if (value > reach) break;
      if (value === 0 && anchor === -1) {
        // The anchor comes before players of the same skill.
        anchor = search.count;
        this.#collect(id, 0);
      }
      if (at !== id && search.count < most) this.#collect(at, value);
    }
    const imbalance = search.run(anchor, skill, limit, nodeBudget);
    if (imbalance === Number.POSITIVE_INFINITY) return undefined;
    return {
      players: search.members.map((member) => this.#candidates[member]),
      division: search.division,
      imbalance,
      lowerBound: Math.min(imbalance, search.bound),
    };
  }

  /** The range of a player and the next 2k − 1 or, with `all`, of the narrowest 2k that include it; ∞ if there are too few. */
  #narrowest(id: number, all: boolean): number {
    let low = id;
    for (let down = 1; all && down < this.#n && this.#previous[low] !== -1; down++) low = this.#previous[low];
    let high = low;
    for (let up = 1; up < this.#n; up++) {
      high = this.#next[high];
      if (high === -1) return Number.POSITIVE_INFINITY;
    }
    let narrowest = Number.POSITIVE_INFINITY;
    for (; high !== -1; low = this.#next[low], high = this.#next[high]) {
      const range = this.#value[high] - this.#value[low];
      if (range < narrowest) {
        narrowest = range;
        this.#narrowestFrom = low;
      }
      if (low === id) break;
    }
    return narrowest;
  }

  /** One more candidate of the search, with its skill relative to the anchor's. */
  #collect(id: number, value: number): void {
    const at = this.#search.count++;
    if (at === this.#candidates.length) {
      const wider = new Int32Array(2 * at);
      wider.set(this.#candidates);
      this.#candidates = wider;
      this.#search.reserve(2 * at);
    }
    this.#candidates[at] = id;
    this.#search.value[at] = value;
  }

  /** Sets the key of the entry of least key, which is the heap's top. */
  #raiseLeast(id: number, key: number): void {
    this.#key[id] = key;
    if (key < this.#horizon) this.#heap.replaceTop(key, id);
    else this.#heap.pop();
  }

  /** The entry of least key, −1 if no entry has a game. */
  #least(): number {
    const heap = this.#heap;
    for (;;) {
      while (heap.size > 0 && this.#key[heap.topId] !== heap.topKey) heap.pop();
      if (heap.size > 0) return heap.topId;
      if (!this.#widen()) return -1;
    }
  }

  /** Raises the horizon until it includes entries; returns false if there are none. */
  #widen(): boolean {
    const keys = this.#key;
    let least = Number.POSITIVE_INFINITY;
    for (let id = 0; id < keys.length; id++) if (keys[id] < least) least = keys[id];
    if (least === Number.POSITIVE_INFINITY) return false;
    this.#horizon = 1.5 * Math.max(least, this.#horizon) + Number.MIN_VALUE;
    this.#heap.clear();
    for (let id = 0; id < keys.length; id++) if (keys[id] < this.#horizon) this.#heap.push(keys[id], id);
    return true;
  }
}

/**
 * How far beyond its key an entry is searched. With 1.1 a drain takes up to 1.8 times as long (k = 2), with 2 up to four
 * times (α = 100).
 */
const step = 1.3;

/** The indices of ascending skills from the last to the first, those of equal skills ascending. */
function mostSkilledFirst(skills: Float64Array): Int32Array {
  return new Int32Array(skills.length).map((_, i) => i).sort((a, b) => skills[b] - skills[a] || a - b);
}
