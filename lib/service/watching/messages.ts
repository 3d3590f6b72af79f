import type { MusterEvent } from '../../contract/events.ts';
import type { MatchView } from '../../contract/match.ts';
import { Problem } from '../../contract/problem.ts';
import type { TicketView } from '../../contract/ticket.ts';
import { isFinal } from '../../contract/ticket.ts';
import { SOCKET_LIMITS, type TicketStateMessage, type WatchMessage } from '../../contract/watch.ts';
import { viewsOf } from '../domain/linked-ticket.ts';
import { toMatchView } from '../domain/stored-match.ts';
import { toTicketView } from '../domain/stored-ticket.ts';
import { shortMatch, shortTicket } from '../events/fit-event.ts';
import { messageText } from '../events/message-text.ts';
import { matchFor } from '../players/own-match.ts';
import { ticketFor } from '../players/own-ticket.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { pingSecondsOf } from '../queues/read-queues.ts';
import type { TicketAndMatch } from '../tickets/ticket-status.ts';

/** What a player may see of a ticket and of its match. */
interface Seen {
  readonly ticket: TicketView;
  readonly match?: MatchView;
}

/**
 * The message with the current ticket, for one of its players.
 * @param player the index of the player in the ticket
 */
export async function ticketText(
  deps: { readonly queues: Pick<QueueStore, 'get'> },
  state: TicketAndMatch,
  player: number,
  nowMs: number,
): Promise<string> {
  const timestamp = new Date(nowMs).toISOString();
  const revision = revisionOf(state);
  const queues = viewsOf(state.ticket).map(({ queue }) => queue);
  const pingSeconds = await pingSecondsOf(deps, queues);
  const pings = pingSeconds !== undefined && { pingSeconds };
  return fittingText(await seenBy(deps, state, player), (data) => ({
    type: 'Ticket',
    timestamp,
    data: { ...data, revision, ...pings },
  }));
}

/** The message of an event or of a ready check, for one player of the ticket. */
export async function eventText(
  deps: { readonly queues: Pick<QueueStore, 'get'> },
  event: MusterEvent | (Pick<MusterEvent, 'eventId' | 'time' | 'queue'> & { readonly type: 'ReadyCheck' }),
  state: TicketAndMatch,
  player: number,
): Promise<string> {
  const revision = revisionOf(state);
  const { type, time: timestamp, eventId, queue } = event;
  const ready = 'ready' in event && event.ready ? { ready: event.ready } : {};
  return fittingText(
    await seenBy(deps, state, player),
    (seen) =>
      ({ type, timestamp, data: { eventId, queue, revision, ...ready, ...seen } }) as TicketStateMessage,
  );
}

/** The text of any other message. */
export function messageOf(message: Exclude<WatchMessage, TicketStateMessage>): string {
  return messageText(message);
}

/** The ticket and the match as the player may see them. A player whose seat a backfill has filled sees only the ticket. */
async function seenBy(
  deps: { readonly queues: Pick<QueueStore, 'get'> },
  { ticket, match }: TicketAndMatch,
  player: number,
): Promise<Seen> {
  const playerId = ticket.players[player]?.playerId ?? '';
  const caller = { scope: 'player', playerId } as const;
  const own = await ticketFor(deps, caller, toTicketView(ticket));
  if (match === undefined) return { ticket: own };
  try {
    return { ticket: own, match: await matchFor(deps, caller, toMatchView(match)) };
  } catch (error) {
    if (error instanceof Problem) return { ticket: own };
    throw error;
  }
}

/** The text of the largest form that fits into a message: complete, short, or short without the match. */
function fittingText(
  { ticket, match }: Seen,
  message: (seen: Seen & { truncated?: true }) => TicketStateMessage,
): string {
  const whole = messageText(message({ ticket, ...(match && { match }) }));
  if (fits(whole)) return whole;
  const short = { ticket: shortTicket(ticket), truncated: true as const };
  const own = match === undefined ? undefined : withTokens(shortMatch(match), match);
  const text = messageText(message({ ...short, ...(own && { match: own }) }));
  return fits(text) ? text : messageText(message(short));
}

/** The short match with the player's own token, which is small and in no other message. */
function withTokens(short: MatchView, { assignment }: MatchView): MatchView {
  if (short.assignment === undefined || assignment?.tokens === undefined) return short;
  return { ...short, assignment: { ...short.assignment, tokens: assignment.tokens } };
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= SOCKET_LIMITS.messageBytesMax;
}

/** The statuses in the order in which a ticket and its match pass through them. */
const STEPS = ['QUEUED', 'REQUIRES_ACCEPTANCE', 'PLACING', 'COMPLETED'];
/** More than the players of a match. */
const STEP = 1_000;
/** More than the sum of the other terms can reach. */
const RETURN = 1_000_000_000;
/** The revision of a ticket that has ended without a match, after which no state follows. */
const ENDED = Number.MAX_SAFE_INTEGER;

/**
 * A number that grows with every change of a ticket and of its match. Clients use it to discard states that arrive late. It is
 * computed from the state alone, as a sum:
 *
 *     returns   how often the ticket has returned from a match. The other terms restart after each return
 *     status    the position of the status in its order, in thousands
 *     ready     while REQUIRES_ACCEPTANCE, the number of players of the match who have accepted
 *     match     the number of the roster, which only grows, plus one each for the assignment and the end
 */
export function revisionOf({ ticket, match }: TicketAndMatch): number {
  if (isFinal(ticket.status) && ticket.status !== 'COMPLETED') return ENDED;
  const { roster = 0, assignment, endedAt } = (ticket.matchId === undefined ? undefined : match) ?? {};
  const grown = roster + (assignment === undefined ? 0 : 1) + (endedAt === undefined ? 0 : 1);
  const { ready = 0 } = ticket.acceptance ?? {};
  return RETURN * (ticket.returns ?? 0) + STEP * STEPS.indexOf(ticket.status) + ready + grown;
}
