import type { MusterEvent } from '../../contract/events.ts';
import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { type AnswersChange, isProgress } from '../domain/answers.ts';
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

/** The maximum of matches and tickets whose changes are sent concurrently. */
const SUBJECTS_AT_ONCE = 16;
/** The maximum of tickets of a match that are handled concurrently. */
const TICKETS_AT_ONCE = 16;
/**
 * The time limit of a batch: enough for some thousand messages. The next batch of the shard waits for this one. A command takes
 * some 3 s when API Gateway does not respond, and must not delay the next batch many times.
 */
const PUSH_MS = 4_000;

/**
 * Sends changes to the players who watch their tickets. A queue without watchers costs only the read of its record, which is
 * cached for a second. Returns the number of tickets left to the retries.
 *
 *     look for connections   one read for each ticket of the change. A connection that is added later reads the changed state
 *                            itself
 *     read the ticket        and its match. If their state is no longer that of the change, a later change follows in the stream,
 *                            and this one is skipped. So a redelivered change is never sent after a later one
 *     send                   to each connection. A crash before or after it: the stream delivers the change again, so the last
 *                            message may be repeated, with the same eventId
 *     leave to the retries   tickets whose players could not be reached, for which the time is up, or the store is too busy: see
 *                            push-again.ts. So failing connections do not delay a batch
 *
 * Changes of one match are sent in order, because its stream has them in order.
 * @param answered answers to matches, of which those with {@link isProgress} are sent
 */
export async function push(
  deps: PushDeps,
  changes: readonly Change[],
  answered: readonly AnswersChange[] = [],
): Promise<number> {
  const untilMs = deps.clock.now() + PUSH_MS;
  const announced = [...changes.flatMap(announcedBy), ...readyChecksOf(answered)];
  const left = await inParallel(await bySubject(deps, announced), SUBJECTS_AT_ONCE, async (group) => {
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

/** More players of a match are ready. It is not an event of the bus. */
export interface ReadyCheck extends Pick<MusterEvent, 'eventId' | 'time' | 'queue'> {
  readonly type: 'ReadyCheck';
  readonly matchId: string;
}

/** An announcement to the players of a match or a ticket, with the match after the change. */
interface AnnouncedChange {
  readonly event: MusterEvent | ReadyCheck;
  readonly match?: StoredMatch;
}

function announcedBy(change: Change): AnnouncedChange[] {
  const event = toEvent(change);
  // Clients know that the ticket is QUEUED: from its creation, or from MatchFailed.
  if (event === undefined || event.type === 'TicketQueued') return [];
  return [{ event, ...(change.table === 'matches' && { match: change.after }) }];
}

/** The last ready check of each match, because it includes the earlier ones. */
function readyChecksOf(answered: readonly AnswersChange[]): AnnouncedChange[] {
  const byMatch = Map.groupBy(answered, ({ matchId }) => matchId);
  return [...byMatch.values()].flatMap((changes) => {
    const { changeId: eventId, atMs, matchId, queue, of, ready } = changes.at(-1)!;
    if (!isProgress(changes[0]!.before, { ready, of })) return [];
    const time = new Date(atMs).toISOString();
    return [{ event: { type: 'ReadyCheck', eventId, time, queue, matchId } }];
  });
}

/**
 * The announcements in watched queues, grouped by ticket or match. Queues take turns, so that one with many watchers does not use
 * up the time of the others.
 */
async function bySubject(
  deps: PushDeps,
  announced: readonly AnnouncedChange[],
): Promise<AnnouncedChange[][]> {
  const watched = new Map<string, boolean>();
  const groupsOf = new Map<string, Map<string, AnnouncedChange[]>>();
  for (const change of announced) {
    const { event } = change;
    const { queue } = event;
    if (!watched.has(queue)) watched.set(queue, await isWatched(deps, queue));
    if (!watched.get(queue)) continue;
    const subject = 'ticket' in event ? event.ticket.ticketId : matchIdOf(event);
    const groups = getOrCreate(groupsOf, queue, () => new Map<string, AnnouncedChange[]>());
    getOrCreate(groups, subject, () => []).push(change);
  }
  return interleaved([...groupsOf.values()].map((groups) => [...groups.values()]));
}

function matchIdOf(event: Exclude<AnnouncedChange['event'], { ticket: unknown }>): string {
  return 'match' in event ? event.match.matchId : event.matchId;
}

/** The first of each list, then the second of each, and so on. */
function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
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

/** Returns the tickets with players who could not be reached. */
async function pushEvent(deps: PushDeps, change: AnnouncedChange, untilMs: number): Promise<string[]> {
  // The match is read once for all of its tickets.
  const cached = { ...deps, matches: readOnce(deps.matches) };
  const unreached = await inParallel(
    await ticketIdsOf(cached, change.event),
    TICKETS_AT_ONCE,
    async (ticketId): Promise<string[]> => {
      try {
        return (await pushTicket(cached, change, ticketId, untilMs)) ? [] : [ticketId];
      } catch (error) {
        // Another version has written this ticket or its match, and sends the message itself.
        if (error instanceof Unreadable) return [];
        if (error instanceof StoreBusy) return [ticketId];
        throw error;
      }
    },
  );
  return unreached.flat();
}

async function ticketIdsOf(
  { matches }: Pick<PushDeps, 'matches'>,
  event: AnnouncedChange['event'],
): Promise<readonly string[]> {
  if (event.type !== 'ReadyCheck') return subjectOf(event).ticketIds;
  try {
    return (await matches.get(event.matchId))?.ticketIds ?? [];
  } catch (error) {
    // The next answer or change of the match has the later state.
    if (error instanceof Unreadable || error instanceof StoreBusy) return [];
    throw error;
  }
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
  if (state === undefined || !isStateOf(event, state)) return true;
  // A ticket that has returned to the pool no longer has the match, but the message names it.
  const named = state.match === undefined && match !== undefined ? { ...state, match } : state;
  // The ticket has the number of ready players, and the match is larger.
  const shown = event.type === 'ReadyCheck' ? { ticket: state.ticket } : named;
  const texts = new Map<number, string>();
  let areReached = true;
  for (const connection of connected) {
    if (isLate()) return false;
    // The connection watched an earlier ticket with this id.
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
  return { get: (matchId) => getOrCreate(read, matchId, () => matches.get(matchId)) };
}

/** Whether the state of a ticket and its match is still that of the event. */
function isStateOf(event: AnnouncedChange['event'], { ticket, match }: TicketAndMatch): boolean {
  if (event.type === 'ReadyCheck')
    return ticket.matchId === event.matchId && ticket.status === 'REQUIRES_ACCEPTANCE';
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
