import type { Ticket } from './api-types.ts';
import type { Backoff } from './backoff.ts';
import { MusterProblem, MusterUnreachable, TicketEnded, UnexpectedResponse, WaitEnded } from './errors.ts';
import type { RequestOptions, Sender } from './requests.ts';
import { to } from './route-to.ts';

export interface WaitOptions extends RequestOptions {
  /**
   * The statuses to wait for.
   * @default ['COMPLETED']: the players can play
   */
  readonly until?: readonly Ticket['status'][] | undefined;
  /**
   * Called with the ticket at its first read, and whenever its status or its match has changed. The wait continues when the
   * promise that it returns is fulfilled; so accept the match here while the ticket REQUIRES_ACCEPTANCE.
   */
  readonly onChange?: ((ticket: Ticket) => unknown) | undefined;
  /**
   * How long polls may fail in a row, in milliseconds. A deployment or a dropped connection takes less.
   * @default 600_000, ten minutes
   */
  readonly failingMs?: number | undefined;
  /**
   * The time limit of the whole wait, in milliseconds. The service ends every ticket at the time-out of its queue, so a wait ends
   * by itself after that time and the times for acceptance and placement. Set it to their sum to end even when the queue's ticks
   * are stopped.
   * @default 100_800_000, 28 hours: the longest time-out that a queue may have, and three matches that are not placed in time
   */
  readonly limitMs?: number | undefined;
}

const FAILING_MS = 10 * 60_000;
const LIMIT_MS = 28 * 3_600_000;

/** The time that the service holds a long poll, in seconds; the maximum. */
const POLL_SECONDS = 20;
/** The delays after polls that return immediately or fail. */
const BACKOFF: Backoff = { firstMs: 500, maxMs: 10_000 };
/** A poll that took at least this long has waited. */
const WAITED_MS = 1_000;

/**
 * Waits until a ticket has one of the statuses, by long polls. A poll that fails temporarily is repeated with growing delays, so
 * a wait survives a dropped connection and a restart of the service.
 * @throws TicketEnded when the ticket ends with another status
 * @throws MusterProblem when the service rejects the poll, because the ticket does not exist or the caller may not read it
 * @throws WaitEnded when the ticket has not ended after `limitMs`
 * @throws the error of the last poll when all have failed for `failingMs`
 */
export async function waitForMatch(
  sender: Sender,
  ticketId: string,
  { until = ['COMPLETED'], onChange, ...options }: WaitOptions = {},
): Promise<Ticket> {
  let last: Ticket | undefined;
  for await (const ticket of pollsOf(sender, ticketId, options)) {
    // More players are ready. A match that `onChange` has accepted need not be accepted again.
    if (last && isSame(last, ticket)) continue;
    last = ticket;
    await onChange?.(ticket);
    if (until.includes(ticket.status)) return ticket;
    if (isFinal(ticket.status)) throw new TicketEnded(ticket);
  }
  throw new Error('Expected a final status of the ticket');
}

/** The limits of a sequence of polls. */
export interface PollOptions extends Pick<WaitOptions, 'signal' | 'failingMs' | 'limitMs'> {
  /** The state that the caller has seen already. */
  readonly last?: Ticket | undefined;
}

/** The states of a ticket by long polls, each once. The next poll starts when the caller requests the next state. */
export async function* pollsOf(
  sender: Sender,
  ticketId: string,
  { last, signal, failingMs = FAILING_MS, limitMs = LIMIT_MS }: PollOptions,
): AsyncGenerator<Ticket> {
  let seen = last;
  let idle = 0;
  const sinceMs = Date.now();
  let answeredMs = sinceMs;
  for (;;) {
    const startMs = Date.now();
    const poll = await read(sender, ticketId, seen, signal);
    const nowMs = Date.now();
    if ('error' in poll && nowMs - answeredMs >= failingMs) throw poll.error;
    const ticket = 'error' in poll ? undefined : poll.ticket;
    if (ticket !== undefined) answeredMs = nowMs;
    const isChanged = ticket && !(seen && isSame(seen, ticket) && readyIn(seen) === readyIn(ticket));
    if (isChanged) {
      seen = ticket;
      yield ticket;
    }
    if (nowMs - sinceMs >= limitMs) throw new WaitEnded(ticketId, seen?.status, limitMs);
    idle = isChanged || (ticket !== undefined && nowMs - startMs >= WAITED_MS) ? 0 : idle + 1;
    if (idle > 0) await sender.pause(BACKOFF, idle, signal);
  }
}

type Poll = { readonly ticket: Ticket } | { readonly error: Error };

/** Reads the ticket, immediately or when it differs from the last read. Returns the error of a temporary failure. */
async function read(
  sender: Sender,
  ticketId: string,
  last: Ticket | undefined,
  signal: AbortSignal | undefined,
): Promise<Poll> {
  try {
    const query = last && { waitSeconds: POLL_SECONDS, seen: last.status, ready: readyIn(last) };
    const extraMs = last === undefined ? 0 : POLL_SECONDS * 1_000;
    const route = to('GET /tickets/{ticketId}', { ticketId }, query);
    return { ticket: (await sender.send<Ticket>({ ...route, signal, extraMs })).body };
  } catch (error) {
    if (!mayPass(error) || signal?.aborted) throw error;
    return { error };
  }
}

const isSame = (one: Ticket, other: Ticket) => one.status === other.status && one.matchId === other.matchId;
/** The number of ready players of its match. */
export const readyIn = ({ acceptance }: Ticket) => acceptance?.ready;

function mayPass(error: unknown): error is Error {
  return (
    error instanceof MusterUnreachable ||
    (error instanceof UnexpectedResponse && (error.status < 300 || error.status >= 500)) ||
    (error instanceof MusterProblem && (error.status === 429 || error.status >= 500))
  );
}

/** Whether a ticket with this status never changes again. */
export function isFinal(status: Ticket['status']): boolean {
  return ['COMPLETED', 'CANCELLED', 'TIMED_OUT', 'FAILED'].includes(status);
}
