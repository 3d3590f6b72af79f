import { isFreeForAll, shapeOf, skillSpreadOfRelative, sortedBy } from '../../engine/game-pool.ts';
import type { Ticket } from '../../engine/types.ts';
import { meanSkill, type PoolFacts } from '../policy.ts';
import type { LimitTerms } from './limits.ts';

/** Neighbours in the order of skill that may be released as a game. */
export interface Start {
  /** The position of the first of them in the line. */
  readonly at: number;
  /** Their limit − a lower bound on their imbalance: 0 or more, infinite at a last chance. */
  readonly margin: number;
  /** The lower bound on their imbalance. */
  readonly least: number;
}

/** Waiting solo players in the order of skill, and the games of neighbours that may be released. */
export class SoloLine {
  readonly #facts: PoolFacts;
  readonly #seats: number;
  readonly #isFreeForAll: boolean;
  /** By position: the tickets left at the last `close`, and what the limits of their games consist of. */
  #tickets: readonly Ticket[];
  #skills: Float64Array;
  #thresholds: Float64Array;
  #urgencies: Float64Array;
  #isRemoved: Uint8Array;
  /** Whether a ticket has become a neighbour of the one before it at the last `close`. */
  #isNew: Uint8Array;
  /** The skills of a window relative to its first. */
  readonly #values: Float64Array;

  /** @param tickets ascending by skill */
  constructor(tickets: readonly Ticket[], facts: PoolFacts, termsOf: (ticket: Ticket) => LimitTerms) {
    const count = tickets.length;
    this.#facts = facts;
    this.#seats = shapeOf(facts.rules).seats;
    this.#isFreeForAll = isFreeForAll(facts.rules);
    this.#tickets = tickets;
    this.#skills = Float64Array.from(tickets, meanSkill);
    this.#thresholds = new Float64Array(count);
    this.#urgencies = new Float64Array(count);
    this.#isRemoved = new Uint8Array(count);
    this.#isNew = new Uint8Array(count).fill(1);
    this.#values = new Float64Array(this.#seats);
    for (let at = 0; at < count; at++) {
      const { threshold, urgency } = termsOf(tickets[at]);
      this.#thresholds[at] = threshold;
      this.#urgencies[at] = urgency;
    }
  }

  /** The tickets of a start, undefined when one of them has been removed. */
  window({ at }: Start): Ticket[] | undefined {
    const window: Ticket[] = [];
    for (let i = at; i < at + this.#seats; i++) {
      if (this.#isRemoved[i] === 1) return undefined;
      window.push(this.#tickets[i]);
    }
    return window;
  }

  /** Removes the tickets of a start. */
  removeWindow({ at }: Start): void {
    this.#isRemoved.fill(1, at, at + this.#seats);
  }

  /** Removes the tickets that do not wait any more. Cost: linear. */
  removeUnless(isWaiting: (ticket: Ticket) => boolean): void {
    this.#tickets.forEach((ticket, at) => {
      if (!isWaiting(ticket)) this.#isRemoved[at] = 1;
    });
  }

  /** Closes the gaps that removed tickets have left. */
  close(): void {
    const isLeft = (_: unknown, at: number) => this.#isRemoved[at] === 0;
    this.#isNew = this.#isNew.map((_, at) => (at > 0 ? this.#isRemoved[at - 1] : 0)).filter(isLeft);
    this.#tickets = this.#tickets.filter(isLeft);
    this.#skills = this.#skills.filter(isLeft);
    this.#thresholds = this.#thresholds.filter(isLeft);
    this.#urgencies = this.#urgencies.filter(isLeft);
    this.#isRemoved = new Uint8Array(this.#tickets.length);
  }

  /**
   * All neighbours that may be released as a game, and were not neighbours before the last `close`: descending by margin.
   * At a last chance margins are infinite, so the most uniform game goes first.
   */
  starts(): Start[] {
    const seats = this.#seats;
    const urgent: Start[] = [];
    const others: Start[] = [];
    let newest = 0;
    for (let at = 0, next = 0; at + seats <= this.#tickets.length; at++) {
      for (; next < at + seats; next++) if (this.#isNew[next] === 1) newest = next;
      if (newest <= at) continue;
      let threshold = 0;
      let urgency = 0;
      for (let i = at; i < at + seats; i++) {
        threshold += this.#thresholds[i];
        if (this.#urgencies[i] > urgency) urgency = this.#urgencies[i];
      }
      const limit = (threshold / seats) * (1 + urgency);
      const least = this.#least(at);
      if (urgency === Number.POSITIVE_INFINITY) urgent.push({ at, margin: urgency, least });
      else if (least <= limit) others.push({ at, margin: limit - least, least });
    }
    const byLeast = (a: Start, b: Start) => a.least - b.least || a.at - b.at;
    const margins = Float64Array.from(others, ({ margin }) => -margin);
    return [...urgent.sort(byLeast), ...sortedBy(others, (_, at) => margins[at], byLeast)];
  }

  /** A lower bound on the imbalance of a window. With one player per team, the gap between the teams is known too. */
  #least(at: number): number {
    const values = this.#values;
    const skills = this.#skills;
    for (let i = 0; i < values.length; i++) values[i] = skills[at + i] - skills[at];
    const { rules } = this.#facts;
    const gap = this.#isFreeForAll ? rules.alpha * values[values.length - 1] : 0;
    return gap + skillSpreadOfRelative(values, rules.q);
  }
}
