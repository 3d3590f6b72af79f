import * as z from 'zod';
import { experimentState } from './experiment-view.ts';

const seconds = z.number().nullable();

/** The calls of a function of a custom rule that failed in a tick. */
export const failingFunction = z.object({
  rule: z.string(),
  function: z.string(),
  calls: z.number().int().meta({ description: 'The calls of the tick that failed' }),
  message: z.string().meta({ description: 'What was expected and what happened, of the first one' }),
});

/** A choice of players, and whether it leaves their wait without a bound. */
const choice = z.object({
  of: z.enum(['sides', 'roles', 'regions']),
  players: z.number().int().meta({ description: 'Recent players that were counted' }),
  isBounded: z.boolean().nullable().meta({
    description:
      'false: players wait longer and longer under every policy. null while fewer than 100 players are counted',
  }),
  overchosen: z
    .array(z.string())
    .meta({ description: 'The sides or roles that too many players insist on; empty when bounded' }),
  regions: z
    .array(z.string())
    .optional()
    .meta({ description: 'Present when too many insist on them only among the players of these regions' }),
  choiceFreeNeeded: z.number().meta({
    description:
      'The wait is bounded if more than this many of the players per second accepted everything; 0 when bounded',
  }),
  choiceFreeShare: z.number().meta({ description: 'The same as a share of all players' }),
  warning: z.string().nullable().meta({ description: 'The same in a sentence; null when bounded' }),
});

const webhookHealth = z.object({
  url: z.string().meta({ description: 'Without its query, which may hold a token' }),
  state: z.enum(['unused', 'working', 'failing', 'down']).meta({
    description:
      'failing: it has failed since its last success, or fails often. down: its receiver does not respond, so only one webhook is sent to it from time to time',
  }),
  lastSuccessAt: z.iso.datetime().nullable().meta({ description: 'Noted every ten seconds' }),
  lastFailure: z
    .object({
      at: z.iso.datetime(),
      text: z.string(),
      status: z.number().int().optional().meta({ description: 'Of the response, if there was one' }),
    })
    .nullable(),
  failures: z
    .number()
    .int()
    .meta({ description: 'Since the last success, at most one a second of each function' }),
  recent: z.object({ posted: z.number().int(), failed: z.number().int() }).optional().meta({
    description: 'The latest results that one function has seen, 20 at most. Five failures are often',
  }),
  waiting: z.number().int().meta({ description: 'Events that wait for a further try' }),
  waitingSince: z.iso.datetime().nullable().meta({ description: 'The first of these' }),
});
export type WebhookHealth = z.output<typeof webhookHealth>;

const count = z.number().int();
const failedShare = z.number().nullable().meta({ description: 'Of these matches; null without any' });

/** The outcomes of tickets and matches. */
const outcomes = z
  .object({
    since: z.iso.datetime().meta({ description: 'They are counted from this time on: five to six minutes' }),
    tickets: z
      .object({
        matched: count,
        timedOut: count,
        cancelled: count,
        vanished: count.optional().meta({
          description:
            'Cancelled because a player has left, before a match or in one. Present in a queue with presence',
        }),
        elsewhere: count.optional().meta({
          description:
            'Linked tickets that another queue of theirs has matched. Present in a queue with a group',
        }),
        returned: count.meta({ description: 'From matches that failed. Each is matched again, or ends' }),
      })
      .meta({
        description:
          'Tickets by how they left the queue. Those that have left it or wait are those that were posted and those that have returned',
      }),
    matches: z.object({
      found: count,
      requeued: count.meta({ description: 'Not placed, and their tickets have returned to the queue' }),
      ended: count.meta({ description: 'Ended by `POST /matches/{matchId}/end`' }),
    }),
    acceptance: z
      .object({ accepted: count, declined: count, notAccepted: count, failedShare })
      .optional()
      .meta({
        description:
          'Matches whose acceptance has come to its end: all have accepted, one has declined, or not all have answered in time. Present in a queue with acceptance',
      }),
    placement: z.object({ placed: count, refused: count, timedOut: count, failedShare }).optional().meta({
      description:
        'Matches that have got a game server, and those that have not: their provisioner has refused, or no assignment came in time. Present in a queue with a provisioner, or when matches are assigned',
    }),
    cooldowns: z.object({ declined: count, left: count }).optional().meta({
      description:
        'Players whose cooldown began, because they declined a match or did not answer, and because they left one. Present in a queue with cooldown',
    }),
    failing: z
      .object({
        step: z.enum(['acceptance', 'placement', 'provisioner']).meta({
          description: 'provisioner: requests for a game server fail, and are repeated until the deadline',
        }),
        failed: count,
        decided: count,
        minutes: count.meta({ description: 'Counted over this many minutes' }),
      })
      .optional()
      .meta({
        description:
          "Present while at least three matches, and at least the share that the deployment's option `failedShare` sets, fail at this step",
      }),
  })
  .meta({
    description:
      'From the ticket to the game. The counts may miss or repeat some while a function is stopped or a table is throttled',
  });

