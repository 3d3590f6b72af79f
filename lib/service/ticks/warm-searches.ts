import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { KeptSearches } from '../../policies/kept-searches.ts';
import type { KeyRange } from '../domain/buckets.ts';

/** The maximum of tickets in the cached searches, which also keep them parsed. They take about 60 MB of the function's 1,769 MB. */
const TICKETS_MAX = 40_000;

/**
 * The maximum work of preparing the tickets, in the units of `Preparation`: that of two full ticks (`prepareWork`). It limits the
 * memory where tickets have many values or avoid many players.
 */
const WORK_MAX = 6_000_000;

/** The maximum of ranges, some of which may have no tickets. */
const RANGES_MAX = 64;

/**
 * Caches the searches of a warm function, for each range of a queue.
 *
 * A tick **takes** the searches of its range out and **returns** them when its plan has ended:
 *
 *     take     nothing is cached for the range now. After a crash or an unfinished plan, and in a concurrent tick of the range,
 *              the search starts cold
 *     plan     the searches are updated with the tickets that this tick has read: see `KeptSearches`. A game of the last tick
 *              that lost its race leaves nothing in them
 *     return   after all commits. A crash before it loses only the cache
 *
 * The cache is valid for the text of the queue's definition. Every change of the text discards it.
 */
export class WarmSearches {
  readonly #ticketsMax: number;
  readonly #workMax: number;
  /** By queue and range; the one returned last is at the end. */
  readonly #ranges = new Map<string, Kept>();
  #tickets = 0;
  #work = 0;

  /**
   * A range that exceeds a limit by itself is not cached.
   * @param ticketsMax the maximum of tickets in all ranges
   * @param workMax the maximum of work of all ranges
   */
  constructor(ticketsMax = TICKETS_MAX, workMax = WORK_MAX) {
    this.#ticketsMax = ticketsMax;
    this.#workMax = workMax;
  }

  /** The number of tickets in the cached searches. */
  get tickets(): number {
    return this.#tickets;
  }

  /** Takes out the searches of a range; empty ones if none are cached. */
  take(definition: QueueDefinition, range: KeyRange): TakenSearches {
    const name = JSON.stringify([definition.name, range.from, range.to]);
    const text = JSON.stringify(definition);
    const kept = this.#remove(name);
    return { name, text, searches: kept?.text === text ? kept.searches : new KeptSearches() };
  }

  /**
   * Keeps searches for the next tick of their range. If there is no room, the ranges searched longest ago are dropped.
   * @param work the work of preparing the tickets, in the units of `Preparation`
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
