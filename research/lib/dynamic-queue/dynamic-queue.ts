import { type GameRules, imbalancePerRange, SearchClock, shapeOf } from 'muster/engine';
import { lemma1 } from '../../../lib/engine/bounds/range-bounds.ts';
import { KeyHeap } from '../../../lib/engine/collections/key-heap.ts';
import type { SoloGame } from '../../../lib/engine/solo/solo-queue.ts';
import { SoloSearch } from '../../../lib/engine/solo/solo-search.ts';
import { SortedIds } from './sorted-ids.ts';
import { ValueCounts } from './value-counts.ts';

/**
 * A practical version of the game queue of Theorem 1 (Alman & McKay): exact insert, remove and best game for
 * players given as numbers, without roles and parties.
 *
 * **The entry of a player stands for exactly the games in which it is the newest member.** Every game
 * is in one entry. An insert therefore creates one entry and changes no other. A removal can only remove
 * games, so the bound in an entry's key stays valid without an update. (The paper files a game
 * under its least skilled player; an insert must then recompute every player in reach.)
 *
 * A key is at first c times the narrowest window of 2k players around the player (Lemma 6), and later the value
 * that a search proved: the exact imbalance of the entry's best game, or a bound below which there is none.
 * `best` examines only the entry of least key. If its best game is known and all its players are still waiting, it is
 * a best game of the queue. Otherwise the entry is searched up to a limit slightly above its key.
 *
 * Most changes of a large queue cannot change the best game, and their cost is waiting for memory. So the queue applies
 * removals in groups, and computes no key of a player who has too few others around it.
 */
export class DynamicQueue {
  readonly #n: number;
  readonly #sign: number;
  readonly #alpha: number;
  readonly #perRange: number;
  readonly #nodeBudget: number;
  readonly #clock: SearchClock;
  readonly #search: SoloSearch;

  /** The ids by skill, negated for p = ∞. */
  readonly #bySkill: SortedIds;
  /** By id: when the player was inserted (0 when it is absent), the entry's key and, if known, its best game. */
  #came = new Float64Array(64);
  #key = new Float64Array(64);
  readonly #games: (SoloGame | undefined)[] = [];
  #ids = 0;
  readonly #freeIds: number[] = [];
  #inserts = 0;
  /** Players loaded at once count as inserted in descending order of skill: up to this time, older means more skilled. */
  #loaded = 0;
  /** A bit for each id that is in the queue: it is in the cache, as `#came` of a large queue is not. */
  #present = new Int32Array(2);
  #size = 0;
  /** Ids that are removed but still in the list. They leave it together, because their cache misses then overlap. */
  readonly #leaving = new Int32Array(leavingMax);
  #leavingCount = 0;

  /**
   * Counts the players in cells so wide that most players who arrive have, by the counts alone, a key of at least the
   * horizon. Rebuilt after `#countAfter` keys that were computed since the horizon was raised.
   */
  #crowds: ValueCounts | undefined;
  #countAfter = 64;
  #computedKeys = 0;
  /** Whether there are such players: their key is ∞ until the horizon is raised. */
  #isKeyMissing = false;
  readonly #uncount = (value: number) => this.#crowds?.remove(value);

  /** The entries with keys up to `#horizon`; the others are added when the heap is empty. */
  readonly #heap = new KeyHeap();
  #horizon = 0;
  #heapLimit = 64;
  #lastBest = 0;
  /** The last result of `best`, and whether it is still the best. */
  #last: SoloGame | undefined;
  #isBestKnown = false;

  /** The candidates collected around one player: others that were inserted before it. */
  readonly #below: Float64Array;
  readonly #above: Float64Array;
  /** How many of the last `#narrowest` players are below the player. */
  #narrowestDown = 0;
  #candidates = new Int32Array(64);

  /**
   * @param options `nodeBudget`: the nodes one query may visit, 10 to 50 million of them a second. @default 1,000,000, a
   * bound against the worst case alone: searches are short
   */
  constructor(rules: GameRules, options: { nodeBudget?: number | undefined; clock?: SearchClock } = {}) {
    this.#bySkill = new SortedIds(this.#uncount);
    this.#n = shapeOf(rules).seats;
    this.#sign = rules.p === Number.POSITIVE_INFINITY ? -1 : 1;
    this.#alpha = rules.alpha;
    this.#perRange = imbalancePerRange(rules);
    this.#nodeBudget = options.nodeBudget ?? 1_000_000;
    this.#clock = options.clock ?? new SearchClock();
    this.#search = new SoloSearch(rules, this.#clock);
    this.#below = new Float64Array(this.#n);
    this.#above = new Float64Array(this.#n);
  }

