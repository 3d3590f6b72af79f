import * as z from 'zod';

/** Events that carry a ticket. */
export const TICKET_EVENT_TYPES = [
  'TicketQueued',
  'TicketCancelled',
  'TicketTimedOut',
  'TicketFailed',
] as const;
/** Events that carry a match. */
export const MATCH_EVENT_TYPES = [
  'MatchFound',
  'MatchAccepted',
  'MatchAssigned',
  'MatchFailed',
  'MatchBackfilled',
  'MatchEnded',
  'MatchRated',
] as const;

/** Every event on the event bus and in webhooks. */
export const EVENT_TYPES = [...TICKET_EVENT_TYPES, ...MATCH_EVENT_TYPES] as const;
export const eventType = z.enum(EVENT_TYPES);
export type EventType = z.output<typeof eventType>;
export type TicketEventType = (typeof TICKET_EVENT_TYPES)[number];
export type MatchEventType = (typeof MATCH_EVENT_TYPES)[number];
