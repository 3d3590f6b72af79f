import { isFinal, type TicketStatus } from '../../contract/ticket.ts';
import { isProgress } from '../domain/answers.ts';
import { inQueue, viewsOf } from '../domain/linked-ticket.ts';
import type { CurrentTicket, QueuedTicket, TicketInQueue } from '../domain/stored-ticket.ts';
import type { Clock } from '../ports/clock.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { type TicketAndMatch, unknownTicket, withMatch, withMatchStatus } from './ticket-status.ts';
import { SEARCH_MS, whyWaiting } from './why-waiting.ts';

export interface GetTicketDeps {
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
  readonly queues: QueueStore;
  readonly ranges: RangeStore;
  readonly clock: Clock;
}

/** The intervals at which a long poll reads the ticket. They grow. */
const POLL_MS = [100, 150, 250, 250, 500] as const;
const POLL_MAX_MS = 1_000;

/** The options for reading a ticket. */
export interface ReadOptions {
  /** How long to wait for a change, in milliseconds. @default 0 */
  readonly waitMs?: number;
  /** The last status that the client has seen. Any other status is a change. @default the status at the first read */
  readonly seen?: TicketStatus | undefined;
  /**
   * The number of ready players that the client has last seen. With it, {@link isProgress} is a change, and a match to accept is
   * not.
   */
  readonly ready?: number | undefined;
  /** The player of the ticket whose answer matters. @default all of them */
  readonly playerId?: string | undefined;
  /** Whether to explain why a ticket is waiting, which runs a search. @default false */
  readonly explain?: boolean | undefined;
}

/**
 * The current state of a ticket. With `waitMs`, returns as soon as there is a change: another status, another match, more players
 * who are ready than the client has seen, or a match that the ticket has not accepted yet. A final status is returned immediately.
 * For a party that has accepted, the acceptance of another party is no change.
 * @throws Problem (404)
 */
export async function getTicket(
  deps: GetTicketDeps,
  ticketId: string,
  { waitMs = 0, seen, ready, playerId, explain = false }: ReadOptions = {},
): Promise<CurrentTicket> {
  const untilMs = deps.clock.now() + waitMs;
  const first = await current(deps, ticketId);
  const known = { status: seen ?? first.ticket.status, matchId: first.ticket.matchId, ready, playerId };
  let latest = first;
  for (let look = 0; deps.clock.now() < untilMs && !isNews(latest, known); look++) {
    await deps.clock.sleep(Math.min(POLL_MS[look] ?? POLL_MAX_MS, untilMs - deps.clock.now()));
    latest = await current(deps, ticketId);
  }
  const { ticket } = latest;
  return explain && isQueued(ticket) ? explained(deps, ticket) : ticket;
}

/** A waiting ticket with the reason of each of its queues, one after another. */
async function explained(deps: GetTicketDeps, ticket: QueuedTicket): Promise<QueuedTicket> {
  const views: TicketInQueue[] = [];
  const searchMs = SEARCH_MS / viewsOf(ticket).length;
  for (const view of viewsOf(ticket))
    views.push({ ...view, reason: await whyWaiting(deps, inQueue(ticket, view.queue), searchMs) });
  return { ...ticket, reason: views[0]!.reason!, ...(ticket.views && { views }) };
}

const isQueued = (ticket: CurrentTicket): ticket is QueuedTicket => ticket.status === 'QUEUED';

/** The state that a poll knows already, and the player that it is for. */
interface Known extends Pick<ReadOptions, 'ready' | 'playerId'> {
  readonly status: TicketStatus;
  readonly matchId: string | undefined;
}

function isNews({ ticket }: TicketAndMatch, known: Known): boolean {
  const { status, matchId } = ticket;
  return isFinal(status) || status !== known.status || matchId !== known.matchId || isAsked(ticket, known);
}

/** Whether the answers to its match are a change. */
function isAsked({ acceptance, players }: CurrentTicket, { ready, playerId }: Known): boolean {
  if (acceptance === undefined) return false;
  if (ready !== undefined) return isProgress(ready, acceptance);
  const asked = playerId === undefined ? players.map((player) => player.playerId) : [playerId];
  return !asked.every((one) => acceptance.players.includes(one));
}

async function current(deps: GetTicketDeps, ticketId: string): Promise<TicketAndMatch> {
  const ticket = await deps.tickets.get(ticketId);
  if (ticket === undefined) throw unknownTicket(ticketId);
  return withMatch(deps, ticket);
}

/**
 * The current state of several tickets, in the order of their ids, each once; missing ones are omitted. A hundred tickets need
 * two requests to the store. Each ticket whose match has failed needs one more, because it may be waiting again, and so does each
 * ticket that a tick is matching at this moment.
 */
export async function getTickets(
  deps: {
    readonly tickets: Pick<TicketStore, 'get' | 'getMany'>;
    readonly matches: Pick<SingleMatchStore, 'get' | 'getMany'>;
  },
  ticketIds: readonly string[],
): Promise<CurrentTicket[]> {
  const unique = [...new Set(ticketIds)];
  const stored = await deps.tickets.getMany(unique);
  const tickets = unique.flatMap((ticketId) => stored.get(ticketId) ?? []);
  const matchIds = new Set(tickets.flatMap(({ matchId }) => matchId ?? []));
  const matches = await deps.matches.getMany([...matchIds]);
  const known = {
    tickets: deps.tickets,
    matches: { get: async (matchId: string) => matches.get(matchId) ?? deps.matches.get(matchId) },
  };
  return Promise.all(tickets.map((ticket) => withMatchStatus(known, ticket)));
}
