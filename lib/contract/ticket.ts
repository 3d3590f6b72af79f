import * as z from 'zod';
import { RULE_LIMITS } from '../rules/fields.ts';
import { eachOnce, expected } from '../vocabulary/expected.ts';
import { wholeIn } from './limit.ts';
import { LIMITS, queueName } from './queue-definition.ts';
import { TICKET_REASON_CODES } from './reason-code.ts';
import { latencyMs, playerAttributes } from './rules.ts';

/** The names of FlexMatch, familiar to studios that migrate. */
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
/** Whether a ticket with this status never changes again. */
export const isFinal = (status: TicketStatus): boolean => FINAL.includes(status);

const error = expected('1 to 128 of the characters A–Z a–z 0–9 _ . : @ = + -, but not . or ..');

/**
 * An id that a client chooses: of a ticket or a player. Those of bots have a `~`, so none is one of these. A path with `.` or `..`
 * leads to another route.
 */
export const id = z
  .string()
  .regex(/^[A-Za-z0-9_.:@=+-]{1,128}$/, { error })
  .refine((text) => text !== '.' && text !== '..', { error });

/** A player of a posted ticket. */
export const player = z
  .strictObject({
    playerId: id,
    skill: z
      .number()
      .min(0)
      .max(LIMITS.skillMax)
      .refine((skill) => skill <= 0 || skill >= LIMITS.skillMin, {
        error: expected(`0 or a number from ${LIMITS.skillMin} to ${LIMITS.skillMax}`),
      })
      .meta({ description: 'Any scale; imbalance has the same unit' }),
    roles: z
      .array(z.string().min(1).max(32))
      .min(1)
      .superRefine(eachOnce('role'))
      .exactOptional()
      .meta({ description: 'Roles the player accepts (default: every role of the queue)' }),
    attributes: playerAttributes.exactOptional(),
    latencyMs: latencyMs.exactOptional(),
    avoid: z.array(id).max(RULE_LIMITS.avoidMax).exactOptional().meta({
      description:
        'playerIds that are never in one match with this player, even if only one of the two names the other. Never shown to players',
    }),
    teams: z.array(z.string().min(1).max(32)).min(1).superRefine(eachOnce('team')).exactOptional().meta({
      description: 'The kinds of team that the player accepts, by name (default: every kind)',
    }),
  })
  .meta({ id: 'Player' });

const partyOf = <T extends z.ZodType>(one: T) =>
  z
    .array(one)
    .min(1)
    .max(LIMITS.seatsMax)
    .meta({ description: 'A party; its players are on the same team, unless `split` is true' });

const players = partyOf(player);

/** A player of a posted ticket, before the ladder of its queue has given the skill. */
export const newPlayer = z
  .strictObject({
    ...player.shape,
    skill: player.shape.skill.exactOptional().meta({
      description:
        'Any scale; imbalance has the same unit. Required, except in a queue with a `ladder`, where it is not allowed',
    }),
  })
  .meta({ id: 'NewPlayer' });

const split = z.boolean().exactOptional().meta({
  description:
    'true: the party may be divided over teams, and may then be as large as a match (default false)',
});

/** A player in responses and events. A later version may add fields. */
const playerView = z.object(player.shape).meta({ id: 'TicketPlayer' });

/** A further queue of a posted ticket. */
const furtherQueue = z
  .strictObject({
    queue: queueName,
    players: partyOf(newPlayer).exactOptional().meta({
      description:
        'The same players as they are in this queue (default: as above, without skill where the queue has a ladder)',
    }),
    split,
  })
  .meta({ id: 'FurtherQueue' });

const fieldsOf = <T extends z.ZodType>(party: T) => ({
  ticketId: id,
  players: party,
  split,
  replaces: id.exactOptional().meta({
    description:
      'A QUEUED ticket with at least one of these players, and one of these queues. It is cancelled, and this ticket has its wait. 409 when it has a match already',
  }),
});

const replacesAnother = (ticket: { readonly ticketId: string; readonly replaces?: string }) =>
  ticket.ticketId !== ticket.replaces;
const REPLACES_ITSELF = {
  path: ['replaces'],
  error: 'Expected the id of another ticket, got that of this one',
};

/** The body that a client POSTs. The client chooses the id, so a repeated request creates no second ticket. */
export const newTicket = z
  .strictObject({
    ...fieldsOf(partyOf(newPlayer)),
    also: z.array(furtherQueue).min(1).max(LIMITS.alsoMax).exactOptional().meta({
      description:
        'Further queues in which the ticket waits at the same time; the first match wins. All of its queues have the same `group`',
    }),
  })
  .refine(replacesAnother, REPLACES_ITSELF)
  .meta({ id: 'NewTicket' });

/** The ticket of a body in one of its queues, with the skill of each player. */
export const skilledTicket = z.strictObject(fieldsOf(players)).refine(replacesAnother, REPLACES_ITSELF);
export type NewTicket = z.output<typeof skilledTicket>;

/** A ticket of a tickets file, as `muster match` and dry runs read it. */
export const fileTicket = z
  .strictObject({ ticketId: id, enqueuedAt: z.iso.datetime({ offset: true }), players, split })
  .meta({ id: 'FileTicket' });

