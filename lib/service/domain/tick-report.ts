import * as z from 'zod';
import { failingFunction } from '../../contract/queue-stats.ts';
import { type TickMemory, tickMemory } from '../../policies/memory.ts';
import { type WaitTable, waitTable } from '../../policies/waits/wait-table.ts';
import type { CustomFailure } from '../../rules/custom/calls.ts';
import { type BucketLoad, bucketLoad } from './bucket-load.ts';
import { type MatchTally, matchTally } from './match-tally.ts';
import { type MinuteCounts, minuteCounts } from './minute-counts.ts';
import { type SetAside, setAside } from './set-aside.ts';

/**
 * The counts of a tick: matches that it has committed, tickets that were matched or timed out, searches that were cut short
 * because their time was up, and missed last chances for which no proof shows that there was no game.
 */
export type TickCount = 'found' | 'matched' | 'timedOut' | 'cut' | 'missed';

/** What a tick stores for the statistics and for the release policy of the next tick. */
export interface TickReport {
  readonly slotMs: number;
  readonly durationMs: number;
  readonly waiting: number;
  readonly oldestWaitMs: number;
  readonly matches: number;
  /** The last matches of this range, newest last. */
  readonly recent: readonly RecentMatch[];
  /** The counts of the ticks of the last minutes. */
  readonly counted?: readonly MinuteCounts<TickCount>[] | undefined;
  /** What the release policy has learned about the range. */
  readonly memory?: TickMemory | undefined;
  /** Players per second in the range when the newest player arrived. A pause in arrivals does not lower it. */
  readonly arrivalRate?: number | undefined;
  /** The sort key where the next tick continues to read, if this one could not read the whole range. */
  readonly next?: string | undefined;
  /** The same for open backfills. */
  readonly nextBackfill?: string | undefined;
  /** The load of the range. */
  readonly load?: BucketLoad | undefined;
  /** The matches of the last hour by region and rule, in a queue with rules. */
  readonly tally?: MatchTally | undefined;
  /** How long tickets wait in the range, for estimates. */
  readonly waits?: WaitTable | undefined;
  /** The backfills of the range, in a queue with backfills. */
  readonly backfills?: BackfillReport | undefined;
  /** The ids of linked tickets that other ticks have claimed first, each with the time until which this range skips it. */
  readonly skipped?: readonly (readonly [string, number])[] | undefined;
  /** The number of linked tickets among the waiting ones. */
  readonly linked?: number | undefined;
  /** Present while the range is not searched, because its ticks fail. */
  readonly setAside?: SetAside | undefined;
  /** The calls of the studio's functions that failed in the last tick in which some did, and its slot. */
  readonly failing?: { readonly slotMs: number; readonly failures: readonly CustomFailure[] } | undefined;
}

/** The backfills of a range after a tick. */
export interface BackfillReport {
  /** The number of open backfills that the tick has read, and the longest of their waits. */
  readonly open: number;
  readonly oldestWaitMs: number;
  /** The last filled backfills, newest last. */
  readonly filled: readonly FilledBackfill[];
}

/** A filled backfill, for the statistics. */
export interface FilledBackfill {
  /** From the request until the backfill was filled. */
  readonly waitMs: number;
  /** The number of players who joined. */
  readonly players: number;
}

/** A committed match, for the statistics. */
export interface RecentMatch {
  readonly imbalance: number;
  /** The wait of each of its tickets. */
  readonly waitsMs: readonly number[];
}

/** The schema of a stored report. A memory of another type is dropped, and the policy learns again. */
export const tickReport = z.object({
  slotMs: z.number(),
  durationMs: z.number(),
  waiting: z.number(),
  oldestWaitMs: z.number(),
  matches: z.number(),
  recent: z.array(z.object({ imbalance: z.number(), waitsMs: z.array(z.number()) })),
  counted: minuteCounts.optional().catch(undefined),
  memory: tickMemory.optional().catch(undefined),
  arrivalRate: z.number().optional(),
  next: z.string().optional(),
  nextBackfill: z.string().optional(),
  load: bucketLoad.optional().catch(undefined),
  tally: matchTally.optional().catch(undefined),
  waits: waitTable.optional().catch(undefined),
  backfills: z
    .object({
      open: z.number(),
      oldestWaitMs: z.number(),
      filled: z.array(z.object({ waitMs: z.number(), players: z.number() })),
    })
    .optional()
    .catch(undefined),
  skipped: z
    .array(z.tuple([z.string(), z.number()]))
    .optional()
    .catch(undefined),
  linked: z.number().optional(),
  setAside: setAside.optional().catch(undefined),
  failing: z
    .object({ slotMs: z.number(), failures: z.array(failingFunction) })
    .optional()
    .catch(undefined),
}) satisfies z.ZodType<TickReport>;
