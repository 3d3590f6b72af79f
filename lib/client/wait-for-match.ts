import type { Ticket } from './api-types.ts';
import type { Backoff } from './backoff.ts';
import { MusterProblem, MusterUnreachable, TicketEnded, UnexpectedResponse } from './errors.ts';
import type { RequestOptions, Sender } from './requests.ts';
import { to } from './route-to.ts';

export interface WaitOptions extends RequestOptions {
  /**
   * The statuses to wait for.
   * @default ['COMPLETED'], the players can play
   */
  readonly until?: readonly Ticket['status'][] | undefined;
  /**
   * Called with the ticket at its first read, and whenever its status or its match has changed. The wait continues when the
   * promise that it returns is fulfilled; so accept the match here while the ticket REQUIRES_ACCEPTANCE.
   */
  readonly onChange?: ((ticket: Ticket) => unknown) | undefined;
}

/** The time that the service holds a long poll, in seconds; the maximum. */
const POLL_SECONDS = 20;
/** The delays between polls that the service answers at once, or not at all. */
const BACKOFF: Backoff = { firstMs: 500, maxMs: 10_000 };
/** A poll that took this long has waited. */
const WAITED_MS = 1_000;

/**
 * Waits until a ticket has one of the statuses, by long polls. A poll that fails for a reason that may pass is repeated with
 * growing delays, for as long as it takes: so a wait survives a dropped connection, and a service that restarts. Only the
 * signal ends it.
 * @throws TicketEnded when the ticket ends with another status
 * @throws MusterProblem when the service rejects the poll, because the ticket does not exist or the caller may not read it
 */
export async function waitForMatch(
  sender: Sender,
  ticketId: string,
  { until = ['COMPLETED'], onChange, signal }: WaitOptions = {},
): Promise<Ticket> {
  let last: Ticket | undefined;
  let idle = 0;
  for (;;) {
    const startMs = Date.now();
    const ticket = await read(sender, ticketId, last, signal);
    const isChanged =
      ticket !== undefined && (ticket.status !== last?.status || ticket.matchId !== last.matchId);
    if (isChanged) {
      last = ticket;
      await onChange?.(ticket);
      if (until.includes(ticket.status)) return ticket;
      if (isFinal(ticket.status)) throw new TicketEnded(ticket);
    }
    // A party that has not accepted its match gets a response at once.
    idle = isChanged || (ticket !== undefined && Date.now() - startMs >= WAITED_MS) ? 0 : idle + 1;
    if (idle > 0) await sender.pause(BACKOFF, idle, signal);
  }
}

/**
 * Reads the ticket, at once or when it is no longer as it was at the last read. Returns undefined after a failure that may pass.
 */
async function read(
  sender: Sender,
  ticketId: string,
  last: Ticket | undefined,
  signal: AbortSignal | undefined,
): Promise<Ticket | undefined> {
  try {
    const query = last && { waitSeconds: POLL_SECONDS, seen: last.status };
    const extraMs = last === undefined ? 0 : POLL_SECONDS * 1_000;
    const route = to('GET /tickets/{ticketId}', { ticketId }, query);
    return (await sender.send<Ticket>({ ...route, signal, extraMs })).body;
  } catch (error) {
    const mayPass =
      error instanceof MusterUnreachable ||
      (error instanceof UnexpectedResponse && error.status < 300) ||
      (error instanceof UnexpectedResponse && error.status >= 500) ||
      (error instanceof MusterProblem && (error.status === 429 || error.status >= 500));
    if (!mayPass || signal?.aborted) throw error;
    return undefined;
  }
}

/** Whether a ticket with this status never changes again. */
export function isFinal(status: Ticket['status']): boolean {
  return ['COMPLETED', 'CANCELLED', 'TIMED_OUT', 'FAILED'].includes(status);
}
