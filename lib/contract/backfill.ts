import * as z from 'zod';
import { wholeIn } from './limit.ts';
import { LIMITS, queueName } from './queue-definition.ts';
import { id, newPlayer, player } from './ticket.ts';

/** The statuses of a backfill. It is COMPLETED with the roster version that has its newcomers. */
const BACKFILL_STATUSES = ['QUEUED', 'COMPLETED', 'CANCELLED', 'TIMED_OUT'] as const;
export type BackfillStatus = (typeof BACKFILL_STATUSES)[number];

const region = z.string().min(1).max(64).exactOptional().meta({
  description: 'Where the match is played (default: the region that Muster chose for it, if any)',
});

const team = wholeIn(0, LIMITS.teamsMax - 1).meta({
  description: "The index of the player's team in the match",
});

/** A player of the match, before the ladder of the queue has given the skill. */
const newPresentPlayer = z.strictObject({ ...newPlayer.shape, team }).meta({ id: 'NewPresentPlayer' });
const presentPlayer = z.strictObject({ ...player.shape, team }).meta({ id: 'PresentPlayer' });

const backfillOf = <T extends z.ZodType>(present: T) =>
  z.strictObject({
    backfillId: id,
    players: z.array(present).min(1).max(LIMITS.seatsMax).meta({
      description: 'The players who are still in the match. All other seats of its teams are empty',
    }),
    roster: z.number().int().min(1).exactOptional().meta({
      description:
        'The roster of the match that the server knows (default: the first one, or the newest one if one of its newcomers is among the players). 409 when the match has another one',
    }),
    region,
  });

/** The body that a client POSTs. The client chooses the id, so a repeated request creates no second backfill. */
export const newBackfill = backfillOf(newPresentPlayer).meta({ id: 'NewBackfill' });

/** The same with the skill of each player. */
export const skilledBackfill = backfillOf(presentPlayer);
export type NewBackfill = z.output<typeof newBackfill>;

/** The running matches of a file, as `muster match` reads it. */
export const fileBackfills = z.array(
  z.strictObject({
    backfillId: id,
    enqueuedAt: z.iso.datetime({ offset: true }),
    players: skilledBackfill.shape.players,
    region,
  }),
);

/** A backfill in responses. */
export const backfillView = z
  .object({
    backfillId: id,
    matchId: z.string(),
    queue: queueName,
    status: z.enum(BACKFILL_STATUSES),
    enqueuedAt: z.iso.datetime(),
    roster: z
      .number()
      .optional()
      .meta({ description: 'When COMPLETED: the version of the roster that has the newcomers' }),
    reason: z.string().optional().meta({ description: 'Why it was CANCELLED or TIMED_OUT' }),
  })
  .meta({ id: 'Backfill' });
export type BackfillView = z.output<typeof backfillView>;

/** The body of a request to end a match. */
export const matchEnd = z
  .strictObject({
    leavers: z.array(id).max(LIMITS.seatsMax).exactOptional().meta({
      description:
        'The players who have left the match before its end, including those whose seats were filled since. In a queue with `cooldown.leave` they wait before their next ticket; elsewhere this changes nothing',
    }),
  })
  .meta({ id: 'MatchEnd' });
