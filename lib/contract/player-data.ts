import * as z from 'zod';
import { offence } from './cooldown.ts';
import { matchView, team } from './match.ts';
import { ratingView } from './rating.ts';
import { ticketView } from './ticket.ts';

/** The `continuation` of an earlier response. */
const continuation = z.string().max(2_048);

/** The query of a request for the data of a player, or for its erasure. */
export const continuationQuery = z.object({
  continuation: continuation.optional().meta({
    description: 'The `continuation` of the previous response (default: from the beginning)',
  }),
});

/** The progress of the erasure of a player. */
export const playerErasure = z
  .object({
    playerId: z.string(),
    isErased: z.boolean().meta({
      description: 'true: all tables were read from the beginning to the end, and none named the player',
    }),
    changed: z.number().int().meta({
      description:
        'The items that were erased or blanked since the beginning, by this and the requests before it',
    }),
    pending: z.number().int().meta({
      description:
        'The items of matches that are not accepted or placed yet, or that ask for players. Repeat the request when these have ended, after an hour at most for a match',
    }),
    unreadable: z.number().int().meta({
      description:
        'The items that this version of Muster cannot read, or whose match it cannot read, as after a rollback. They stay. Repeat the request with the version that wrote them; each expires with its table',
    }),
    continuation: continuation.optional().meta({
      description: 'Repeat the request with it: the tables were not read to their end',
    }),
  })
  .meta({ id: 'PlayerErasure' });
export type PlayerErasure = z.output<typeof playerErasure>;

const seat = team.shape.players.element;
const rating = matchView.shape.ratings.unwrap().element;

/** The stored data about a player. */
export const playerData = z
  .object({
    playerId: z.string(),
    tickets: z.array(ticketView).meta({
      description: 'With this player alone, and as `GET /tickets/{ticketId}` returns them otherwise',
    }),
    matches: z.array(
      matchView
        .pick({
          matchId: true,
          queue: true,
          status: true,
          createdAt: true,
          region: true,
          reason: true,
          reasonCode: true,
          endedAt: true,
        })
        .extend({
          seat: seat.optional().meta({ description: 'Absent if only a token of the player is stored' }),
          token: z.string().optional().meta({ description: "The player's token of the game server" }),
          joinedAt: z.iso.datetime().optional().meta({ description: 'When a backfill added the player' }),
          result: z
            .object({
              at: z.iso.datetime(),
              rank: z.number().optional().meta({ description: "That of the player's team" }),
              weight: z.number().optional().meta({
                description: 'The part of the match that the player was there for (default 1)',
              }),
            })
            .optional()
            .meta({ description: 'Without `rank` it is void' }),
          rating: rating.omit({ playerId: true }).optional().meta({
            description: 'The change by the result: before and after the match',
          }),
        }),
    ),
    backfills: z.array(
      z.object({
        backfillId: z.string(),
        matchId: z.string(),
        queue: z.string(),
        player: ticketView.shape.players.element,
      }),
    ),
    meetings: z
      .array(
        z.object({
          queue: z.string(),
          met: z.array(z.object({ playerId: z.string(), at: z.iso.datetime() })),
        }),
      )
      .meta({
        description:
          'The players that the player has met, in queues with a `recent` rule: the record of the queue, and its copies in tickets and backfills',
      }),
    places: z.array(z.object({ queue: z.string(), ticketId: z.string() })).meta({
      description:
        'The last ticket of the player in queues with `onePlace`; `queue` is * for those with `onePlace: "service"` together',
    }),
    cooldowns: z
      .array(
        z.object({
          queue: z.string(),
          offences: z.array(offence),
          forgivenAt: z.iso
            .datetime()
            .optional()
            .meta({ description: 'Offences up to this time no longer count' }),
        }),
      )
      .meta({ description: 'The offences of the player in queues with `cooldown`, oldest first' }),
    ratings: z
      .array(
        z.object({
          ladder: z.string(),
          mean: z.number(),
          deviation: z.number(),
          matches: z.number().int(),
          updatedAt: z.iso.datetime(),
          recent: ratingView.shape.recent,
        }),
      )
      .meta({ description: "The player's ratings, by ladder" }),
    unreadable: z.number().int().meta({
      description:
        'The items, of this part and those before it, that this version of Muster cannot read, or whose match it cannot read. They are not in the data',
    }),
    continuation: continuation.optional().meta({
      description: 'Repeat the request with it to read the rest',
    }),
  })
  .meta({ id: 'PlayerData' });
export type PlayerData = z.output<typeof playerData>;
