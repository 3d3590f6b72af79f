import * as z from 'zod';
import { type ExperimentDefinition, experimentDefinition } from '../../contract/experiment.ts';
import type { Schedule } from '../../experiments/schedule.ts';

/** An experiment as it is stored with its queue. It stays after its end, until the next one begins. */
export interface StoredExperiment {
  readonly definition: ExperimentDefinition;
  /** When which variant is in force, with the seed that was drawn when the experiment began. */
  readonly schedule: Schedule;
  /** The number of the version of the queue's definition on which the variants are based. */
  readonly ofVersion: number;
  /** Set when it ended before its last block. */
  readonly ended?: EarlyEnd | undefined;
}

/** Why an experiment ended early. `stopped`: its own stop rule ended it. */
export interface EarlyEnd {
  readonly atMs: number;
  readonly why: 'ended' | 'stopped' | 'queueDeleted';
  /** A sentence for people. */
  readonly text: string;
}

/** The schema of a stored experiment. */
export const storedExperiment = z.object({
  definition: experimentDefinition,
  schedule: z.object({
    seed: z.number(),
    startMs: z.number(),
    blockMs: z.number(),
    burnInMs: z.number(),
    variants: z.number(),
    rounds: z.number(),
  }),
  ofVersion: z.number(),
  ended: z
    .object({ atMs: z.number(), why: z.enum(['ended', 'stopped', 'queueDeleted']), text: z.string() })
    .optional(),
}) satisfies z.ZodType<StoredExperiment>;
