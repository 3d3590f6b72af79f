import type { Layout } from '../shapes/layout.ts';
import type { ShapedGame } from '../shapes/shape-game.ts';
import type { ShapeAnswer, ShapeQueue } from '../shapes/shape-queue.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { GameRules } from '../types.ts';
import type { Entry } from './entries.ts';
import type { FoundGame } from './game-search.ts';
import { type GameQueueOptions, QueueState } from './queue-state.ts';

/**
 * The game queue, for every layout of up to 16 seats.
 *
 * Every game is filed under one entry of each line that it is in. With β that is its longest-waiting ticket, so all games of
 * an entry have the same wait. Otherwise it is the first in order of skill or, where few players can take a class of seats,
 * the first of those who can. The key of an entry is a lower bound on the imbalance of its games. Removals leave keys
 * valid; an insert lowers those of the tickets that it may play with.
 *
 * A query takes the entry of least cost. If its best game is known, that game is the best of the queue. Otherwise it
 * searches around the entry below a limit slightly above its key, raises the key to the bound that was proved, and repeats.
 */
export class GameQueue implements ShapeQueue {
  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #options: GameQueueOptions;
  readonly #waiting = new Set<ShapeTicket>();
  /** Built at the first query, and again after an insert that it cannot take. */
  #state: QueueState | undefined;
  #queries = 0;
  /** The imbalance of the last game that was proved best. */
  #lastImbalance = 0;
  /** The part of the budget that searches around tickets are worth: less the more of them are cut short. */
  #worth = 1;

  constructor(rules: GameRules, layout: Layout, options: GameQueueOptions) {
    this.#rules = rules;
    this.#layout = layout;
    this.#options = options;
  }

  get epochMs(): number {
    return this.#state?.epochMs ?? 0;
  }

