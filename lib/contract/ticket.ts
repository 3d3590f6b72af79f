import * as z from 'zod';
import { expected } from './expectation.ts';
import { LIMITS, queueName } from './queue-definition.ts';

/** FlexMatch's names, so that a studio that migrates knows them. */
export const TICKET_STATUSES = [
  'QUEUED',
  'REQUIRES_ACCEPTANCE',
  'PLACING',
  'COMPLETED',
  'CANCELLED',
  'TIMED_OUT',
  'FAILED',
] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

const FINAL: readonly TicketStatus[] = ['COMPLETED', 'CANCELLED', 'TIMED_OUT', 'FAILED'];
export const isFinal = (status: TicketStatus): boolean => FINAL.includes(status);

export const id = z.string().regex(/^[A-Za-z0-9_.:@=+-]{1,128}$/, {
  error: expected('1 to 128 of the characters A–Z a–z 0–9 _ . : @ = + -'),
});

export const player = z
  .strictObject({
    playerId: id,
    skill: z
      .number()
      .min(0)
      .max(LIMITS.skillMax)
      .meta({ description: 'Any scale; imbalance has the same unit' }),
    roles: z
      .array(z.string().min(1).max(32))
      .min(1)
      .refine((roles) => new Set(roles).size === roles.length, 'Expected each role once, got one twice')
      .exactOptional()
      .meta({ description: 'Roles the player accepts; left out: every role of the queue' }),
  })
  .meta({ id: 'Player' });

const players = z
  .array(player)
  .min(1)
  .max(LIMITS.teamSizeMax)
  .meta({ description: 'A party; its players play on one team or not at all' });

/** A player where Muster shows it: a later version may add fields. */
const playerView = z.object(player.shape).meta({ id: 'TicketPlayer' });

/** What a client POSTs. The client chooses the id, so that a repeated request is one ticket. */
export const newTicket = z.strictObject({ ticketId: id, players }).meta({ id: 'NewTicket' });
export type NewTicket = z.output<typeof newTicket>;

/** A ticket of a tickets file, as `muster match` and dry runs read it. */
export const fileTicket = z
  .strictObject({ ticketId: id, enqueuedAt: z.iso.datetime({ offset: true }), players })
  .meta({ id: 'FileTicket' });

/** A ticket as the API and events show it. */
export const ticketView = z
  .object({
    ticketId: id,
    queue: queueName,
    status: z.enum(TICKET_STATUSES),
    enqueuedAt: z.iso.datetime(),
    players: z.array(playerView).meta({ description: 'The party' }),
    matchId: z.string().optional().meta({ description: 'From the match on' }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'On a bad end: why. While QUEUED, with `explain=true`: why not matched yet' }),
  })
  .meta({ id: 'Ticket' });
export type TicketView = z.output<typeof ticketView>;

/** How long a request for a ticket may wait for news, as a client writes it. */
export const waitSeconds = z
  // Blank is 0 to Number, which nobody means by it.
  .preprocess(
    (text) => (typeof text === 'string' && text.trim() !== '' ? Number(text) : text),
    z.number().min(0).max(20),
  )
  .optional()
  .meta({
    description:
      'Answer when there is news, or after this many seconds. News is another status than `seen`, another match, a match that the ticket has not accepted yet, and a final status',
  });

/** What a client may say about how it reads a ticket. */
export const ticketQuery = z.object({
  waitSeconds,
  seen: z.enum(TICKET_STATUSES).optional().meta({
    description: 'With waitSeconds: the status the client knows; when omitted, the status at the first look',
  }),
  explain: z.enum(['true', 'false']).optional().meta({
    description: 'true: `reason` says why a QUEUED ticket waits. It costs a search; not for polling',
  }),
});
