import * as z from 'zod';
import { failingFunction } from '../../contract/queue-stats.ts';
import { type TickMemory, tickMemory } from '../../policies/memory.ts';
import { type WaitTable, waitTable } from '../../policies/waits/wait-table.ts';
import { bucketLoad } from './bucket-load.ts';
import { matchTally } from './match-tally.ts';
import { minuteCounts } from './minute-counts.ts';
import { setAside } from './set-aside.ts';
import type { Read } from './unreadable.ts';

/**
 * The counts of a tick: matches that it has committed, tickets that were matched or timed out, searches that were cut short
 * because their time was up, and missed last chances for which no proof shows that there was no game.
 */
export type TickCount = 'found' | 'matched' | 'timedOut' | 'cut' | 'missed';

/** The backfills of a range after a tick. */
const backfillReport = z.object({
  /** The number of open backfills that the tick has read, and the longest of their waits. */
  open: z.number(),
  oldestWaitMs: z.number(),
  /** The last filled backfills, newest last: the time from the request until it was filled, and the players who joined. */
  filled: z.array(z.object({ waitMs: z.number(), players: z.number() })),
});
export type BackfillReport = Read<typeof backfillReport>;

/**
 * What a tick stores for the statistics and for the release policy of the next tick. A part of another type is dropped; a policy
 * then learns again.
 */
export const tickReport = z.object({
  slotMs: z.number(),
  durationMs: z.number(),
  waiting: z.number(),
  oldestWaitMs: z.number(),
  matches: z.number(),
  /** The last matches of this range, newest last, with the wait of each of its tickets. */
  recent: z.array(z.object({ imbalance: z.number(), waitsMs: z.array(z.number()) })),
  /** The counts of the ticks of the last minutes. */
  counted: minuteCounts.optional().catch(undefined),
  /** What the release policy has learned about the range. */
  memory: tickMemory.optional().catch(undefined),
  /** Players per second in the range when the newest player arrived. A pause in arrivals does not lower it. */
  arrivalRate: z.number().optional(),
  /** The sort key where the next tick continues to read, if this one could not read the whole range. */
  next: z.string().optional(),
  /** The same for open backfills. */
  nextBackfill: z.string().optional(),
  /** The load of the range. */
  load: bucketLoad.optional().catch(undefined),
  /** The matches of the last hour by region and rule, in a queue with rules. */
  tally: matchTally.optional().catch(undefined),
  /** How long tickets wait in the range, for estimates. */
  waits: waitTable.optional().catch(undefined),
  /** The backfills of the range, in a queue with backfills. */
  backfills: backfillReport.optional().catch(undefined),
  /** The ids of linked tickets that other ticks have claimed first, each with the time until which this range skips it. */
  skipped: z
    .array(z.tuple([z.string(), z.number()]))
    .optional()
    .catch(undefined),
  /** The number of linked tickets among the waiting ones. */
  linked: z.number().optional(),
  /** Present while the range is not searched, because its ticks fail. */
  setAside: setAside.optional().catch(undefined),
  /** The calls of the studio's functions that failed in the last tick in which some did, and its slot. */
  failing: z
    .object({ slotMs: z.number(), failures: z.array(failingFunction) })
    .optional()
    .catch(undefined),
});
export type TickReport = Omit<Read<typeof tickReport>, 'memory' | 'waits'> & {
  readonly memory?: TickMemory | undefined;
  readonly waits?: WaitTable | undefined;
};

/** A committed match, for the statistics. */
export type RecentMatch = TickReport['recent'][number];
