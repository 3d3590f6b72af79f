import * as z from 'zod';

/** Every event the service tells the outside about. */
export const EVENT_TYPES = [
  'TicketQueued',
  'TicketCancelled',
  'TicketTimedOut',
  'MatchFound',
  'MatchAccepted',
  'MatchAssigned',
  'MatchFailed',
] as const;
export const eventType = z.enum(EVENT_TYPES);
export type EventType = z.output<typeof eventType>;
