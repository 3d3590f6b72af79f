import { conflict, type Problem } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Places, TicketStore } from '../ports/ticket-store.ts';
import { type TicketAndMatch, type TicketStatusDeps, withMatch } from './ticket-status.ts';

/** A match that is not ended counts as running for this long, which is how long its tickets are kept. Milliseconds. */
const RUNNING_MS = 24 * 3_600_000;
export interface OnePlaceDeps extends TicketStatusDeps {
  readonly tickets: Pick<TicketStore, 'get' | 'places'>;
  readonly queues: Pick<QueueStore, 'get'>;
}

/**
 * The places of a ticket's players in a queue with `onePlace`, in which a player is in one ticket at a time, or in all queues
 * with `onePlace: "service"`.
 *
 * Each player has a place: an item that names the player's last ticket. The state of that ticket decides whether the place is
 * free. So a place becomes free with the one write that ends its ticket or its match, whatever ends it, and a crash cannot leave
 * it taken:
 *
 *     QUEUED, REQUIRES_ACCEPTANCE, PLACING   taken
 *     COMPLETED                              taken while the player is in the match, until the match has ended, for at most a day
 *                                            of a linked ticket in the queue of the match alone
 *     CANCELLED, TIMED_OUT, FAILED           free
 *     no such ticket                         free
 *
 *     read the places   and the tickets that they name, which decides whether the places are free
 *     put the ticket    and its places, in one transaction, on the condition that each place still names the ticket that was
 *                       read. A crash before it changes nothing, and no step follows
 *
 * A replaced ticket gives its places to the new one.
 * @param scope where a player has one place; see `placeScope`
 * @param nowMs milliseconds since the epoch
 * @returns a Problem (409) that names the other ticket, when a player is in one
 */
export async function freePlaces(
  deps: OnePlaceDeps,
  ticket: StoredTicket,
  scope: string,
  nowMs: number,
): Promise<Places | Problem> {
  const playerIds = ticket.players.map(({ playerId }) => playerId);
  const places = await deps.tickets.places(scope, playerIds);
  const taken = await firstTaken(deps, ticket, places, nowMs);
  if (taken === undefined) return places;
  const queue = scope === ticket.queue ? 'this queue' : `queue ${scope}`;
  return playerInTicket(taken, scope === SERVICE ? 'in all queues with onePlace "service"' : `in ${queue}`);
}

interface Taken {
  readonly playerId: string;
  readonly by: TicketAndMatch['ticket'];
}

/** The first player of a ticket who is in another one. */
async function firstTaken(
  deps: OnePlaceDeps,
  ticket: StoredTicket,
  { scope, holders }: Places,
  nowMs: number,
): Promise<Taken | undefined> {
  const others = [...new Set(holders.values())].filter(
    (holder) => holder !== ticket.ticketId && holder !== ticket.replaces,
  );
  const found = await Promise.all(others.map((ticketId) => deps.tickets.get(ticketId)));
  const now = await Promise.all(found.flatMap((one) => (one === undefined ? [] : [withMatch(deps, one)])));
  const byId = new Map(now.map((one) => [one.ticket.ticketId, one]));
  for (const { playerId } of ticket.players) {
    const holder = byId.get(holders.get(playerId) ?? '');
    if (holder === undefined || !isTaken(holder, playerId, nowMs)) continue;
    if (!(await playsElsewhere(deps, holder.ticket, scope))) return { playerId, by: holder.ticket };
  }
  return undefined;
}

/** Whether a linked ticket plays elsewhere: once it is COMPLETED, it stands only in the queue of its match. */
async function playsElsewhere(
  { queues }: OnePlaceDeps,
  { status, queue, views }: TicketAndMatch['ticket'],
  scope: string,
): Promise<boolean> {
  if (views === undefined || status !== 'COMPLETED' || queue === scope) return false;
  const record = await queues.get(queue, DEFINITION_AGE_MS);
  return record === undefined || placeScope(record.definition) !== scope;
}

function isTaken({ ticket, match }: TicketAndMatch, playerId: string, nowMs: number): boolean {
  // A later ticket of other players may have the id that the place names.
  if (!ticket.players.some((player) => player.playerId === playerId)) return false;
  switch (ticket.status) {
    case 'QUEUED':
      return true;
    case 'REQUIRES_ACCEPTANCE':
    case 'PLACING':
      return match === undefined || isSeated(match, playerId);
    case 'COMPLETED':
      return match !== undefined && isRunning(match, nowMs) && isSeated(match, playerId);
    default:
      return false;
  }
}

function isRunning({ endedAt, createdAt }: StoredMatch, nowMs: number): boolean {
  return endedAt === undefined && nowMs < Date.parse(createdAt) + RUNNING_MS;
}

/** Whether a player is in the match. A backfill may have filled the player's seat. */
function isSeated({ teams }: StoredMatch, playerId: string): boolean {
  return teams.some(({ players }) => players.some((seat) => seat.playerId === playerId && seat.bot !== true));
}

function playerInTicket({ playerId, by: { ticketId, queue, status } }: Taken, where: string): Problem {
  return conflict(
    'PLAYER_IN_TICKET',
    `Player ${playerId} is already in ticket ${ticketId}, which is ${status}. A player has one place ${where}: cancel that ticket, or end its match.`,
    { ticketId, queue, ticketStatus: status, playerId },
  );
}

/** The scope of all queues with `onePlace: "service"`. No queue has this name. */
const SERVICE = '*';

/** The scope in which a player has one place: the queue, or all queues with "service". Undefined: places are not checked. */
export function placeScope({
  name,
  onePlace,
}: Pick<QueueDefinition, 'name' | 'onePlace'>): string | undefined {
  if (onePlace === 'service') return SERVICE;
  return onePlace === true ? name : undefined;
}
