import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { Game, Ticket } from '../engine/types.ts';
import type { Filling } from '../policies/plan.ts';
import type { Arrival } from './arrivals.ts';
import type { Measures, Meter } from './measures.ts';
import type { Observer, Unmatched } from './observer.ts';
import { meterFor, type PlayResult, playTogether } from './play.ts';
import { type Population, partyIn } from './population.ts';
import { drawIndex, seededRandom } from './random.ts';
import type { Progress } from './simulate.ts';
import type { Traffic } from './traffic.ts';

/** The queues of a group, and who waits in several of them. */
export interface SeveralQueues {
  readonly definitions: readonly QueueDefinition[];
  /** The players as they are in each queue. */
  readonly populations: readonly Population[];
  /** Weights of the queues that tickets are posted to. */
  readonly weights: readonly number[];
  /** The share of linked tickets in [0, 1]: those that wait in all queues. */
  readonly share: number;
  readonly seed: number;
}

export interface SeveralResults {
  /** In the order of the definitions. */
  readonly queues: readonly PlayResult[];
  /** Of the linked tickets, in all of their queues together. */
  readonly linked: Measures;
}

/**
 * Plays queues of a group at the same time. A generator that yields after each tick; `result()` may be read at any time.
 *
 * @param traffic the tickets of all queues, as they are in the first
 * @param together false, to compare: linked tickets wait only in the queue that they are posted to
 */
export function playSeveral(
  several: SeveralQueues,
  traffic: Traffic,
  together: boolean,
): { steps: Generator<Progress, void>; result: () => SeveralResults } {
  const linked = new LinkedTickets(meterFor(traffic));
  const arrivals = { [Symbol.iterator]: () => spread(several, traffic.arrivals, together, linked) };
  const { steps, results } = playTogether(several.definitions, { ...traffic, arrivals }, [linked]);
  return { steps, result: () => ({ queues: results(), linked: linked.meter.read() }) };
}

/** The arrivals, with the queues of each. What is drawn for a ticket does not depend on `together`. */
function* spread(
  { populations, weights, share, seed }: SeveralQueues,
  arrivals: Iterable<Arrival>,
  together: boolean,
  linked: LinkedTickets,
): Generator<Arrival, void> {
  const random = seededRandom(seed).fork('queues');
  for (const arrival of arrivals) {
    const { ticket } = arrival;
    const postedTo = drawIndex(weights, random);
    const isLinked = random.uniform() < share;
    if (isLinked) linked.arrived(ticket, together ? populations.length : 1);
    yield {
      ...arrival,
      inQueues: populations.map((population, at) => {
        if (at !== postedTo && !(isLinked && together)) return undefined;
        if (at === 0) return ticket;
        const own = random.fork(`${at} ${ticket.ticketId}`);
        return { ...ticket, players: partyIn(population, ticket.players, own) };
      }),
    };
  }
}

/** Measures linked tickets. It observes all of their queues, and counts each ticket once. */
class LinkedTickets implements Observer {
  readonly meter: Meter;
  /** Those that wait, in the order of arrival, with the number of their queues. */
  readonly #waiting = new Map<string, { readonly ticket: Ticket; queues: number }>();

  constructor(meter: Meter) {
    this.meter = meter;
  }

  arrived(ticket: Ticket, queues: number): void {
    this.#waiting.set(ticket.ticketId, { ticket, queues });
  }

  matched(game: Game, tickets: readonly Ticket[], nowMs: number): void {
    const linked = this.#taken(tickets);
    if (linked.length > 0) this.meter.matched(game, linked, nowMs);
  }

  joined(filling: Filling, tickets: readonly Ticket[], nowMs: number): void {
    this.meter.joined(filling, this.#taken(tickets), nowMs);
  }

  left(ticket: Ticket, why: Unmatched, atMs: number): void {
    const waiting = this.#waiting.get(ticket.ticketId);
    if (waiting === undefined || (why === 'timedOut' && --waiting.queues > 0)) return;
    this.#waiting.delete(ticket.ticketId);
    this.meter.left(ticket, why, atMs);
  }

  ticked(nowMs: number): void {
    const waiting = [...this.#waiting.values()].map(({ ticket }) => ticket);
    this.meter.ticked(
      nowMs,
      waiting.filter(({ enqueuedAtMs }) => enqueuedAtMs <= nowMs),
    );
  }

  #taken(tickets: readonly Ticket[]): Ticket[] {
    return tickets.filter(({ ticketId }) => this.#waiting.delete(ticketId));
  }
}
