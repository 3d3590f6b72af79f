import type { RandomSource } from 'muster/simulation';
import { WaitingTimes } from './waiting.ts';

/** Arrivals per time unit of a 2v2 game: players alone (λ1) and pairs who play together (λ2). */
export interface PartyRates {
  readonly solos: number;
  readonly pairs: number;
}

/**
 * - `fifo`: the first two solos join the pair, by their order of arrival;
 * - `packing`: any two waiting solos are packed into a pair at once, and pairs meet in order;
 * - `lifo`: the last two solos join the pair.
 */
export type ServiceOrder = 'fifo' | 'packing' | 'lifo';

/** λ_total: players per time unit. */
export function totalRate({ solos, pairs }: PartyRates): number {
  return solos + 2 * pairs;
}

/** Waits in a queue where any k players make a game at once (section II-B). */
export function simulateSingleQueue(
  gameSize: number,
  rate: number,
  players: number,
  center: number,
  random: RandomSource,
): WaitingTimes {
  const waits = new WaitingTimes(players, center);
  let waiting: number[] = [];
  let now = 0;
  for (let count = 0; count < players; count++) {
    now += random.exponential(rate);
    waiting.push(now);
    if (waiting.length < gameSize) continue;
    for (const since of waiting) waits.add(now - since);
    waiting = [];
  }
  return waits;
}

/**
 * Waits in the central queue of a 2v2 game (section III-B): a game starts as soon as four players wait;
 * pairs stay together.
 *
 * @param center of the variance, see `WaitingTimes`
 */
export function simulateCentralQueue(
  rates: PartyRates,
  order: ServiceOrder,
  players: number,
  center: number,
  random: RandomSource,
): WaitingTimes {
  const waits = new WaitingTimes(partiesOf(rates, players), center);
  const queue = order === 'packing' ? new PackingQueue(waits) : new OrderedQueue(waits, order);
  for (const { isPair, now } of partyArrivals(rates, players, random)) {
    if (isPair) queue.addPair(now);
    else queue.addSolo(now);
  }
  return waits;
}

/** Waits of solos, of pairs and of all players. */
export interface PartyWaits {
  readonly solos: WaitingTimes;
  readonly pairs: WaitingTimes;
  readonly all: WaitingTimes;
}

/** Waits when solos and pairs have separate queues (section III-A). */
export function simulateTwoQueues(
  rates: PartyRates,
  players: number,
  center: number,
  random: RandomSource,
): PartyWaits {
  const parties = partiesOf(rates, players);
  const soloShare = rates.solos / (rates.solos + rates.pairs);
  const waits: PartyWaits = {
    solos: new WaitingTimes(parties * soloShare),
    pairs: new WaitingTimes(parties * (1 - soloShare)),
    all: new WaitingTimes(parties, center),
  };
  const add = (kind: 'solos' | 'pairs', wait: number) => {
    waits[kind].add(wait, kind === 'pairs' ? 2 : 1);
    waits.all.add(wait, kind === 'pairs' ? 2 : 1);
  };
  let solos: number[] = [];
  let pair: number | undefined;
  for (const { isPair, now } of partyArrivals(rates, players, random)) {
    if (!isPair) {
      solos.push(now);
      if (solos.length < 4) continue;
      for (const since of solos) add('solos', now - since);
      solos = [];
    } else if (pair === undefined) {
      pair = now;
    } else {
      add('pairs', now - pair);
      add('pairs', 0);
      pair = undefined;
    }
  }
  return waits;
}

/** The average number of players in this many parties. */
function partiesOf(rates: PartyRates, players: number): number {
  return Math.round((players * (rates.solos + rates.pairs)) / totalRate(rates));
}

/** Parties in order of arrival. */
function* partyArrivals(
  rates: PartyRates,
  players: number,
  random: RandomSource,
): Generator<{ isPair: boolean; now: number }, void> {
  const perSecond = rates.solos + rates.pairs;
  let now = 0;
  for (let party = partiesOf(rates, players); party > 0; party--) {
    now += random.exponential(perSecond);
    yield { isPair: random.uniform() * perSecond >= rates.solos, now };
  }
}

/** FIFO and LIFO as in the paper: which solos join a pair is decided when the pair arrives. */
class OrderedQueue {
  readonly #waits: WaitingTimes;
  readonly #lastFirst: boolean;
  #solos: number[] = [];
  #pairs: number[] = [];

  constructor(waits: WaitingTimes, order: 'fifo' | 'lifo') {
    this.#waits = waits;
    this.#lastFirst = order === 'lifo';
  }

  addSolo(now: number): void {
    this.#solos.push(now);
    this.#match(now);
  }

  addPair(now: number): void {
    this.#pairs.push(now);
    this.#match(now);
  }

  #match(now: number): void {
    if (this.#solos.length + 2 * this.#pairs.length < 4) return;
    const pairs = this.#pairs.splice(0, 2);
    const places = 4 - 2 * pairs.length;
    const solos = this.#solos.splice(this.#lastFirst ? this.#solos.length - places : 0, places);
    for (const since of pairs) this.#waits.add(now - since, 2);
    for (const since of solos) this.#waits.add(now - since);
  }
}

/** A queue of pairs, real or packed of two solos; at most one solo and one pair wait. */
class PackingQueue {
  readonly #waits: WaitingTimes;
  #solo: number | undefined;
  /** The arrival times of the players of the waiting pair: one for a real pair, two for a packed one. */
  #pair: readonly number[] | undefined;

  constructor(waits: WaitingTimes) {
    this.#waits = waits;
  }

  addSolo(now: number): void {
    if (this.#solo === undefined) {
      this.#solo = now;
      return;
    }
    const packed = [this.#solo, now];
    this.#solo = undefined;
    this.#meet(packed, now);
  }

  addPair(now: number): void {
    this.#meet([now], now);
  }

  #meet(pair: readonly number[], now: number): void {
    if (this.#pair === undefined) {
      this.#pair = pair;
      return;
    }
    for (const members of [this.#pair, pair]) {
      for (const since of members) this.#waits.add(now - since, members.length === 1 ? 2 : 1);
    }
    this.#pair = undefined;
  }
}
