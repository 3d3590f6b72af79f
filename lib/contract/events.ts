import * as z from 'zod';
import { MATCH_EVENT_TYPES, TICKET_EVENT_TYPES } from './event-type.ts';
import { matchView } from './match.ts';
import { queueName } from './queue-definition.ts';
import { ticketView } from './ticket.ts';

const about = {
  eventId: z
    .string()
    .min(1)
    .meta({ description: 'The same for every delivery of this event: use it to discard duplicates' }),
  time: z.iso.datetime().meta({ description: 'When the event happened' }),
  queue: queueName,
  truncated: z.literal(true).optional().meta({
    description:
      'Present when the whole event is larger than 240 KB. Then `match` omits `rules`, `assignment.tokens` and the `attributes` of players, `ticket` has only `playerId` and `skill` of each player, and a `reason` ends after 1,000 letters. `GET /matches/{matchId}` and `GET /tickets/{ticketId}` return the whole',
  }),
};
const ofTicket = { ...about, ticket: ticketView };
const ofMatch = {
  ...about,
  match: matchView,
  ready: z.literal(true).optional().meta({
    description:
      'Present on the one event of a match from which on its players can play: start its game now. It is MatchFound, or MatchAccepted in a queue with `acceptance`, or MatchAssigned in a queue with a provisioner',
  }),
};

/**
 * An event in Muster's own messages. On the event bus the detail-type is `type`, and the other fields are the detail.
 * For webhooks see {@link webhookBody}.
 */
export const musterEvent = z.discriminatedUnion('type', [
  z.object({ type: z.enum(TICKET_EVENT_TYPES), ...ofTicket }),
  z.object({ type: z.enum(MATCH_EVENT_TYPES), ...ofMatch }),
]);
export type MusterEvent = z.output<typeof musterEvent>;

const timestamp = z.iso.datetime().meta({ description: 'The same as data.time' });
const ticketData = z.object(ofTicket).meta({ id: 'TicketEvent' });
const matchData = z.object(ofMatch).meta({ id: 'MatchEvent' });

/** The body of a webhook, in the format of the Standard Webhooks scheme. */
export const webhookBody = z.discriminatedUnion('type', [
  z.object({ type: z.enum(TICKET_EVENT_TYPES), timestamp, data: ticketData }),
  z.object({ type: z.enum(MATCH_EVENT_TYPES), timestamp, data: matchData }),
]);
export type WebhookBody = z.output<typeof webhookBody>;

/** The webhook body of each event separately, for the OpenAPI document. */
export const webhookBodies = [
  ...TICKET_EVENT_TYPES.map((type) => ({
    type,
    body: z.object({ type: z.literal(type), timestamp, data: ticketData }).meta({ id: `${type}Webhook` }),
  })),
  ...MATCH_EVENT_TYPES.map((type) => ({
    type,
    body: z.object({ type: z.literal(type), timestamp, data: matchData }).meta({ id: `${type}Webhook` }),
  })),
];

/** The webhook body of an event. */
export function toWebhookBody(event: MusterEvent): WebhookBody {
  if ('ticket' in event) {
    const { type, ...data } = event;
    return { type, timestamp: data.time, data };
  }
  const { type, ...data } = event;
  return { type, timestamp: data.time, data };
}
