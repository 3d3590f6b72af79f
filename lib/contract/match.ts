import * as z from 'zod';
import type { Game, Seat } from '../vocabulary/game.ts';
import { wholeIn } from './limit.ts';
import { MATCH_REASON_CODES } from './reason-code.ts';
import { resultView } from './result.ts';
import { playerAttributes } from './rules.ts';
import { id } from './ticket.ts';

/** A match never waits in a queue, and is never cancelled by a player. */
export const MATCH_STATUSES = ['REQUIRES_ACCEPTANCE', 'PLACING', 'COMPLETED', 'FAILED'] as const;
export type MatchStatus = (typeof MATCH_STATUSES)[number];

const seatSchema = z.object({
  playerId: z.string(),
  ticketId: z.string().optional().meta({ description: 'Absent for a bot' }),
  role: z.string().optional(),
  bot: z.literal(true).optional(),
  attributes: playerAttributes.optional().meta({
    description:
      'The attributes that its ticket was posted with; to a player, those that are `visibleTo` match',
  }),
});
/** One team of a match. */
export const team = z.object({
  name: z.string().optional().meta({ description: 'Present when the queue has a list of teams' }),
  players: z.array(seatSchema),
});
const teams = z
  .array(team)
  .min(1)
  .meta({ description: "In the order of the queue's definition; two equal teams have no order" });

/** The game server of a match. */
export const assignment = z
  .strictObject({
    address: z.string().min(1).max(253).meta({ description: 'Host name or IP address' }),
    port: wholeIn(1, 65_535).optional(),
    sessionId: z.string().min(1).max(1024).optional(),
    tokens: z
      .record(id, z.string().min(1).max(4096))
      .optional()
      .meta({ description: 'The token that each player presents to the game server, by playerId' }),
  })
  .meta({ id: 'Assignment' });
export type Assignment = z.output<typeof assignment>;

/** The same in responses and events. A later version may add fields. */
export const assignmentView = z.object(assignment.shape).meta({ id: 'MatchAssignment' });

/** The quality of a match, and its proved bounds. */
export const quality = {
  imbalance: z.number().meta({ description: 'alpha · teamGap + skillSpread; 0 is perfect' }),
  teamGap: z.number().meta({ description: 'd_p, the greatest difference between two teams; 0 is equal' }),
  skillSpread: z.number().meta({ description: 'v_q, how much the skills of all players differ; 0 is equal' }),
  priority: z.number().meta({
    description:
      'imbalance − beta · (longest wait of its tickets, in seconds). The search minimises it; lower is better',
  }),
  lowerBound: z.number().meta({
    description:
      'A proved lower bound on `priority` (not on `imbalance`): no match of the players in the pool at that moment, without bots, had a lower priority. `priority − lowerBound` is the most that this match can be worse than the best one',
  }),
  optimal: z.boolean().meta({
    description:
      'Whether the match is proved to have the lowest priority of all that its `lowerBound` is about: `lowerBound` = `priority`',
  }),
};

/** The results of a queue's rules for a match. */
export const ruling = {
  region: z.string().optional().meta({
    description:
      'Where the match is played: of the regions that the latency rule permits, the one with the least latency for its worst player',
  }),
  rules: z
    .record(
      z.string(),
      z.object({
        cost: z.number().optional().meta({ description: 'The cost that the rule added to `imbalance`' }),
        values: z
          .array(z.string())
          .optional()
          .meta({ description: 'The values that the players share under the rule' }),
      }),
    )
    .optional()
    .meta({
      description:
        'By name of the rule: its cost, and the values that the players share. A player sees only rules that read only attributes `visibleTo` match',
    }),
};

const rating = z.object({ mean: z.number(), deviation: z.number() });

/** The expected odds of a match in a queue with a ladder. */
export const foreseen = {
  ladder: z.string().optional().meta({ description: 'The ladder whose ratings its result changes' }),
  expected: z.array(z.number()).optional().meta({
    description:
      'The chance of each team to win, as the ladder predicts it. They sum to 1. Absent when the ratings could not be read',
  }),
};

