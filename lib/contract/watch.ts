import * as z from 'zod';
import { MATCH_EVENT_TYPES, TICKET_EVENT_TYPES } from './event-type.ts';
import { matchView } from './match.ts';
import { problemDocument } from './problem-document.ts';
import { queueName } from './queue-definition.ts';
import { id, TICKET_STATUSES, ticketView } from './ticket.ts';

/** The limits of the socket, those of API Gateway. */
export const SOCKET_LIMITS = {
  /** The maximum of a frame that a client sends. */
  frameBytesMax: 32 * 1024,
  /** The maximum of a message that a client gets. */
  messageBytesMax: 128 * 1024,
} as const;

const matchId = id.meta({ description: 'The match that the player or the ticket accepts or declines' });

/**
 * The query of the URL with which a client connects, in addition to its token. Invalid values are ignored, so the client gets the
 * current ticket.
 */
export const connectQuery = z.object({
  seen: z.enum(TICKET_STATUSES).optional().catch(undefined).meta({
    description:
      'The status that the client shows already, such as QUEUED after the POST. The first message is sent only if the ticket has another status, or a match',
  }),
  pingSeconds: z.coerce.number().min(1).max(86_400).optional().catch(undefined).meta({
    description:
      'The interval at which the client pings. In a queue with presence the first message, which has the interval, is sent also if this is longer or absent',
  }),
});
export type ConnectQuery = z.output<typeof connectQuery>;

/** A frame from a client: one JSON object. */
export const frame = z
  .discriminatedUnion('action', [
    z.strictObject({ action: z.literal('accept'), matchId }),
    z.strictObject({ action: z.literal('decline'), matchId }),
    z.strictObject({ action: z.literal('cancel') }),
    z.strictObject({
      action: z.literal('ping'),
      seen: z
        .strictObject({
          status: z.enum(TICKET_STATUSES),
          matchId: id.exactOptional(),
          roster: z
            .number()
            .int()
            .exactOptional()
            .meta({ description: 'The `roster` of the match, if it has one' }),
        })
        .exactOptional()
        .meta({
          description:
            'The last state that the client has seen. The ticket is sent only if its state differs or its match has ended; without `seen`, it is always sent',
        }),
    }),
  ])
  .meta({ id: 'Frame' });
export type Frame = z.output<typeof frame>;
export const FRAME_ACTIONS = ['accept', 'decline', 'cancel', 'ping'] as const;

const timestamp = z.iso.datetime().meta({ description: 'When it happened, or was read' });
const ticket = ticketView.meta({ description: 'The current ticket, as its player may see it' });
const match = matchView.meta({ description: 'Its match, as this player may see it' });

const revision = z.number().int().meta({
  description:
    'Grows with each change of the ticket and of its match: ignore a message with a lower one than the last. Up to 2^53 − 1, so a program needs 64 bits or a double for it',
});

const truncated = z.literal(true).optional().meta({
  description:
    'Present when the whole is larger than 128 KB. Then players have no `attributes`, the match no `rules`, or there is no `match`',
});

/** The fields of a change's event for a watcher. */
const about = {
  eventId: z
    .string()
    .meta({ description: 'The same whenever this change is sent: use it to discard repetitions' }),
  queue: queueName,
  ticket,
  revision,
  truncated,
};

/** The current ticket: the first message of every connection, and the response to a ping. */
export const ticketMessage = z
  .object({
    type: z.literal('Ticket'),
    timestamp,
    data: z.object({
      ticket,
      match: match.optional(),
      revision,
      truncated,
      pingSeconds: z.number().int().optional().meta({
        description:
          'Present in a queue with presence: ping at this interval, or the player counts as gone a grace later',
      }),
    }),
  })
  .meta({ id: 'TicketMessage' });

/** A change of the ticket itself. */
export const ticketChangeMessage = z
  .object({ type: z.enum(TICKET_EVENT_TYPES), timestamp, data: z.object(about) })
  .meta({ id: 'TicketChangeMessage' });

/** More players of its match are ready. */
export const readyCheckMessage = z
  .object({ type: z.literal('ReadyCheck'), timestamp, data: z.object(about) })
  .meta({ id: 'ReadyCheckMessage' });

/** A change of the ticket's match. */
export const matchChangeMessage = z
  .object({
    type: z.enum(MATCH_EVENT_TYPES),
    timestamp,
    data: z.object({
      ...about,
      match: match.optional(),
      ready: z.literal(true).optional().meta({
        description:
          'Present on the message of the change from which on the players of the match can play. A client may miss it; the status of the ticket is COMPLETED from then on',
      }),
    }),
  })
  .meta({ id: 'MatchChangeMessage' });

/** The response to a successful action. Its effect on the ticket arrives as a separate message. */
export const doneMessage = z
  .object({
    type: z.literal('Done'),
    timestamp,
    data: z.object({ action: z.enum(FRAME_ACTIONS), matchId: z.string().optional() }),
  })
  .meta({ id: 'DoneMessage' });

/** The response to a frame that was rejected. The connection stays open. */
export const problemMessage = z
  .object({ type: z.literal('Problem'), timestamp, data: problemDocument })
  .meta({ id: 'ProblemMessage' });

/** Requests a ping, because one of the client is missing and may be lost. The client sends it immediately. */
export const pingMessage = z
  .object({ type: z.literal('Ping'), timestamp, data: z.strictObject({}) })
  .meta({ id: 'PingMessage' });

/** A message to a client: one JSON object. */
export const watchMessage = z.discriminatedUnion('type', [
  ticketMessage,
  ticketChangeMessage,
  readyCheckMessage,
  matchChangeMessage,
  doneMessage,
  problemMessage,
  pingMessage,
]);
export type WatchMessage = z.output<typeof watchMessage>;
/** A message with the state of the ticket. */
export type TicketStateMessage = Extract<WatchMessage, { data: { ticket: unknown } }>;
