import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { KeptSearches } from '../../policies/kept-searches.ts';
import type { KeyRange } from '../domain/buckets.ts';

/** The number of tickets that a function also keeps parsed. They take about 60 MB, of the 1,769 MB of the function. */
const TICKETS_MAX = 40_000;

/**
 * The work of preparing them, in the units of `Preparation`: that of two ticks at the limit of a tick (`prepareWork`). It bounds the
 * memory where tickets have many values or avoid many players.
 */
const WORK_MAX = 6_000_000;

/** The maximum of ranges, of which some may hold no tickets. */
const RANGES_MAX = 64;

/**
 * The searches that a warm function has kept from its last ticks, of each range of a queue.
 *
 * A tick **takes** the searches of its range out and **returns** them when its plan has ended:
 *
 *     take       nothing is kept for the range now. A crash after it, a plan that ends in the middle or a second tick of the
 *                range in the same function finds nothing, and begins as a cold function does
 *     plan       the searches are brought up to date with the tickets that this tick has read: see `KeptSearches`. A game of the
 *                last tick that lost its race leaves nothing in them
 *     return     after all commits. A crash before it loses what is kept, and nothing else
 *
 * What is kept belongs to the text of the queue's definition. A change discards it, and so does a change back.
 */
export class WarmSearches {
  readonly #ticketsMax: number;
  readonly #workMax: number;
  /** By queue and range, the one returned last at the end. */
  readonly #ranges = new Map<string, Kept>();
  #tickets = 0;
  #work = 0;

  /**
   * A range that exceeds a limit alone is not kept.
   * @param ticketsMax the maximum of tickets in all ranges
   * @param workMax the maximum of work of all ranges
   */
  constructor(ticketsMax = TICKETS_MAX, workMax = WORK_MAX) {
    this.#ticketsMax = ticketsMax;
    this.#workMax = workMax;
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

  /**
   * Keeps searches for the next tick of their range. The ranges that were searched longest ago make room for them.
   * @param work of preparing their tickets, in the units of `Preparation`
   */
  return({ name, text, searches }: TakenSearches, work: number): void {
    this.#remove(name);
    const { size } = searches;
    this.#ranges.set(name, { text, searches, size, work });
    this.#tickets += size;
    this.#work += work;
    for (const oldest of this.#ranges.keys()) {
      if (this.#isWithinLimits) break;
      this.#remove(oldest);
    }
  }

  get #isWithinLimits(): boolean {
    return (
      this.#tickets <= this.#ticketsMax && this.#work <= this.#workMax && this.#ranges.size <= RANGES_MAX
    );
  }

  #remove(name: string): Kept | undefined {
    const kept = this.#ranges.get(name);
    if (kept === undefined) return undefined;
    this.#ranges.delete(name);
    this.#tickets -= kept.size;
    this.#work -= kept.work;
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
  /** Its tickets, and the work of preparing them. */
  readonly size: number;
  readonly work: number;
}
