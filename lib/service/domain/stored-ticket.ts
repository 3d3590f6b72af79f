import * as z from 'zod';
import { inPlaceableRegions } from '../../contract/placeable-regions.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { TicketReasonCode } from '../../contract/reason-code.ts';
import type { TicketStatus, TicketView } from '../../contract/ticket.ts';
import type { Ticket } from '../../engine/types.ts';
import type { RuledPlayer } from '../../rules/types.ts';
import { TICKET } from './statuses.ts';
import type { Read } from './unreadable.ts';

const storedPlayers = z.array(
  z.object({
    playerId: z.string(),
    skill: z.number(),
    roles: z.array(z.string()).exactOptional(),
    teams: z.array(z.string()).exactOptional(),
    attributes: z.record(z.string(), z.union([z.number(), z.string(), z.array(z.string())])).exactOptional(),
    latencyMs: z.record(z.string(), z.number()).exactOptional(),
    avoid: z.array(z.string()).exactOptional(),
    met: z.array(z.tuple([z.string(), z.number()])).exactOptional(),
  }),
);

/** The form of a ticket in one of its queues. */
export interface TicketInQueue {
  readonly queue: string;
  readonly players: readonly RuledPlayer[];
  readonly split?: true;
  /** The pool key of its entry. Absent in its home: the queue in whose pool the ticket itself waits. */
  readonly pool?: string;
  /** Why it waits in this queue, in responses that explain it. */
  readonly reason?: string;
}

/** The entry of a linked ticket that a tick has read: see `aws/entries.ts`. */
export interface Entry {
  readonly pool: string;
  readonly poolOrder: string;
  /** The number of `returns` of the ticket when the entry was put. */
  readonly n: number;
}

/** A stored ticket. Fields of other versions are ignored. */
export const storedTicket = z.object({
  ticketId: z.string(),
  /** The queue of the post; in a match, the queue of the match. */
  queue: z.string(),
  status: z.enum(TICKET.statuses),
  /** ISO 8601, milliseconds, UTC. */
  enqueuedAt: z.iso.datetime(),
  players: storedPlayers,
  /** Present when the party may be divided over teams. */
  split: z.literal(true).exactOptional(),
  matchId: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** A later version may have more codes. */
  reasonCode: z.custom<TicketReasonCode>((code) => typeof code === 'string').exactOptional(),
  /** The last abandoned or unplaced match that the ticket has returned from. */
  releasedFrom: z.string().exactOptional(),
  /** How often it has returned to the pool from a match that clients have seen. */
  returns: z.number().exactOptional(),
  /** The number of its matches that were not placed and from which it has returned. */
  failures: z.number().exactOptional(),
  /** The ticket that it has replaced, and whose wait it continues. */
  replaces: z.string().exactOptional(),
  /** The ticket that has replaced it. */
  replacedBy: z.string().exactOptional(),
  /** The digest of the post of a linked ticket, which waits in several queues. Its entries have it too. */
  linked: z.string().exactOptional(),
  /** The forms of a linked ticket in its queues, that of the post first. Absent in tickets that a tick reads from the pool. */
  views: z
    .array(
      z.object({
        queue: z.string(),
        players: storedPlayers,
        split: z.literal(true).exactOptional(),
        pool: z.string().exactOptional(),
      }),
    )
    .min(1)
    .exactOptional(),
});

export interface StoredTicket extends Omit<Read<typeof storedTicket>, 'players' | 'views'> {
  readonly players: readonly RuledPlayer[];
  readonly views?: readonly TicketInQueue[];
  /** The entry by which a tick has read it in a further queue. */
  readonly entry?: Entry;
}

/** A ticket in the pool. */
export type QueuedTicket = StoredTicket & { readonly status: 'QUEUED' };

/** A ticket with the status that clients see, and with the progress of a match that has to be accepted. */
export type CurrentTicket = Omit<StoredTicket, 'status'> & {
  readonly status: TicketStatus;
  readonly acceptance?: TicketView['acceptance'];
};

/** A ticket in the format of responses and events. */
export function toTicketView(ticket: CurrentTicket): TicketView {
  const { ticketId, queue, status, enqueuedAt, split, replaces, replacedBy } = ticket;
  const { matchId, acceptance, reason, reasonCode } = ticket;
  return {
    ticketId,
    queue,
    status,
    enqueuedAt,
    players: ticket.players.map(({ playerId, skill, roles, teams, attributes, latencyMs, avoid }) => ({
      playerId,
      skill,
      ...(roles && { roles: [...roles] }),
      ...(teams && { teams: [...teams] }),
      ...(attributes && { attributes: withLists(attributes) }),
      ...(latencyMs && { latencyMs: { ...latencyMs } }),
      ...(avoid && { avoid: [...avoid] }),
    })),
    ...(split && { split }),
    ...(replaces !== undefined && { replaces }),
    ...(replacedBy !== undefined && { replacedBy }),
    ...(matchId !== undefined && { matchId }),
    ...(acceptance && { acceptance }),
    ...(reason !== undefined && { reason }),
    ...(reasonCode !== undefined && { reasonCode }),
    ...(ticket.views && {
      queues: ticket.views.map((one) => ({
        queue: one.queue,
        ...(one.reason !== undefined && { reason: one.reason }),
      })),
    }),
  };
}

/** The same attributes, with copies of their lists for the response. */
function withLists(attributes: NonNullable<RuledPlayer['attributes']>) {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]): [string, number | string | string[]] => [
      name,
      typeof value === 'object' ? [...value] : value,
    ]),
  );
}

/** A ticket in the format of the engine and the policies, with only the regions in which its queue can place matches. */
export function toEngineTicket(
  ticket: {
    ticketId: string;
    enqueuedAt: string;
    players: readonly RuledPlayer[];
    split?: boolean | undefined;
  },
  definition: Pick<QueueDefinition, 'provisioner'>,
): Ticket {
  return {
    ticketId: ticket.ticketId,
    enqueuedAtMs: Date.parse(ticket.enqueuedAt),
    players: inPlaceableRegions(ticket.players, definition),
    ...(ticket.split === true && { split: true }),
  };
}
