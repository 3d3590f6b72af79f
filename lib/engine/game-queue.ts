import { imbalancePerRange, lemma1 } from './bounds.ts';
import { KeyHeap } from './key-heap.ts';
import { SoloSearch } from './solo-search.ts';
import { SortedSlots } from './sorted-slots.ts';
import type { GameRules } from './types.ts';

/** A game of a queue, by the ids its players have there. */
export interface QueueGame {
  readonly players: Int32Array;
  /** Bit i is set when `players[i]` plays on the first team. */
  readonly firstTeam: number;
  readonly imbalance: number;
  /** No game in the queue at that moment has less imbalance; equal to `imbalance` when the game is proved best. */
  readonly lowerBound: number;
}

/**
 * The game queue of Theorem 1 (Alman & McKay), made practical: insert, remove and best game of players
 * that are numbers, exact, without roles and parties.
 *
 * **The entry of a player stands for exactly the games in which it is the newest member.** Every game
 * is in one entry. An insert therefore makes one entry and touches no other, and a removal can only take
 * games away, so that the bound in an entry's key stays valid without a look at it. (The paper files a game
 * under its least skilled player; an insert must then recompute every player in reach.)
 *
 * A key is at first c times the narrowest window of 2k players around the player (Lemma 6), and later what
 * a search proved: that the best game of the entry has exactly this imbalance, or that there is none below.
 * `best` looks at the entry of least key only: if its best game is known and alive it is a best game of the
 * queue. Otherwise it is searched a little beyond the key, never without limit.
 */
export class GameQueue {
  readonly #n: number;
  readonly #sign: number;
  readonly #alpha: number;
  readonly #perRange: number;
  readonly #nodeBudget: number;
  readonly #search: SoloSearch;

  /**
   * By id: the skill (negated for p = ∞), the neighbours in order of skill (−1 at the ends), when the player
   * came (0 when it is not here), and the entry's key and game.
   */
  #skill = new Float64Array(64);
  #next = new Int32Array(64);
  #previous = new Int32Array(64);
  #came = new Float64Array(64);
  #key = new Float64Array(64);
  #game: (QueueGame | undefined)[] = new Array(64).fill(undefined);
  #first = -1;
  /** Where a new player belongs; made from the neighbours at the first insert after a load. */
  #sorted: SortedSlots | undefined;
  size = 0;
  #ids = 0;
  readonly #freeIds: number[] = [];
  #clock = 0;
  /** Players loaded at once came in descending order of skill: up to this moment, older means more skilled. */
  #loaded = 0;

  /** The entries with keys up to `#horizon`; those beyond are looked at when the heap runs dry. */
  readonly #heap = new KeyHeap();
  #horizon = 0;
  #heapLimit = 64;
  #lastBest = 0;

  /** What one look around a player collected: others that came before it. */
  readonly #below: Float64Array;
  readonly #above: Float64Array;
  #candidates = new Int32Array(64);

  /** @param nodeBudget the nodes one query may visit, 10 to 50 million of them a second. @default 1,000,000 */
  constructor(rules: GameRules, options: { nodeBudget?: number } = {}) {
    this.#n = 2 * rules.teamSize;
    this.#sign = rules.p === Number.POSITIVE_INFINITY ? -1 : 1;
    this.#alpha = rules.alpha;
    this.#perRange = imbalancePerRange(rules);
    this.#nodeBudget = options.nodeBudget ?? 1_000_000;
    this.#search = new SoloSearch(rules);
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
    const order = this.#sign > 0 ? skills.map((_, i) => i) : mostSkilledFirst(skills);
    for (let i = 0; i < count; i++) {
      const id = order[i];
      this.#skill[id] = this.#sign * skills[id];
      this.#came[id] = count - i;
      this.#previous[id] = i > 0 ? order[i - 1] : -1;
      this.#next[id] = i + 1 < count ? order[i + 1] : -1;
    }
    for (let i = 0; i < count; i++) {
      const top = i + this.#n - 1;
      const range = top < count ? this.#skill[order[top]] - this.#skill[order[i]] : Number.POSITIVE_INFINITY;
      this.#key[order[i]] = this.#perRange * range;
    }
    this.#first = count === 0 ? -1 : order[0];
    this.size = count;
    this.#ids = count;
    this.#clock = count;
    this.#loaded = count;
  }

  /** Adds a player and returns its id. Ids of removed players are used again. */
  insert(skill: number): number {
    const id = this.#freeIds.pop() ?? this.#ids++;
    this.#reserve(this.#ids);
    const value = this.#sign * skill;
    this.#skill[id] = value;
    this.#came[id] = ++this.#clock;
    this.#game[id] = undefined;
    this.#sorted ??= this.#sort();
    this.#link(id, this.#sorted.insert(value, id));
    this.#setKey(id, this.#perRange * this.#narrowest(id, this.#clock));
    return id;
  }