  /**
   * Fills an empty queue; player i gets id i. `skills` must ascend; equal skills keep their order.
   * Cost: linear.
   */
  load(skills: Float64Array): void {
    if (this.#ids > 0) throw new Error('Expected an empty queue to load players into; use insert');
    const count = skills.length;
    this.#reserve(count);
    const order = this.#sign > 0 ? new Int32Array(count).map((_, i) => i) : mostSkilledFirst(skills);
    const ascending = new Float64Array(count);
    for (let i = 0; i < count; i++) ascending[i] = this.#sign * skills[order[i]];
    this.#bySkill.fill(ascending, order);
    for (let i = 0; i < count; i++) {
      const id = order[i];
      const top = i + this.#n - 1;
      const range = top < count ? ascending[top] - ascending[i] : Number.POSITIVE_INFINITY;
      this.#came[id] = count - i;
      this.#key[id] = this.#perRange * range;
    }
    this.#present.fill(-1, 0, count >> 5);
    for (let id = count & -32; id < count; id++) this.#present[id >> 5] |= 1 << id;
    this.#size = count;
    this.#ids = count;
    this.#inserts = count;
    this.#loaded = count;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a player and returns its id. Ids of removed players are used again. */
  insert(skill: number): number {
    if (this.#size < cachedMax) this.#settle();
    const id = this.#freeIds.pop() ?? this.#ids++;
    this.#reserve(this.#ids);
    this.#came[id] = ++this.#inserts;
    this.#present[id >> 5] |= 1 << id;
    this.#size++;
    const value = this.#sign * skill;
    this.#bySkill.insert(value, id);
    if (this.#crowds && this.#crowds.add(value) < this.#n) {
      this.#key[id] = Number.POSITIVE_INFINITY;
      this.#isKeyMissing = true;
      return id;
    }
    const key = this.#perRange * this.#narrowest(this.#bySkill.find(id), Number.POSITIVE_INFINITY);
    this.#setKey(id, key);
    if (key < this.#horizon) this.#isBestKnown = false;
    if (++this.#computedKeys > this.#countAfter && this.#horizon > 0) this.#countCrowds();
    return id;
  }

  /** Whether the player was in the queue. */
  remove(id: number): boolean {
    if (!this.#isPresent(id)) return false;
    this.#present[id >> 5] &= ~(1 << id);
    this.#size--;
    if (this.#isBestKnown && isMember(this.#last!, id)) this.#isBestKnown = false;
    this.#leaving[this.#leavingCount++] = id;
    if (this.#leavingCount === leavingMax) this.#settle();
    return true;
  }

  /**
   * A game of least imbalance, or undefined when fewer than 2k wait. Exact unless the node budget ends
   * first: then the best game found and the bound that was proved.
   */
  best(): SoloGame | undefined {
    if (this.#isBestKnown) return this.#last;
    this.#settle();
    const nodesFrom = this.#search.nodes;
    let found: SoloGame | undefined;
    for (;;) {
      const id = this.#least();
      if (id === -1) return undefined;
      const game = this.#games[id];
      if (game && this.#alive(id, game)) {
        if (game.imbalance <= this.#key[id]) {
          this.#lastBest = game.imbalance;
          this.#last = game;
          this.#isBestKnown = true;
          return game;
        }
        if (!found || game.imbalance < found.imbalance) found = game;
      }
      const nodesLeft = this.#clock.isOver() ? 0 : this.#nodeBudget - (this.#search.nodes - nodesFrom);
      if (nodesLeft <= 0 && found) return { ...found, lowerBound: this.#key[id] };
      this.#refine(id, nodesLeft);
    }
  }

  /** A bound on the imbalance of every game in the queue that is known without a search. */
  lowerBound(): number {
    this.#settle();
    const id = this.#least();
    return id === -1 ? Number.POSITIVE_INFINITY : this.#key[id];
  }

  #isPresent(id: number): boolean {
    return (this.#present[id >> 5] & (1 << id)) !== 0;
  }

  /** Completes the removals. Everything that reads the list calls it first, except for bounds on keys. */
  #settle(): void {
    const count = this.#leavingCount;
    if (count === 0) return;
    this.#leavingCount = 0;
    const bySkill = this.#bySkill;
    for (let i = 0; i < count; i++) bySkill.remove(this.#leaving[i]);
    for (let i = 0; i < count; i++) {
      const id = this.#leaving[i];
      this.#came[id] = 0;
      this.#key[id] = Number.POSITIVE_INFINITY;
      this.#games[id] = undefined;
      this.#freeIds.push(id);
    }
  }

  /** Counts all players, in cells as wide as 2k players with a key below the horizon can be apart. Cost: linear. */
  #countCrowds(): void {
    const bySkill = this.#bySkill;
    this.#computedKeys = 0;
    this.#countAfter = Math.max(2 * this.#countAfter, this.#size >> 4);
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    bySkill.visitValues((value) => {
      if (value < low) low = value;
      if (value > high) high = value;
    });
    const crowds = new ValueCounts(low, high, this.#horizon / this.#perRange, 4 * this.#size);
    bySkill.visitValues((value) => crowds.add(value));
    this.#crowds = crowds;
  }

  /** Computes the missing keys. Cost: linear. */
  #addMissingKeys(): void {
    this.#settle();
    const bySkill = this.#bySkill;
    for (let at = bySkill.first; at !== -1; at = bySkill.after(at)) {
      const id = bySkill.idAt(at);
      if (this.#key[id] < Number.POSITIVE_INFINITY) continue;
      this.#key[id] = Math.max(this.#horizon, this.#perRange * this.#narrowest(at, Number.POSITIVE_INFINITY));
    }
  }

  /**
   * Learns more about the entry of least key: raises its key, or finds its best game. Without nodes it takes the game
   * with the nearest players.
   */
  #refine(id: number, nodeBudget: number): void {
    const came = this.#came[id];
    const place = this.#bySkill.find(id);
    const range = this.#narrowest(place, came);
    const known = Math.max(this.#key[id], this.#perRange * range);
    if (known > this.#key[id]) {
      // Removals may have widened its window, so it may no longer be the least.
      this.#games[id] = undefined;
      this.#raiseLeast(id, known);
      return;
    }
    if (nodeBudget <= 0) {
      this.#games[id] = this.#nearestGame(place, came);
      return;
    }
    const certain = this.#certain(place, range);
    const little = step * Math.max(known, this.#lastBest);
    const limit = little === 0 ? certain : Math.min(certain, little);
    const game = this.#searchAt(place, came, Math.max(limit, known * (1 + 1e-9)), nodeBudget);
    this.#games[id] = game;
    this.#raiseLeast(id, Math.max(known, this.#search.bound));
  }

  /** An upper bound on the best game of the player at this place, if 2k players are within `range` (Lemma 1). */
  #certain(place: number, range: number): number {
    return lemma1(range, this.#alpha, Math.abs(this.#bySkill.valueAt(place)) + range);
  }

  /** The best game below `limit` of the player at this place with others that came before `cameBefore`. */
  #searchAt(place: number, cameBefore: number, limit: number, nodeBudget: number): SoloGame | undefined {
    const bySkill = this.#bySkill;
    const skill = bySkill.valueAt(place);
    const reach = limit / this.#perRange;
    let from = place;
    if (cameBefore > this.#loaded) {
      let at = place;
      while (at !== -1 && skill - bySkill.valueAt(at) <= reach) {
        from = at;
        at = bySkill.before(at);
      }
    }
    return this.#searchFrom(from, Number.POSITIVE_INFINITY, place, cameBefore, reach, limit, nodeBudget);
  }

  /**
   * The fairest division of the narrowest 2k players around this place that came before `cameBefore`. There must be as
   * many. Its `lowerBound` holds for these players only.
   */
  #nearestGame(place: number, cameBefore: number): SoloGame {
    const bySkill = this.#bySkill;
    this.#narrowest(place, cameBefore);
    let from = place;
    for (let down = this.#narrowestDown; down > 0; ) {
      from = bySkill.before(from);
      if (this.#came[bySkill.idAt(from)] < cameBefore) down--;
    }
    const all = Number.POSITIVE_INFINITY;
    const game = this.#searchFrom(from, this.#n, place, cameBefore, all, all, this.#n);
    if (!game) throw new Error('Expected a game of 2k players, got none');
    return game;
  }

  /**
   * The best game below `limit` of the player at `place` and others that came before `cameBefore`, among the first `most`
   * candidates from `from` on that are at most `reach` above the player.
   */
  #searchFrom(
    from: number,
    most: number,
    place: number,
    cameBefore: number,
    reach: number,
    limit: number,
    nodeBudget: number,
  ): SoloGame | undefined {
    const search = this.#search;
    const bySkill = this.#bySkill;
    const skill = bySkill.valueAt(place);
    let anchor = -1;
    search.count = 0;
    for (let at = from; at !== -1 && search.count < most; at = bySkill.after(at)) {
      const value = bySkill.valueAt(at) - skill;
      if (value > reach) break;
      if (anchor === -1 && value === 0) {
        // The anchor comes before players of the same skill.
        anchor = search.count;
        this.#collect(bySkill.idAt(place), 0);
      }
      const id = bySkill.idAt(at);
      if (at !== place && this.#came[id] < cameBefore && search.count < most) this.#collect(id, value);
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

  /** The range of the narrowest 2k players around this place that came before `cameBefore`, ∞ if there are too few. */
  #narrowest(place: number, cameBefore: number): number {
    const bySkill = this.#bySkill;
    const skill = bySkill.valueAt(place);
    const others = this.#n - 1;
    // Values known for all are not looked up for each player: in a large queue every lookup is a cache miss.
    const everyone = cameBefore === Number.POSITIVE_INFINITY;
    let below = 0;
    let above = 0;
    if (cameBefore > this.#loaded) {
      for (let at = bySkill.before(place); at !== -1 && below < others; at = bySkill.before(at)) {
        if (everyone || this.#came[bySkill.idAt(at)] < cameBefore)
          this.#below[below++] = skill - bySkill.valueAt(at);
      }
    }
    for (let at = bySkill.after(place); at !== -1 && above < others; at = bySkill.after(at)) {
      if (everyone || this.#came[bySkill.idAt(at)] < cameBefore)
        this.#above[above++] = bySkill.valueAt(at) - skill;
    }
    let narrowest = Number.POSITIVE_INFINITY;
    for (let down = Math.max(0, others - above); down <= below; down++) {
      const up = others - down;
      const range = (down > 0 ? this.#below[down - 1] : 0) + (up > 0 ? this.#above[up - 1] : 0);
      if (range < narrowest) {
        narrowest = range;
        this.#narrowestDown = down;
      }
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

  /** Whether all players of the game are still present. A reused id belongs to a newer player than the entry's. */
  #alive(id: number, game: SoloGame): boolean {
    const { players } = game;
    const came = this.#came[id];
    for (let i = 0; i < players.length; i++) {
      const playerCame = this.#came[players[i]];
      if (playerCame === 0 || playerCame > came) return false;
    }
    return true;
  }

  #setKey(id: number, key: number): void {
    this.#key[id] = key;
    if (key >= this.#horizon) return;
    this.#heap.push(key, id);
    if (this.#heap.size <= this.#heapLimit) return;
    this.#heap.compact(this.#key);
    this.#heapLimit = 64 + 2 * this.#heap.size;
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
    if (this.#isKeyMissing) this.#addMissingKeys();
    this.#isKeyMissing = false;
    this.#crowds = undefined;
    this.#computedKeys = 0;
    this.#countAfter = Math.max(64, this.#size >> 10);
    let least = Number.POSITIVE_INFINITY;
    for (let id = 0; id < this.#ids; id++) if (this.#key[id] < least) least = this.#key[id];
    if (least === Number.POSITIVE_INFINITY) return false;
    this.#horizon = 1.5 * Math.max(least, this.#horizon) + Number.MIN_VALUE;
    this.#heap.clear();
    for (let id = 0; id < this.#ids; id++)
      if (this.#key[id] < this.#horizon) this.#heap.push(this.#key[id], id);
    this.#heapLimit = 64 + 2 * this.#heap.size;
    return true;
  }

  #reserve(count: number): void {
    if (count <= this.#came.length) return;
    const room = Math.max(count, Math.ceil(1.5 * this.#came.length));
    const grow = (from: Float64Array) => {
      const to = new Float64Array(room);
      to.set(from);
      return to;
    };
    this.#came = grow(this.#came);
    this.#key = grow(this.#key);
    const present = new Int32Array((room >> 5) + 1);
    present.set(this.#present);
    this.#present = present;
    while (this.#games.length < room) this.#games.push(undefined);
  }
}

/**
 * How far beyond its key an entry is searched. With 1.1 a drain takes up to 1.8 times as long (k = 2), with 2 up to four
 * times (α = 100).
 */
const step = 1.3;

/** More removals than a processor has cache misses under way at once. */
const leavingMax = 64;

/** A queue of fewer players is in the cache, so that removals need not wait. Ids are then used again at once. */
const cachedMax = 2 ** 16;

/** The indices of ascending skills from the last to the first, those of equal skills ascending. */
function mostSkilledFirst(skills: Float64Array): Int32Array {
  const order = new Int32Array(skills.length);
  let filled = 0;
  for (let end = skills.length; end > 0; ) {
    let start = end - 1;
    while (start > 0 && skills[start - 1] === skills[end - 1]) start--;
    for (let i = start; i < end; i++) order[filled++] = i;
    end = start;
  }
  return order;
}

function isMember({ players }: SoloGame, id: number): boolean {
  for (let i = 0; i < players.length; i++) if (players[i] === id) return true;
  return false;
}