/** The statistics of a queue. */
export const queueStats = z
  .object({
    queue: z.string(),
    at: z.iso.datetime().meta({ description: 'When these were read, by the clock of the service' }),
    arrivals: z
      .object({
        playersPerSecond: z.number().meta({
          description: 'When the last of them came, measured over about the last 300 players',
        }),
        silentSeconds: z.number().meta({ description: 'Since the last ticket, as far as ticks have looked' }),
      })
      .nullable()
      .meta({
        description: 'The players who arrive; null before the first ticket',
      }),
    waiting: z.number().int().meta({ description: 'Tickets that were waiting at `waitingAt`' }),
    waitingAt: z.iso.datetime().nullable().meta({
      description:
        'The tick that counted the tickets: a tick or two ago while tickets are waiting. With several buckets, the oldest of the ticks that were counted. null before the first tick',
    }),
    linked: z.number().int().optional().meta({
      description: 'Those of them that wait in further queues too; absent when there is none',
    }),
    oldestWaitSeconds: seconds.meta({ description: 'As of the last tick; null when no ticket was waiting' }),
    lastTickAt: z.iso.datetime().nullable(),
    tickOverdueSeconds: z.number().meta({
      description:
        'How long ticks are missing that should have run, because tickets are waiting or were posted; about 0 while ticks run',
    }),
    tickMilliseconds: z
      .number()
      .nullable()
      .meta({ description: 'The duration of the last tick; with several buckets, the longest' }),
    recentMatches: z
      .object({
        count: z.number().int(),
        imbalanceMean: z.number().nullable(),
        waitSecondsP50: seconds,
        waitSecondsP99: seconds,
      })
      .meta({
        description:
          'Over the last matches of each bucket, 20 at most. The waits are those of matched tickets; for waiting tickets see `waiting` and `oldestWaitSeconds`',
      }),
    recentEnds: z
      .object({
        tickets: z.number().int(),
        timedOutShare: z.number().nullable().meta({ description: 'null without tickets' }),
      })
      .meta({
        description: 'The tickets that were matched or timed out since `outcomes.since`',
      }),
    outcomes,
    faults: z
      .object({
        notPublished: count.meta({
          description:
            'Tries to publish an event that the event bus rejected. They are repeated; until then webhooks, placements and deadlines are late',
        }),
        notDispatched: count.meta({
          description:
            'Runs of `dispatch`, one a minute, that failed for this queue. Ticks may end, and what crashed ticks have left is not settled',
        }),
        minutes: count.meta({ description: 'Counted over this many minutes' }),
      })
      .optional()
      .meta({ description: 'Present when functions of Muster have just failed at work for this queue' }),
    searchesCut: z.number().int().meta({
      description:
        'Searches since `outcomes.since` that were cut short because their time was up. The next one continues; many mean that the queue is hard to search',
    }),
    webhooks: z.array(webhookHealth).optional().meta({
      description:
        'The webhooks of the queue. The numbers may be off by those of functions that were stopped; none of them decides anything',
    }),
    experiment: z
      .object({
        name: z.string(),
        state: experimentState,
        reason: z.string().optional().meta({ description: 'Why it ended before its last block' }),
        variant: z.string().optional().meta({ description: 'The variant in force' }),
      })
      .optional()
      .meta({ description: 'The experiment on the queue, until a day after its end' }),
    setAside: z
      .object({
        failedTicks: z.number().int().meta({ description: 'Ticks in a row that have not succeeded' }),
        lastFailureAt: z.iso.datetime(),
        retryAt: z.iso.datetime().meta({ description: 'The next tick from this time on searches again' }),
        reason: z.string(),
      })
      .optional()
      .meta({
        description:
          'Present while the queue, or one of its buckets, is not searched because its ticks fail. Tickets still time out. It ends with the next tick that succeeds, or when the definition is changed',
      }),
    failingFunctions: z.array(failingFunction).optional().meta({
      description:
        'The functions of custom rules that failed in the last minute, in the last tick in which some did. Each call that fails refuses its match',
    }),
    presenceHeldUntil: z.iso.datetime().optional().meta({
      description:
        'Present while the pings of many players are missing at once, because the service may be at fault. Until this time no ticket is cancelled for missing pings. It is extended while they are missing',
    }),
    regions: z
      .record(
        z.string(),
        z.object({
          share: z.number().meta({ description: 'Of all matches' }),
          waitSecondsMean: z.number().meta({ description: 'The mean wait of its matched tickets' }),
        }),
      )
      .optional()
      .meta({ description: 'Where the matches of about the last hour are played; with a latency rule' }),
    rules: z
      .record(
        z.string(),
        z.object({
          relaxedShare: z.number().nullable().optional().meta({
            description:
              'Of the matches of about the last hour, the share that the rule without its relaxation forbids. Present for rules that relax',
          }),
          costMean: z.number().nullable().optional().meta({
            description: 'The imbalance that it adds to a match, on average. Present for rules with a cost',
          }),
        }),
      )
      .optional()
      .meta({ description: 'The rules by name, in a queue with rules; null before the first match' }),
    backfills: z
      .object({
        open: z
          .number()
          .int()
          .meta({ description: 'Running matches that were asking for players at the last tick' }),
        oldestWaitSeconds: seconds.meta({
          description: 'The longest of their waits; null when none was open',
        }),
        filled: z
          .object({
            count: z.number().int(),
            players: z.number().int().meta({ description: 'The newcomers' }),
            secondsToFillP50: seconds,
            secondsToFillP90: seconds,
            secondsToFillMax: seconds,
          })
          .meta({
            description:
              'Over the last backfills of each bucket that were filled, 20 at most. The time to fill is from the request until the newcomers are in the match',
          }),
      })
      .optional()
      .meta({
        description: 'The backfills, in a queue with `backfill`. Ticks run while tickets are waiting',
      }),
    choices: z.array(choice).optional().meta({
      description:
        'The choices of players: sides, roles and regions. Whether they leave the wait bounded, estimated from the last thousand players or the last hour. Absent for a queue without choices',
    }),
  })
  .meta({ id: 'QueueStats' });
export type QueueStats = z.output<typeof queueStats>;
