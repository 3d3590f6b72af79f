import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Why } from '../../contract/reason-code.ts';
import { PLAYER_LEFT } from '../commits/vanished-tickets.ts';
import { inParallelWhile } from '../concurrency/in-parallel.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { Clock } from '../ports/clock.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { Pace } from './pace.ts';

/** The maximum of tickets that are ended concurrently. */
const ENDS_AT_ONCE = 8;

/** A ticket that ends without a match. */
export interface EndingTicket {
  readonly ticketId: string;
  readonly status: 'CANCELLED' | 'TIMED_OUT';
  readonly why: Why;
}

/** A ticket that this version cannot parse. It can be neither matched nor timed out, so it would wait forever. */
export const unreadableTicket = (ticketId: string): EndingTicket => ({
  ticketId,
  status: 'CANCELLED',
  why: { reason: 'the stored ticket cannot be parsed', reasonCode: 'UNREADABLE' },
});

export const misfitTicket = ({ ticketId, queue, linked }: StoredTicket, misfit: string): EndingTicket => ({
  ticketId,
  status: 'CANCELLED',
  why: {
    reason: `${linked === undefined ? 'the queue' : `queue ${queue}`} was changed and the ticket no longer fits it (${misfit})`,
    reasonCode: 'NO_LONGER_FITS',
  },
});

/** A ticket with a player who has left. */
export const vanishedTicket = (ticketId: string): EndingTicket => ({
  ticketId,
  status: 'CANCELLED',
  why: PLAYER_LEFT,
});

export const lateTicket = (ticketId: string, { timeoutSeconds }: QueueDefinition): EndingTicket => ({
  ticketId,
  status: 'TIMED_OUT',
  why: { reason: `no match within ${timeoutSeconds} s`, reasonCode: 'NO_MATCH_IN_TIME' },
});

interface EndDeps {
  readonly tickets: Pick<TicketStore, 'end' | 'removeEntry'>;
  readonly clock: Clock;
}

type Entries = ReadonlyMap<string, StoredTicket>;

/** Ends the tickets of one tick at a limited rate. Commits have a separate limit, so neither delays the other. */
export class TicketEnds {
  readonly #tickets: EndDeps['tickets'];
  readonly #entries: Entries;
  readonly #pace: Pace;
  readonly #nowMs: number;

  /**
   * @param entries the tickets that were read from entries
   * @param nowMs the time at which the tickets end
   */
  constructor(deps: EndDeps, perSecond: number, entries: Entries, nowMs: number) {
    this.#tickets = deps.tickets;
    this.#entries = entries;
    this.#pace = new Pace(deps.clock, perSecond);
    this.#nowMs = nowMs;
  }

  /**
   * Ends tickets that are still QUEUED. A ticket past the time-out of a further queue leaves only that queue. Returns the number
   * of time-outs, and the tickets that remain because the time was up.
   */
  async end(
    ending: readonly EndingTicket[],
    untilMs: number,
  ): Promise<{ readonly timedOut: number; readonly left: readonly EndingTicket[] }> {
    const ends = await inParallelWhile(
      ending,
      ENDS_AT_ONCE,
      () => this.#pace.admits(1, untilMs),
      async ({ ticketId, status, why }) => {
        const entry = status === 'TIMED_OUT' ? this.#entries.get(ticketId) : undefined;
        if (entry !== undefined) {
          await this.#tickets.removeEntry(entry);
          return false;
        }
        try {
          const result = await this.#tickets.end(ticketId, status, why, this.#nowMs);
          return result?.ended === true && status === 'TIMED_OUT';
        } catch (error) {
          // The ticket has ended, but the store could not return it.
          if (!(error instanceof Unreadable)) throw error;
          return false;
        }
      },
    );
    return { timedOut: ends.filter(Boolean).length, left: ending.slice(ends.length) };
  }
}
