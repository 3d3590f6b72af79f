import * as z from 'zod';
import { experimentDefinition } from '../../contract/experiment.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { BucketLayout } from './buckets.ts';
import type { DefinitionState } from './stored-definition.ts';
import type { Read } from './unreadable.ts';

/** A stored queue: its definition and its state. */
export interface QueueRecord extends QueueState {
  readonly definition: QueueDefinition;
}

export interface QueueState extends DefinitionState {
  /** Increases by one with every change of the definition. */
  readonly version: number;
  /** Bucket layouts that are in force or still contain tickets, oldest first. */
  readonly layouts: readonly BucketLayout[];
  /** Ticks are scheduled up to and including this slot; 0 before the first. */
  readonly awakeUntilMs: number;
  /** Ticks are sent up to this slot. Less than `awakeUntilMs` while a caller sends them, or after a crash. */
  readonly sentUntilMs: number;
  /** The period in which changes of its tickets are sent to sockets; absent if the queue was never watched. */
  readonly watched?: Watched;
  /**
   * Until this time missing pings are ignored, because those of many players were missing at once and the service may be at
   * fault. See `ticks/without-vanished.ts`.
   */
  readonly presenceHeldUntilMs?: number;
  /** Until this time its pool may contain entries of linked tickets; absent if it never did. */
  readonly linkedUntilMs?: number;
  /** Set when the queue is deleted. It accepts no new tickets, but waiting tickets can still be matched. */
  readonly deletedAt?: string;
  /** The last experiment on the queue; absent before the first. */
  readonly experiment?: StoredExperiment | undefined;
}

/** The period in which `publish` looks for connections that watch tickets of a queue. Every function knows it from `fromMs` on. */
export const watched = z.object({ fromMs: z.number(), untilMs: z.number() });
export type Watched = Read<typeof watched>;

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