  /** Whether the player was in the queue. */
  remove(id: number): boolean {
    if (!(this.#came[id] > 0)) return false;
    this.#sorted?.remove(this.#skill[id], id);
    this.#unlink(id);
    this.#came[id] = 0;
    this.#key[id] = Number.POSITIVE_INFINITY;
    this.#game[id] = undefined;
    this.#freeIds.push(id);
    return true;
  }

  /**
   * A game of least imbalance, or undefined when fewer than 2k wait. Exact unless the node budget ends
   * first: then the best game found and the bound that was proved.
   */
  best(): QueueGame | undefined {
    const nodesFrom = this.#search.nodes;
    let found: QueueGame | undefined;
    let diveNodes = this.#n;
    for (;;) {
      const id = this.#least();
      if (id === -1) return undefined;
      const game = this.#game[id];
      if (game && this.#alive(id, game)) {
        if (game.imbalance <= this.#key[id]) {
          this.#lastBest = game.imbalance;
          return game;
        }
        if (!found || game.imbalance < found.imbalance) found = game;
      }
      const nodesLeft = this.#nodeBudget - (this.#search.nodes - nodesFrom);
      if (nodesLeft > 0) {
        this.#refine(id, nodesLeft, false);
      } else if (found) {
        return { ...found, lowerBound: this.#key[id] };
      } else {
        diveNodes *= 2;
        this.#refine(id, diveNodes, true);
      }
    }
  }

  /** A best game with this player in it, with what is proved of games with this player; undefined if there is none. */
  bestWith(id: number): QueueGame | undefined {
    if (!(this.#came[id] > 0)) return undefined;
    const range = this.#narrowest(id, Number.POSITIVE_INFINITY);
    if (range === Number.POSITIVE_INFINITY) return undefined;
    const limit = lemma1(range, this.#alpha);
    for (let below = 2 * this.#perRange * range; ; below *= 2) {
      const game = this.#searchAt(id, Number.POSITIVE_INFINITY, Math.min(limit, below), this.#nodeBudget);
      if (game) return game;
      if (below >= limit || below === 0)
        return this.#searchAt(id, Number.POSITIVE_INFINITY, limit, this.#nodeBudget);
    }
  }

  /** A bound on the imbalance of every game in the queue, as far as it is known without a search. */
  lowerBound(): number {
    const id = this.#least();
    return id === -1 ? Number.POSITIVE_INFINITY : this.#key[id];
  }

  /**
   * Learns more about the entry of least key: raises its key, or finds its best game. A dive looks for any game,
   * as far as Lemma 1 promises one.
   */
  #refine(id: number, nodeBudget: number, dive: boolean): void {
    const came = this.#came[id];
    const range = this.#narrowest(id, came);
    const known = Math.max(this.#key[id], this.#perRange * range);
    if (known > this.#key[id]) {
      // Removals have widened its window: perhaps it is not the least any more.
      this.#heap.pop();
      this.#game[id] = undefined;
      this.#setKey(id, known);
      return;
    }
    const certain = lemma1(range, this.#alpha);
    const little = 1.3 * Math.max(known, this.#lastBest);
    const limit = dive || little === 0 ? certain : Math.min(certain, little);
    const game = this.#searchAt(id, came, Math.max(limit, known * (1 + 1e-9)), nodeBudget);
    this.#heap.pop();
    this.#game[id] = game;
    this.#setKey(id, Math.max(known, this.#search.bound));
  }

  /** The best game below `limit` of this player with others that came before `cameBefore`. */
  #searchAt(id: number, cameBefore: number, limit: number, nodeBudget: number): QueueGame | undefined {
    const search = this.#search;
    const skill = this.#skill[id];
    const reach = limit / this.#perRange;
    let count = 0;
    let equals = 0;
    if (cameBefore > this.#loaded) {
      for (
        let at = this.#previous[id];
        at !== -1 && skill - this.#skill[at] <= reach;
        at = this.#previous[at]
      ) {
        if (this.#came[at] >= cameBefore) continue;
        // Players as skilled as the anchor stand behind it.
        if (this.#skill[at] === skill) equals++;
        this.#collect(at, count++);
      }
      this.#candidates.subarray(0, count).reverse();
    }
    const anchor = count - equals;
    this.#collect(id, count++);
    if (equals > 0) {
      this.#candidates.copyWithin(anchor + 1, anchor, count - 1);
      this.#candidates[anchor] = id;
    }
    for (let at = this.#next[id]; at !== -1 && this.#skill[at] - skill <= reach; at = this.#next[at]) {
      if (this.#came[at] < cameBefore) this.#collect(at, count++);
    }
    search.reserve(count);
    for (let i = 0; i < count; i++) search.value[i] = this.#skill[this.#candidates[i]] - skill;
    search.count = count;
    const imbalance = search.run(anchor, skill, limit, nodeBudget);
    if (imbalance === Number.POSITIVE_INFINITY) return undefined;
    return {
      players: search.members.map((member) => this.#candidates[member]),
      firstTeam: search.firstTeam,
      imbalance,
      lowerBound: Math.min(imbalance, search.bound),
    };
  }

  /** The range of the narrowest 2k players around this one that came before `cameBefore`, ∞ if there are too few. */
  #narrowest(id: number, cameBefore: number): number {
    const skill = this.#skill[id];
    const others = this.#n - 1;
    let below = 0;
    let above = 0;
    if (cameBefore > this.#loaded) {
      for (let at = this.#previous[id]; at !== -1 && below < others; at = this.#previous[at]) {
        if (this.#came[at] < cameBefore) this.#below[below++] = skill - this.#skill[at];
      }
    }
    for (let at = this.#next[id]; at !== -1 && above < others; at = this.#next[at]) {
      if (this.#came[at] < cameBefore) this.#above[above++] = this.#skill[at] - skill;
    }
    let narrowest = Number.POSITIVE_INFINITY;
    for (let down = Math.max(0, others - above); down <= below; down++) {
      const up = others - down;
      const range = (down > 0 ? this.#below[down - 1] : 0) + (up > 0 ? this.#above[up - 1] : 0);
      if (range < narrowest) narrowest = range;
    }
    return narrowest;
  }

  #collect(id: number, at: number): void {
    if (at === this.#candidates.length) {
      const wider = new Int32Array(2 * at);
      wider.set(this.#candidates);
      this.#candidates = wider;
    }
    this.#candidates[at] = id;
  }

  /** Whether all players of the game are still the ones it was made of. A reused id belongs to a newer player than the entry's. */
  #alive(id: number, game: QueueGame): boolean {
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

  /** The entry of least key, −1 if no entry has a game. */
  #least(): number {
    const heap = this.#heap;
    for (;;) {
      while (heap.size > 0 && this.#key[heap.topId] !== heap.topKey) heap.pop();
      if (heap.size > 0) return heap.topId;
      if (!this.#widen()) return -1;
    }
  }

  /** Moves the horizon out until entries come into sight; false if there are none. */
  #widen(): boolean {
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

  /** The index of all who are here, in order. */
  #sort(): SortedSlots {
    const values = new Float64Array(this.size);
    const ids = new Int32Array(this.size);
    for (let id = this.#first, i = 0; id !== -1; id = this.#next[id], i++) {
      values[i] = this.#skill[id];
      ids[i] = id;
    }
    const sorted = new SortedSlots();
    sorted.fill(values, ids);
    return sorted;
  }

  #link(id: number, previous: number): void {
    const next = previous === -1 ? this.#first : this.#next[previous];
    this.#previous[id] = previous;
    this.#next[id] = next;
    if (previous === -1) this.#first = id;
    else this.#next[previous] = id;
    if (next !== -1) this.#previous[next] = id;
    this.size++;
  }

  #unlink(id: number): void {
    const previous = this.#previous[id];
    const next = this.#next[id];
    if (previous === -1) this.#first = next;
    else this.#next[previous] = next;
    if (next !== -1) this.#previous[next] = previous;
    this.size--;
  }

  #reserve(count: number): void {
    if (count <= this.#skill.length) return;
    const room = Math.max(count, Math.ceil(1.5 * this.#skill.length));
    const grow = <T extends Float64Array | Int32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#skill = grow(this.#skill, new Float64Array(room));
    this.#came = grow(this.#came, new Float64Array(room));
    this.#key = grow(this.#key, new Float64Array(room));
    this.#next = grow(this.#next, new Int32Array(room));
    this.#previous = grow(this.#previous, new Int32Array(room));
    for (let i = this.#game.length; i < room; i++) this.#game.push(undefined);
  }
}

/** The indices of ascending skills from the last to the first, those of equal skills ascending. */
function mostSkilledFirst(skills: Float64Array): Float64Array {
  const order = new Float64Array(skills.length);
  let filled = 0;
  for (let end = skills.length; end > 0; ) {
    let start = end - 1;
    while (start > 0 && skills[start - 1] === skills[end - 1]) start--;
    for (let i = start; i < end; i++) order[filled++] = i;
    end = start;
  }
  return order;
}