const estimatedWaitSeconds = z
  .object({
    p50: z.number(),
    p90: z.number().optional().meta({
      description:
        'Absent while fewer than nine of ten such tickets are known to be matched before their time-out',
    }),
  })
  .optional()
  .meta({
    description:
      'In responses to POST and GET, while QUEUED: within this many seconds from now half of the tickets like this one are matched, and nine of ten. Absent while too little is known',
  });

/** A ticket in responses and events. */
export const ticketView = z
  .object({
    ticketId: id,
    queue: queueName,
    status: z.enum(TICKET_STATUSES),
    enqueuedAt: z.iso.datetime(),
    players: z.array(playerView).meta({ description: 'The party' }),
    split: z
      .literal(true)
      .optional()
      .meta({ description: 'Present when the party may be divided over teams' }),
    replaces: id.optional().meta({ description: 'The ticket that it has replaced' }),
    replacedBy: id.optional().meta({ description: 'The ticket that has replaced it' }),
    matchId: z.string().optional().meta({ description: 'Present once the ticket has a match' }),
    acceptance: z
      .object({
        deadline: z.iso.datetime(),
        ready: z.number().int().meta({ description: 'How many players of the match have accepted' }),
        of: z.number().int().meta({ description: 'How many players are asked' }),
        players: z
          .array(z.string())
          .meta({ description: 'Those of this ticket who have accepted, by playerId' }),
      })
      .optional()
      .meta({
        description: 'While REQUIRES_ACCEPTANCE: until when its match can be accepted, and by how many it is',
      }),
    estimatedWaitSeconds,
    watch: z
      .object({
        url: z.string(),
        tokens: z.record(z.string(), z.string()).meta({ description: 'By playerId, one for each player' }),
        pingSeconds: z
          .number()
          .int()
          .optional()
          .meta({ description: 'In a queue with presence: ping at this interval' }),
      })
      .optional()
      .meta({
        description:
          'In responses to POST, if the deployment has push: a game client that opens the WebSocket `url` with its token, as `URL?token=TOKEN`, gets every change of this ticket. Pass each player their own token only',
      }),
    reason: z.string().optional().meta({
      description:
        'Why the ticket ended without a match. While QUEUED, with `explain=true`: why it is not matched yet',
    }),
    reasonCode: z.enum(TICKET_REASON_CODES).optional().meta({
      description:
        'Why the ticket ended without a match, for programs. DECLINED and NOT_ACCEPTED: it, or a player of it, has declined its match, or has not answered in time. PLACEMENT_REFUSED and PLACEMENT_TIMED_OUT: as for its match. PLAYER_LEFT: a player of it was gone for longer than the grace of its queue. NO_MATCH_IN_TIME: the time-out of its queue. CANCELLED_BY_REQUEST: by a client. REPLACED: another ticket has taken over its wait. NO_LONGER_FITS: the queue was changed. MATCH_TOO_LARGE, UNREADABLE: its data cannot be stored in a match, or not be read. QUEUE_DELETED: it would have returned to a queue that is deleted',
    }),
    queues: z
      .array(
        z.object({
          queue: queueName,
          estimatedWaitSeconds,
          reason: z.string().optional().meta({
            description: 'With `explain=true`, while QUEUED: why it is not matched in this queue yet',
          }),
        }),
      )
      .optional()
      .meta({
        description:
          'Present when the ticket was posted to several queues: all of them, that of the post first. `queue` is that of the post, and in a match that of the match',
      }),
  })
  .meta({ id: 'Ticket' });
export type TicketView = z.output<typeof ticketView>;

/** The number in a query parameter. Number would turn blank text into 0, so blank text stays invalid. */
const numberIn = (text: unknown) => (typeof text === 'string' && text.trim() !== '' ? Number(text) : text);

/** API Gateway ends a request after 30 s. */
const WAIT_SECONDS_MAX = 20;

/** The query parameter that lets a request for a ticket wait for a change. */
export const waitSeconds = z.preprocess(numberIn, z.number().min(0).max(WAIT_SECONDS_MAX)).optional().meta({
  description:
    'Respond when the ticket has changed, or after this many seconds. A change is another status than `seen`, another match, a final status, or with `ready` more players who are ready: each of up to 20 players, above each twentieth part of them and the last four. A match that has to be accepted by the ticket, or by the player who asks, is reported at once, unless there is `ready`',
});

/** The query parameters of a request for a ticket. */
export const ticketQuery = z.object({
  waitSeconds,
  seen: z.enum(TICKET_STATUSES).optional().meta({
    description:
      'With waitSeconds: the last status that the client has seen (default: the status at the start of the request)',
  }),
  ready: z.preprocess(numberIn, wholeIn(0, LIMITS.seatsMax)).optional().meta({
    description:
      'With waitSeconds, while REQUIRES_ACCEPTANCE: the last `acceptance.ready` that the client has seen',
  }),
  explain: z.enum(['true', 'false']).optional().meta({
    description:
      'true: `reason` explains why a QUEUED ticket is waiting. This runs a search, so do not use it for polling',
  }),
});
