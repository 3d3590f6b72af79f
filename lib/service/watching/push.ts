import type { MusterEvent } from '../../contract/events.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { DEFINITION_AGE_MS } from '../domain/definition-age.ts';
import { SEEN_IN_MATCH } from '../domain/statuses.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import { Unreadable } from '../domain/unreadable.ts';
import { type Change, toEvent } from '../events/publish.ts';
import { subjectOf } from '../events/trace.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { TicketAndMatch } from '../tickets/ticket-status.ts';
import { eventText } from './messages.ts';
import { sendTo } from './send.ts';
import { type ShowDeps, stateOf } from './show-ticket.ts';

export interface PushDeps extends ShowDeps {
  readonly connections: Pick<ConnectionStore, 'of' | 'remove'>;
}

/** Matches and tickets whose changes are sent at the same time. */
const SUBJECTS_AT_ONCE = 16;
/** Tickets of a match whose players get a message at the same time. */
const TICKETS_AT_ONCE = 16;
/**
 * How long the changes of a batch are sent: some thousand messages. What `publish` does for others waits for them, and must not wait
 * for an API Gateway that does not respond: a command to it takes some 7 s then.
 */
const PUSH_MS = 4_000;
/** A change that could not be sent for this long is not sent any more: the stream would hold up all events behind it. */
const GIVEN_UP_MS = 30_000;

/**
 * Sends changes to those who watch their tickets. A queue without watchers costs nothing: its record, which `publish` has
 * read for a second, says so. Returns the indexes of changes that must be retried.
 *
 *     look for connections   one read for each ticket of the change. A connection that is added later finds the change itself
 *     read the ticket        and its match. When they are not as the change left them, a later change follows in the same
 *                            stream and says more; so a change that the stream delivers again is not sent after a later one
 *     send                   to each connection. A crash before it: the stream delivers the change again. After it: likewise, so
 *                            the last message may be repeated, with the same eventId. What the time is up for, or what
 *                            the store is too busy for all along, is not sent: the next ping finds it
 *
 * Changes of one match are sent in their order, because its stream has them in order.
 */
export async function push(deps: PushDeps, changes: readonly Change[]): Promise<number[]> {
  const failed: number[] = [];
  const untilMs = deps.clock.now() + PUSH_MS;
  await inParallel(await bySubject(deps, changes), SUBJECTS_AT_ONCE, async (group) => {
    for (const told of group) {
      try {
        await pushEvent(deps, told, untilMs);
      } catch (error) {
        // Another version has written this ticket or its match: its players get their next message from that one.
        if (error instanceof Unreadable) continue;
        if (!(error instanceof StoreBusy)) throw error;
        if (deps.clock.now() - told.atMs >= GIVEN_UP_MS) continue;
        failed.push(told.index);
        return;
      }
    }
  });
  return failed;
}

/** A change that is an event. */
interface Told {
  readonly index: number;
  readonly atMs: number;
  readonly event: MusterEvent;
  /** As the change has left it; undefined when it is a change of a ticket. */
  readonly match: StoredMatch | undefined;
}

/**
 * The events of queues that are watched, those of one ticket or match together. Queues take turns, so that one with many who watch
 * does not use up the time of the others.
 */
async function bySubject(deps: PushDeps, changes: readonly Change[]): Promise<Told[][]> {
  const watched = new Map<string, boolean>();
  const groupsOf = new Map<string, Map<string, Told[]>>();
  for (const [index, change] of changes.entries()) {
    const event = toEvent(change);
    // A ticket waits from its creation, and after a match of which MatchFailed has said so.
    if (event === undefined || event.type === 'TicketQueued') continue;
    const { queue } = event;
    if (!watched.has(queue)) watched.set(queue, await isWatched(deps, queue));
    if (!watched.get(queue)) continue;
    const subject = 'match' in event ? event.match.matchId : event.ticket.ticketId;
    const match = change.table === 'matches' ? change.after : undefined;
    const groups = groupsOf.get(queue) ?? new Map<string, Told[]>();
    groupsOf.set(queue, groups);
    groups.set(subject, [...(groups.get(subject) ?? []), { index, atMs: change.atMs, event, match }]);
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

async function pushEvent(deps: PushDeps, { event, match }: Told, untilMs: number): Promise<void> {
  const isLate = () => deps.clock.now() >= untilMs;
  // One read of the match for all of its tickets.
  const its = { ...deps, matches: readOnce(deps.matches) };
  await inParallel(subjectOf(event).ticketIds, TICKETS_AT_ONCE, async (ticketId) => {
    if (isLate()) return;
    const connected = (await deps.connections.of(ticketId)).filter(({ status }) => status === 'CONNECTED');
    const newest = connected.at(-1);
    if (newest === undefined) return;
    const state = await stateOf(its, newest);
    if (state === undefined || !isStill(event, state)) return;
    // A ticket that has returned to the pool names its match no more; the message does.
    const told = state.match === undefined && match !== undefined ? { ...state, match } : state;
    const texts = new Map<number, string>();
    for (const connection of connected) {
      if (isLate()) return;
      // One that watched an earlier ticket with this id.
      if (connection.enqueuedAtMs !== newest.enqueuedAtMs) continue;
      const { player } = connection;
      const text = texts.get(player) ?? (await eventText(deps, event, told, player));
      texts.set(player, text);
      await sendTo(deps, connection, text);
    }
  });
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