  insert(ticket: ShapeTicket): void {
    this.#waiting.add(ticket);
    if (this.#state && !this.#state.insert(ticket)) this.#state = undefined;
  }

  remove(ticket: ShapeTicket): boolean {
    this.#state?.remove(ticket);
    return this.#waiting.delete(ticket);
  }

  best(): ShapeAnswer {
    const state = this.#settled();
    if (!state) return noAnswer;
    const { entries, clock } = state;
    this.#queries++;
    const budget = Math.ceil(this.#worth * state.nodeBudget);
    const nodesFrom = state.work;
    const best = new BestOfQuery();
    const aside: Entry[] = [];
    let asideBound = Number.POSITIVE_INFINITY;
    let floor: number | undefined;
    let isGameAsked = false;
    let games = gamesMax;
    let isShort = false;
    for (;;) {
      const entry = entries.least();
      if (!entry || state.isAtMost(best.cost, entries.leastCost())) break;
      if (this.#forgetOldGame(entry)) continue;
      best.consider(entry);
      if (state.isAtMost(best.cost, entries.leastCost())) break;
      const nodesLeft = budget - (state.work - nodesFrom);
      const isSpent = nodesLeft <= 0 || clock.isOver();
      const rests = entry.restsUntil > this.#queries;
      const wantsGame = isSpent || rests;
      if ((floor === undefined && entry.cuts > 0) || (wantsGame && !isGameAsked)) {
        // What all games cost at least, and a game near the best centre.
        const near = state.askCentre(best.game, wantsGame);
        floor = near.bound;
        isGameAsked = wantsGame;
        if (near.game) best.take(near.game, near.game.imbalance - creditOf(near.game));
        continue;
      }
      if (floor !== undefined && entry.key < floor) {
        entries.refile(entry, floor);
        continue;
      }
      const wantsOwn = wantsGame && games > 0;
      const ask = 2 * this.#queries + (wantsOwn ? 1 : 0);
      if ((entry.cuts > 0 || wantsGame) && entry.askedAt < ask && state.isCentreNews(entry, wantsOwn)) {
        // The same of the games with this ticket.
        entry.askedAt = ask;
        if (wantsOwn) games--;
        const bound = state.askCentreOf(entry, best.cost + entry.queued.credit, wantsOwn);
        best.consider(entry);
        if (bound > entry.key) entries.refile(entry, bound);
        continue;
      }
      const cost = entries.take();
      if (isSpent || rests) {
        aside.push(entry);
        asideBound = Math.min(asideBound, cost);
        isShort ||= isSpent;
        // Without a floor the keys of the others are no higher.
        if (isSpent && (aside.length > asideMax || !floor)) break;
        continue;
      }
      const share = Math.min(shareMax, firstShare * 2 ** entry.cuts) * state.nodeBudget;
      this.#refine(state, entry, best.cost, Math.max(1, Math.min(Math.ceil(share), nodesLeft)));
      best.consider(entry);
    }
    const least = Math.min(asideBound, entries.leastCost());
    entries.putBack(aside);
    if (!best.game) {
      const any = state.anyGame();
      if (!any) return { game: undefined, cost: Number.POSITIVE_INFINITY, costBound: least };
      best.take(any, any.imbalance - creditOf(any));
    }
    const bound = Math.max(least, (floor ?? 0) - state.maxCredit);
    const isProved = state.isAtMost(best.cost, bound);
    if (isProved) this.#lastImbalance = best.game!.imbalance;
    if (state.hasCheapCentre && !state.hasScarceSeats) this.#weigh(state, isProved || !isShort);
    const game = state.unstranding(best.game!);
    const cost = game === best.game ? best.cost : game.imbalance - creditOf(game);
    return { game: shaped(game), cost, costBound: isProved ? best.cost : Math.min(best.cost, bound) };
  }

  bestWith(ticket: ShapeTicket): ShapeAnswer {
    const state = this.#settled();
    if (!state) return noAnswer;
    const costBound = state.entries.leastCost();
    const none = { game: undefined, cost: Number.POSITIVE_INFINITY, costBound };
    const own = state.entriesOf(ticket);
    if (own.length === 0) return none;
    const balanced = state.mostBalanced(own);
    if (balanced.bound === Number.POSITIVE_INFINITY) return none;
    let game = balanced.game ?? state.anyGameWith(own);
    if (!game) return none;
    let cost = game.imbalance - creditOf(game);
    if (this.#rules.beta > 0) {
      // A longer wait of another ticket may outweigh a worse game.
      const most = state.maxCredit - own[0].queued.credit;
      for (const entry of own) {
        const limit = cost + entry.queued.credit;
        const result = state.searchAround(entry, limit, state.nodeBudget, 'all', most);
        if (!result.game) continue;
        game = result.game;
        cost = game.imbalance - creditOf(game);
      }
    }
    return { game: shaped(game), cost, costBound: Math.min(cost, costBound) };
  }

  /** The tickets as searches need them; undefined if the time was over before. */
  #settled(): QueueState | undefined {
    if (this.#state) return this.#state;
    const state = new QueueState(this.#waiting, this.#rules, this.#layout, this.#options);
    if (state.wasCut) return undefined;
    // Around the few players of a rare role no search ends in time.
    this.#worth = state.hasScarceSeats && state.hasCheapCentre ? this.#leastWorth(state) : 1;
    this.#state = state;
    return state;
  }

  /** Whether the game of an entry has lost a ticket. The entry is then worth a search at once. */
  #forgetOldGame(entry: Entry): boolean {
    if (!entry.game || entry.game.queued.every(({ isHere }) => isHere)) return false;
    entry.game = undefined;
    entry.restsUntil = 0;
    return true;
  }

  /** Searches an entry: raises its key or finds a game of it that costs less than `cost`. */
  #refine(state: QueueState, entry: Entry, cost: number, nodeBudget: number): void {
    const { cuts, tries, game, key } = entry;
    const { highest } = state;
    const grow = tries < smallSteps ? step ** (0.5 ** cuts) : 2 ** (tries - smallSteps + 1);
    const last = cuts > 0 || this.#rules.beta > 0 ? 0 : this.#lastImbalance;
    const limit = Math.min(
      highest,
      cost + entry.queued.credit,
      game ? between(key, game.imbalance, 0.5 ** cuts) : Number.POSITIVE_INFINITY,
      Math.max(key, last, 1e-9 * highest) * grow,
    );
    const result = state.searchAround(entry, limit, nodeBudget, 'own', 0);
    if (result.game) entry.game = result.game;
    let { bound } = result;
    if (result.wasCut) {
      if (!entry.game && cuts === 0) entry.game = state.firstGameOf(entry);
      entry.cuts++;
      entry.tries = 0;
      const rest = entry.cuts - cutsAtOnce;
      entry.restsUntil = this.#queries + (rest <= 0 ? 0 : 2 ** Math.min(16, rest));
    } else {
      const most = bound > key ? smallSteps + 1 : Number.POSITIVE_INFINITY;
      entry.tries = result.game ? 0 : Math.min(most, tries + 1);
      if (cuts > 0) entry.cuts--;
      if (!result.game && limit >= highest) bound = Number.POSITIVE_INFINITY;
    }
    state.entries.file(entry, Math.max(key, bound));
  }

  /** In large pools whose queries prove nothing, searches around tickets are worth less. */
  #weigh(state: QueueState, wasGood: boolean): void {
    this.#worth = wasGood ? Math.min(1, 2 * this.#worth) : Math.max(this.#leastWorth(state), this.#worth / 2);
  }

  #leastWorth({ nodeBudget }: QueueState): number {
    return Math.min(1, Math.max(150, 2e6 / Math.max(1, this.#waiting.size)) / nodeBudget);
  }
}

/** Of a query whose time was over before its tickets were prepared: no game is known, and nothing is proved. */
const noAnswer: ShapeAnswer = {
  game: undefined,
  cost: Number.POSITIVE_INFINITY,
  costBound: Number.NEGATIVE_INFINITY,
};

/** The best game that a query has come upon. */
class BestOfQuery {
  game: FoundGame | undefined;
  cost = Number.POSITIVE_INFINITY;

  take(game: FoundGame, cost: number): void {
    if (cost >= this.cost) return;
    this.game = game;
    this.cost = cost;
  }

  consider({ game, queued }: Entry): void {
    if (game) this.take(game, game.imbalance - queued.credit);
  }
}

/** The credit of a game: that of its longest-waiting ticket. */
function creditOf({ queued }: FoundGame): number {
  return queued.reduce((most, { credit }) => Math.max(most, credit), Number.NEGATIVE_INFINITY);
}

function shaped({ queued, teams, imbalance }: FoundGame): ShapedGame {
  return { members: queued.map(({ ticket }) => ticket), teams, imbalance };
}

/** The number at this part of the way, by ratio or difference, whichever is lower. */
function between(low: number, high: number, part: number): number {
  const linear = low + (high - low) * part;
  return low > 0 && part < 1 ? Math.min(linear, low * (high / low) ** part) : linear;
}

/** By how much a limit is above the key: at first a little, and after some searches without a game twice as much each time. */
const step = 1.3;
const smallSteps = 3;
/** The parts of the budget that an entry gets at its first search, and at most. */
const firstShare = 1 / 8;
const shareMax = 3 / 4;
/** How often an entry may be cut short before it rests. */
const cutsAtOnce = 4;
/** The entries for which a query has games near the centres of their own bounds searched. */
const gamesMax = 16;
/** The entries that a query sets aside after its nodes are spent, to raise the bound. */
const asideMax = 200;
