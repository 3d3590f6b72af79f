import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { KeptSearches } from '../../policies/kept-searches.ts';
import type { KeyRange } from '../domain/buckets.ts';

/** As many as the tickets that a function keeps parsed: about 60 MB, of the 1,769 MB of the function. */
const TICKETS_MAX = 40_000;

/** The maximum of ranges, of which some may hold no tickets. */
const RANGES_MAX = 64;

/**
 * The searches that a warm function has kept from its last ticks, of each range of a queue.
 *
 * A tick **takes** the searches of its range out and **returns** them when its plan has ended:
 *
 *     take       nothing is kept for the range now. A crash after it, a plan that ends in the middle or a second tick of the
 *                range in the same function finds nothing, and begins as a cold function does
 *     plan       whatever the last tick planned, its searches hold the tickets that this one has read: see `KeptSearches`.
 *                A game that lost its race is nowhere in them; its tickets wait or do not, as the store says
 *     return     after all commits. A crash before it loses what is kept, and nothing else
 *
 * What is kept belongs to the text of the queue's definition. A change discards it, and so does a change back.
 */
export class WarmSearches {
  readonly #ticketsMax: number;
  /** By queue and range, the one returned last at the end. */
  readonly #ranges = new Map<string, Kept>();
  #tickets = 0;

  /** @param ticketsMax the maximum of tickets in all ranges. A range of more is not kept */
  constructor(ticketsMax = TICKETS_MAX) {
    this.#ticketsMax = ticketsMax;
  }

  /** The number of tickets in the searches that are kept. */
  get tickets(): number {
    return this.#tickets;
  }

  /** Takes out the searches of a range, empty ones if none are kept. */
  take(definition: QueueDefinition, range: KeyRange): TakenSearches {
    const name = JSON.stringify([definition.name, range.from, range.to]);
    const text = JSON.stringify(definition);
    const kept = this.#remove(name);
    return { name, text, searches: kept?.text === text ? kept.searches : new KeptSearches() };
  }

  /** Keeps searches for the next tick of their range. The ranges that were searched longest ago make room for them. */
  return({ name, text, searches }: TakenSearches): void {
    this.#remove(name);
    const { size } = searches;
    this.#ranges.set(name, { text, searches, size });
    this.#tickets += size;
    for (const oldest of this.#ranges.keys()) {
      if (this.#tickets <= this.#ticketsMax && this.#ranges.size <= RANGES_MAX) break;
      this.#remove(oldest);
    }
  }

  #remove(name: string): Kept | undefined {
    const kept = this.#ranges.get(name);
    if (kept === undefined) return undefined;
    this.#ranges.delete(name);
    this.#tickets -= kept.size;
    return kept;
  }
}

/** The searches of a range while a tick uses them. */
export interface TakenSearches {
  readonly searches: KeptSearches;
  /** The range, and the definition that the searches are for. */
  readonly name: string;
  readonly text: string;
}

interface Kept {
  readonly text: string;
  readonly searches: KeptSearches;
  /** Its tickets. */
  readonly size: number;
}
