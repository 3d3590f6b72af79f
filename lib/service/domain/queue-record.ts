import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { BucketLayout } from './buckets.ts';
import type { StoredExperiment } from './stored-experiment.ts';

/** A stored queue: its definition and its state. */
export interface QueueRecord extends QueueState {
  readonly definition: QueueDefinition;
}

export interface QueueState {
  /** Increases by one with every change of the definition. */
  readonly version: number;
  /** Bucket layouts that are in force or still contain tickets, oldest first. */
  readonly layouts: readonly BucketLayout[];
  /** Ticks are scheduled up to and including this slot; 0 before the first. */
  readonly awakeUntilMs: number;
  /** Ticks are sent up to this slot. Less than `awakeUntilMs` while a caller sends them, or after a crash. */
  readonly sentUntilMs: number;
  /** The change that made the definition; absent if an earlier version of Muster has stored it. */
  readonly change?: DefinitionChange;
  /** What the last deployment of a folder of definitions has put; absent if none has. */
  readonly deployed?: Deployed;
  /** When changes of its tickets are sent to sockets; absent if nobody has ever watched one. */
  readonly watched?: Watched;
  /** Set when the queue is deleted. It accepts no new tickets, but waiting tickets can still be matched. */
  readonly deletedAt?: string;
  /** The last experiment on the queue; absent before the first. */
  readonly experiment?: StoredExperiment | undefined;
}

/** The time in which `publish` looks for those who watch the tickets of a queue. */
export interface Watched {
  /** From here on every function knows of it. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What a deployment has put for a queue; see `deploy-queues.ts`. */
export interface Deployed {
  /** The digest of the definition in the file. */
  readonly digest: string;
  /** The number of the definition's version that the deployment has put, or found in force. */
  readonly version: number;
}

/** A change of a definition, which makes it a new version. */
export interface DefinitionChange {
  /** The number of the definition's version, from 1. Unlike the version of the state, it counts definitions only. */
  readonly version: number;
  /** ISO 8601; absent if an earlier version of Muster has stored the definition. */
  readonly at?: string;
  /** Who has changed it, if this is known. */
  readonly by?: string;
  /** The version whose definition it restored. */
  readonly restored?: number;
}

/** A definition that was replaced, with its change. */
export interface ReplacedDefinition {
  readonly definition: QueueDefinition;
  readonly change: DefinitionChange;
}
