import type { MusterEvent } from '../../contract/events.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import type { PushRetry } from '../domain/push-retry.ts';
import { SEEN_IN_MATCH } from '../domain/statuses.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { Unreadable } from '../domain/unreadable.ts';
import { type Change, toEvent } from '../events/publish.ts';
import { subjectOf } from '../events/trace.ts';
import type { PushRetries } from '../ports/push-retries.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { TicketAndMatch } from '../tickets/ticket-status.ts';
import { eventText } from './messages.ts';
import type { PushAgainDeps } from './push-again.ts';
import { sendTo } from './send.ts';
import { stateOf } from './show-ticket.ts';

export interface PushDeps extends PushAgainDeps {
  readonly retries: PushRetries;
}

/** Matches and tickets whose changes are sent at the same time. */
const SUBJECTS_AT_ONCE = 16;
/** Tickets of a match whose players get a message at the same time. */
const TICKETS_AT_ONCE = 16;
/**
 * For how long the changes of a batch are sent: some thousand messages. The next batch of the shard waits for this one. If API
 * Gateway does not respond, a command takes some 3 s, and the next batch must not wait for many of them.
 */
const PUSH_MS = 4_000;

/**
 * Sends changes to the players who watch their tickets. A queue without watchers costs only the read of its record, which says so and
 * is kept for a second. Returns how many tickets are left to the retries.
 *
 *     look for connections   one read for each ticket of the change. A connection that is added later finds the change itself
 *     read the ticket        and its match. When they are not as the change left them, a later change follows in the same
 *                            stream and says more; so a change that the stream delivers again is not sent after a later one
 *     send                   to each connection. A crash before it: the stream delivers the change again. After it: the same,
 *                            so the last message may be repeated, with the same eventId
 *     leave to the retries   tickets whose players could not be reached, or for which the time is up, or the store too busy: see
 *                            push-again.ts. So no batch waits for connections that fail
 *
 * Changes of one match are sent in their order, because its stream has them in order.
 */
export async function push(deps: PushDeps, changes: readonly Change[]): Promise<number> {
  const untilMs = deps.clock.now() + PUSH_MS;
  const left = await inParallel(await bySubject(deps, changes), SUBJECTS_AT_ONCE, async (group) => {
    const retries: PushRetry[] = [];
    for (const change of group) {
      const ticketIds = await pushEvent(deps, change, untilMs);
      const sinceMs = deps.clock.now();
      if (ticketIds.length > 0) retries.push({ queue: change.event.queue, ticketIds, sinceMs });
    }
    return retries;
  });
  const retries = left.flat();
  if (retries.length > 0) await deps.retries.send(retries);
  return retries.reduce((sum, { ticketIds }) => sum + ticketIds.length, 0);
}

/** A change that is an event, and the match as it left it. */
interface AnnouncedChange {
  readonly event: MusterEvent;
  /** Undefined when it is a change of a ticket. */
  readonly match: StoredMatch | undefined;
}

/**
 * The events of queues that are watched, grouped by ticket or match. Queues take turns, so that a queue with many watchers does not
 * use up the time of the others.
 */
async function bySubject(deps: PushDeps, changes: readonly Change[]): Promise<AnnouncedChange[][]> {
  const watched = new Map<string, boolean>();
  const groupsOf = new Map<string, Map<string, AnnouncedChange[]>>();
  for (const change of changes) {
    const event = toEvent(change);
    // Clients know that a ticket waits: from its creation, and from the event MatchFailed.
    if (event === undefined || event.type === 'TicketQueued') continue;
    const { queue } = event;
    if (!watched.has(queue)) watched.set(queue, await isWatched(deps, queue));
    if (!watched.get(queue)) continue;
    const subject = 'match' in event ? event.match.matchId : event.ticket.ticketId;
    const match = change.table === 'matches' ? change.after : undefined;
    const groups = groupsOf.get(queue) ?? new Map<string, AnnouncedChange[]>();
    groupsOf.set(queue, groups);
    groups.set(subject, [...(groups.get(subject) ?? []), { event, match }]);
  }
  return takingTurns([...groupsOf.values()].map((groups) => [...groups.values()]));
}

/** The first of each list, then the second of each, and so on. */
function takingTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

async function isWatched({ queues, clock }: PushDeps, queue: string): Promise<boolean> {
  try {
    const record = await queues.get(queue, DEFINITION_AGE_MS);
    return record?.watched !== undefined && record.watched.untilMs > clock.now();
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/** Returns the tickets whose players were not all reached. */
async function pushEvent(deps: PushDeps, change: AnnouncedChange, untilMs: number): Promise<string[]> {
  // One read of the match for all of its tickets.
  const its = { ...deps, matches: readOnce(deps.matches) };
  const unreached = await inParallel(
    subjectOf(change.event).ticketIds,
    TICKETS_AT_ONCE,
    async (ticketId): Promise<string[]> => {
      try {
        return (await pushTicket(its, change, ticketId, untilMs)) ? [] : [ticketId];
      } catch (error) {
        // Another version has written this ticket or its match: its players get their next message from that one.
        if (error instanceof Unreadable) return [];
        if (error instanceof StoreBusy) return [ticketId];
        throw error;
      }
    },
  );
  return unreached.flat();
}

/** Sends an event to the players of one ticket. Returns false when some of them could not be reached in time. */
async function pushTicket(
  deps: PushDeps,
  { event, match }: AnnouncedChange,
  ticketId: string,
  untilMs: number,
): Promise<boolean> {
  const isLate = () => deps.clock.now() >= untilMs;
  if (isLate()) return false;
  const connected = (await deps.connections.of(ticketId)).filter(({ status }) => status === 'CONNECTED');
  const newest = connected.at(-1);
  if (newest === undefined) return true;
  const state = await stateOf(deps, newest);
  if (state === undefined || !isStill(event, state)) return true;
  // A ticket that has returned to the pool has no match any more, but the message names it.
  const shown = state.match === undefined && match !== undefined ? { ...state, match } : state;
  const texts = new Map<number, string>();
  let areReached = true;
  for (const connection of connected) {
    if (isLate()) return false;
    // It watched an earlier ticket with this id.
    if (connection.enqueuedAtMs !== newest.enqueuedAtMs) continue;
    const { player } = connection;
    const text = texts.get(player) ?? (await eventText(deps, event, shown, player));
    texts.set(player, text);
    if ((await sendTo(deps, connection, text)) === 'failed') areReached = false;
  }
  return areReached;
}

/** Reads each match once. */
function readOnce(matches: PushDeps['matches']): PushDeps['matches'] {
  const read = new Map<string, ReturnType<typeof matches.get>>();
  return {
    get(matchId) {
      const match = read.get(matchId) ?? matches.get(matchId);
      read.set(matchId, match);
      return match;
    },
  };
}

/** Whether a ticket and its match are as the event says. */
function isStill(event: MusterEvent, { ticket, match }: TicketAndMatch): boolean {
  if ('ticket' in event) return ticket.status === event.ticket.status;
  const { matchId, status, roster, assignment, endedAt } = event.match;
  if (status === 'FAILED') return ticket.matchId === undefined || ticket.matchId === matchId;
  return (
    ticket.matchId === matchId &&
    ticket.status === SEEN_IN_MATCH[status] &&
    match?.roster === roster &&
    (match?.assignment === undefined) === (assignment === undefined) &&
    match?.endedAt === endedAt
  );
}
