import { waitQuantile } from '../../experiments/block-totals.ts';
import { lastBlocks } from '../../experiments/schedule.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { isExperimenting } from '../domain/running-experiment.ts';
import type { ExperimentStore } from '../ports/experiment-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { endEarly } from '../queues/experiments.ts';

/** The number of latest blocks that are checked each minute, while their last tickets end. */
const BLOCKS_JUDGED = 12;

export interface StopExperimentDeps {
  readonly queues: QueueStore;
  readonly experiments: Pick<ExperimentStore, 'totals'>;
}

/**
 * Ends the experiment of a queue when one of its last blocks exceeds its `stop`. An experiment without `stop` costs nothing.
 *
 *     read   the totals of the blocks that ended last
 *     put    one conditional write. A crash before it, or a faster writer: the next minute checks again
 *
 * @returns why it was stopped; undefined when it continues
 */
export async function stopExperiment(
  { queues, experiments }: StopExperimentDeps,
  record: QueueRecord,
  nowMs: number,
): Promise<string | undefined> {
  const { experiment } = record;
  const secondsMax = experiment?.definition.stop?.waitP99Seconds;
  if (experiment === undefined || secondsMax === undefined || !isExperimenting(record, nowMs))
    return undefined;
  const { schedule, definition } = experiment;
  const judged = lastBlocks(schedule, nowMs, BLOCKS_JUDGED).filter(
    ({ variant }) => Object.keys(definition.variants[variant]!.changes).length > 0,
  );
  if (judged.length === 0) return undefined;
  const key = { queue: record.definition.name, startMs: schedule.startMs };
  const totals = await experiments.totals(
    key,
    judged.map(({ number }) => number),
  );
  for (const { number, variant } of judged) {
    const found = totals.get(number);
    const seconds = found === undefined ? 0 : waitQuantile(found, 0.99);
    if (seconds <= secondsMax) continue;
    const { name } = definition.variants[variant]!;
    const text = `of 100 players enqueued in block ${number}, in which variant ${name} was in force, one waited ${Number(seconds.toPrecision(2))} s or longer, more than the ${secondsMax} s of its stop`;
    return (await endEarly(queues, record, { atMs: nowMs, why: 'stopped', text })) ? text : undefined;
  }
  return undefined;
}
