import * as z from 'zod';
import { experimentDefinition } from '../../contract/experiment.ts';
import type { Read } from './unreadable.ts';

/** Why an experiment ended early. `stopped`: its own stop rule ended it. */
const earlyEnd = z.object({
  atMs: z.number(),
  why: z.enum(['ended', 'stopped', 'queueDeleted']),
  /** A sentence for people. */
  text: z.string(),
});
export type EarlyEnd = Read<typeof earlyEnd>;

/** An experiment as it is stored with its queue. It stays after its end, until the next one begins. */
export const storedExperiment = z.object({
  definition: experimentDefinition,
  /** When which variant is in force, with the seed that was drawn when the experiment began. */
  schedule: z.object({
    seed: z.number(),
    startMs: z.number(),
    blockMs: z.number(),
    burnInMs: z.number(),
    variants: z.number(),
    rounds: z.number(),
  }),
  /** The number of the version of the queue's definition on which the variants are based. */
  ofVersion: z.number(),
  /** Set when it ended before its last block. */
  ended: earlyEnd.optional(),
});
export type StoredExperiment = Readonly<z.output<typeof storedExperiment>>;
