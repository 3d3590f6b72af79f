import { isDeepStrictEqual } from 'node:util';
import { checkExperiment, type ExperimentDefinition, scheduleOf } from '../../contract/experiment.ts';
import { conflict, Problem } from '../../contract/problem.ts';
import type { EarlyEnd, QueueRecord, StoredExperiment } from '../domain/queue-record.ts';
import { isExperimenting } from '../domain/running-experiment.ts';
import { changeOf } from '../domain/stored-definition.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import { openQueue } from './read-queues.ts';

/** The maximum of tries to change a queue that others are changing. */
const TRIES_MAX = 5;
const MINUTE_MS = 60_000;

/**
 * Starts an experiment on a queue at the next whole minute at which every function can know it. Repeating the request changes
 * nothing while the experiment is running.
 *
 *     put   one conditional write of the queue's record. A crash before it: nothing has started. After it: a repeated request
 *           finds the same experiment
 *
 * @param draw draws a seed, a 32-bit integer
 * @throws Problem 400 the experiment is invalid, 404 no such queue, 409 another experiment is running on it
 */
export async function putExperiment(
  queues: QueueStore,
  queue: string,
  body: unknown,
  draw: () => number,
  nowMs: number,
): Promise<'begun' | 'unchanged'> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const record = await openQueue(queues, queue);
    const { experiment: definition } = checkExperiment(body, record.definition, 'The experiment');
    const { experiment: last } = record;
    if (last !== undefined && isExperimenting(record, nowMs)) {
      if (isDeepStrictEqual(last.definition, definition)) return 'unchanged';
      throw alreadyRunning(queue, last.definition);
    }
    const experiment = newExperiment(record, definition, draw(), nowMs);
    if (await queues.put({ ...record, version: record.version + 1, experiment })) return 'begun';
  }
  throw new StoreBusy(`queue ${queue} is being changed by others`);
}

/**
 * Ends the experiment on a queue. After `untilInForce` the queue is searched by its own definition again. An ended experiment
 * does not change, so the request can be repeated.
 * @throws Problem 404 no such queue, or no experiment on it
 */
export async function deleteExperiment(queues: QueueStore, queue: string, nowMs: number): Promise<void> {
  const text = 'it was ended by a request';
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const record = await openQueue(queues, queue);
    if (record.experiment === undefined) throw noExperiment(queue);
    if (!isExperimenting(record, nowMs)) return;
    if (await endEarly(queues, record, { atMs: nowMs, why: 'ended', text })) return;
  }
  throw new StoreBusy(`queue ${queue} is being changed by others`);
}

/** Ends a running experiment. @returns false if the record was changed since it was read */
export function endEarly(queues: QueueStore, record: QueueRecord, ended: EarlyEnd): Promise<boolean> {
  const experiment: StoredExperiment = { ...record.experiment!, ended };
  return queues.put({ ...record, version: record.version + 1, experiment });
}

export function noExperiment(queue: string): Problem {
  return new Problem(
    404,
    `There is no experiment on queue ${queue}. PUT /queues/${queue}/experiment begins one.`,
  );
}

function newExperiment(
  record: QueueRecord,
  definition: ExperimentDefinition,
  seed: number,
  nowMs: number,
): StoredExperiment {
  // A function has read the record at most DEFINITION_AGE_MS before a slot, and the write takes a moment.
  const startMs = Math.ceil((nowMs + 2 * DEFINITION_AGE_MS) / MINUTE_MS) * MINUTE_MS;
  return {
    definition,
    schedule: scheduleOf(definition, record.definition, { seed, startMs }),
    ofVersion: changeOf(record).version,
  };
}

function alreadyRunning(queue: string, { name }: ExperimentDefinition): Problem {
  return conflict(
    'EXPERIMENT_RUNNING',
    `The experiment ${name} is running on queue ${queue}, and a queue has one at a time. Wait for its end, or DELETE /queues/${queue}/experiment first.`,
  );
}