/** A match in responses and events. */
export const matchView = z
  .object({
    matchId: z.string(),
    queue: z.string(),
    status: z.enum(MATCH_STATUSES),
    createdAt: z.iso.datetime(),
    teams,
    ...quality,
    ...ruling,
    assignment: assignmentView.optional(),
    acceptance: z
      .object({
        deadline: z.iso.datetime(),
        accepted: z.array(z.string()),
        declined: z.array(z.string()).optional(),
        unanswered: z.array(z.string()).optional(),
      })
      .optional()
      .meta({
        description:
          'While REQUIRES_ACCEPTANCE: the deadline, and the players who have accepted. Of a match that FAILED because it was not accepted also those who declined, and those who had not answered. Where a ticket answers as a whole, all of its players have its answer. Not shown to players',
      }),
    reason: z.string().optional().meta({ description: 'Why it FAILED' }),
    reasonCode: z.enum(MATCH_REASON_CODES).optional().meta({
      description:
        'Why it FAILED, for programs. DECLINED: a player or a ticket has declined. NOT_ACCEPTED: not all have answered in time. PLACEMENT_REFUSED: its provisioner has refused it. PLACEMENT_TIMED_OUT: it had no assignment in time. PLAYER_LEFT: a player was gone before it was accepted or placed',
    }),
    requeued: z.literal(true).optional().meta({
      description:
        'Present when its tickets return to the queue, because it was not placed. A ticket is FAILED with its third unplaced match. If players had left, their tickets are CANCELLED',
    }),
    roster: z.number().optional().meta({
      description: 'The version of `teams`: absent in the first; each backfill makes the next, from 2 up',
    }),
    newTicketIds: z
      .array(z.string())
      .optional()
      .meta({ description: 'The tickets that the last backfill added. Absent in the first roster' }),
    endedAt: z.iso.datetime().optional().meta({ description: 'When the match was ended for good' }),
    ...foreseen,
    result: resultView.optional(),
    ratings: z
      .array(z.object({ playerId: z.string(), before: rating, after: rating }))
      .optional()
      .meta({
        description: 'Present once its result is rated: each player. To a player, their own alone',
      }),
  })
  .meta({ id: 'Match' });
export type MatchView = z.output<typeof matchView>;

/** The JSON of `muster match` and of dry runs. */
export const matchResult = z
  .object({
    queue: z.string(),
    matches: z.array(z.object({ teams, ...quality, ...ruling })),
    waiting: z.array(z.object({ ticketId: z.string(), reason: z.string() })),
    backfilled: z
      .array(
        z.object({
          backfillId: z.string(),
          newTicketIds: z.array(z.string()),
          teams,
          ...quality,
          increment: z.number().meta({
            description: 'The increase that the newcomers cause in the least possible imbalance of the match',
          }),
          ...ruling,
        }),
      )
      .optional()
      .meta({ description: 'Of `muster match --backfills`: running matches with their newcomers' }),
    unfilled: z
      .array(z.object({ backfillId: z.string(), reason: z.string() }))
      .optional()
      .meta({ description: 'Of `muster match --backfills`: running matches that got no players' }),
    cut: z.literal(true).optional().meta({
      description: 'The search of a dry run reached its limit: there may be more matches, and better ones',
    }),
  })
  .meta({ id: 'MatchResult' });
export type MatchResult = z.output<typeof matchResult>;

/** A game in the format of `muster match`. */
export function gameJson(game: Game): MatchResult['matches'][number] {
  const {
    teams,
    teamNames,
    imbalance,
    teamGap,
    skillSpread,
    priority,
    lowerBound,
    optimal,
    ruling: said,
  } = game;
  return {
    teams: teams.map((players, t) => ({
      ...(teamNames && { name: teamNames[t]! }),
      players: players.map(seatJson),
    })),
    imbalance,
    teamGap,
    skillSpread,
    priority,
    lowerBound,
    optimal,
    ...(said?.region !== undefined && { region: said.region }),
    ...(said?.rules && { rules: mapValues(said.rules) }),
  };
}

function mapValues(rules: NonNullable<NonNullable<Game['ruling']>['rules']>) {
  const entries = Object.entries(rules).map(([name, { cost, values }]): [string, RuleResult] => [
    name,
    { ...(cost !== undefined && { cost }), ...(values && { values: [...values] }) },
  ]);
  return Object.fromEntries(entries);
}

interface RuleResult {
  cost?: number;
  values?: string[];
}

/** Omits the ticketId of a bot, which has no ticket. */
function seatJson(seat: Seat): z.output<typeof seatSchema> {
  const { playerId, ticketId, role, bot, attributes } = seat;
  return {
    playerId,
    ...(!bot && { ticketId }),
    ...(role !== undefined && { role }),
    ...(bot && { bot }),
    ...(attributes && { attributes: attributes as z.output<typeof playerAttributes> }),
  };
}
