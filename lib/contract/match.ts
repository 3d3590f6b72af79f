import * as z from 'zod';
import type { Game, Seat } from '../engine/types.ts';
import { id } from './ticket.ts';

/** A match never waits in a queue, and is never cancelled by a player. */
export const MATCH_STATUSES = ['REQUIRES_ACCEPTANCE', 'PLACING', 'COMPLETED', 'FAILED'] as const;
export type MatchStatus = (typeof MATCH_STATUSES)[number];

const seat = z.object({
  playerId: z.string(),
  ticketId: z.string().optional().meta({ description: 'Absent for a bot' }),
  role: z.string().optional(),
  bot: z.literal(true).optional(),
});
export const teams = z.array(z.object({ players: z.array(seat) })).length(2);

/** Where a match is played. */
export const assignment = z
  .strictObject({
    address: z.string().min(1).max(253).meta({ description: 'Host name or IP address' }),
    port: z.number().int().min(1).max(65_535).optional(),
    sessionId: z.string().min(1).max(1024).optional(),
    tokens: z
      .record(id, z.string().min(1).max(4096))
      .optional()
      .meta({ description: 'What each player shows the game server, by playerId' }),
  })
  .meta({ id: 'Assignment' });
export type Assignment = z.output<typeof assignment>;

const quality = {
  imbalance: z.number().meta({ description: 'alpha · teamGap + skillSpread' }),
  teamGap: z.number().meta({ description: 'd_p, the difference of the two teams' }),
  skillSpread: z.number().meta({ description: 'v_q, the spread of all players' }),
  priority: z.number().meta({ description: 'imbalance − beta · (longest wait in seconds)' }),
  lowerBound: z
    .number()
    .meta({ description: 'No game of the pool at that moment could have had a lower priority' }),
};

/** A match as the service tells of it. */
export const matchView = z
  .object({
    matchId: z.string(),
    queue: z.string(),
    status: z.enum(MATCH_STATUSES),
    createdAt: z.iso.datetime(),
    teams,
    ...quality,
    assignment: assignment.optional(),
    acceptance: z
      .object({ deadline: z.iso.datetime(), accepted: z.array(z.string()) })
      .optional()
      .meta({ description: 'While REQUIRES_ACCEPTANCE: by when, and which tickets have accepted' }),
    reason: z.string().optional().meta({ description: 'Why it FAILED' }),
  })
  .meta({ id: 'Match' });
export type MatchView = z.output<typeof matchView>;

/** The JSON of `muster match` and of dry runs. */
export const matchResult = z
  .object({
    queue: z.string(),
    matches: z.array(z.object({ teams, ...quality })),
    waiting: z.array(z.object({ ticketId: z.string(), reason: z.string() })),
  })
  .meta({ id: 'MatchResult' });
export type MatchResult = z.output<typeof matchResult>;

/** A game in the form of `muster match`. */
export function gameJson(game: Game): MatchResult['matches'][number] {
  const { teams, imbalance, teamGap, skillSpread, priority, lowerBound } = game;
  return {
    teams: teams.map((players) => ({ players: players.map(seatJson) })),
    imbalance,
    teamGap,
    skillSpread,
    priority,
    lowerBound,
  };
}

/** A bot has no ticket: nobody asked for it. */
function seatJson(seat: Seat): Omit<Seat, 'ticketId'> & { ticketId?: string } {
  if (!seat.bot) return { ...seat };
  const { ticketId: _, ...bot } = seat;
  return bot;
}
