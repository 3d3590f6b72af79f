import { BLOCKS_LISTED, type ExperimentView } from '../../contract/experiment-view.ts';
import type { QueueStats } from '../../contract/queue-stats.ts';
import { type BlockTotals, endedOf } from '../../experiments/block-totals.ts';
import { type Block, block, blocksOf, endMs } from '../../experiments/schedule.ts';
import { type VariantEffect, variantEffects } from '../../experiments/variant-effects.ts';
import type { QueueRecord, StoredExperiment } from '../domain/queue-record.ts';
import { blockInForce, earlyEnd, isExperimenting, isWhole } from '../domain/running-experiment.ts';
import type { ExperimentStore } from '../ports/experiment-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { noExperiment } from './experiments.ts';
import { openQueue } from './read-queues.ts';

/** The maximum delay of a count after the end of a ticket: a tick after the time-out, the stream, and its batch. */
const COUNTED_LATE_MS = 60_000;
const MINUTE_MS = 60_000;
/** Statistics name an experiment for this long after its end. */
const SUMMARY_MS = 86_400_000;

export interface ExperimentDeps {
  readonly queues: QueueStore;
  readonly experiments: Pick<ExperimentStore, 'totals'>;
}

/**
 * The last experiment on a queue with its results. It reads an item for each of its blocks.
 * @throws Problem 404 no such queue, or no experiment on it
 */
export async function getExperiment(
  deps: ExperimentDeps,
  queue: string,
  nowMs: number,
): Promise<ExperimentView> {
  const record = await openQueue(deps.queues, queue);
  const { experiment } = record;
  if (experiment === undefined) throw noExperiment(queue);
  const { schedule } = experiment;
  const blocks = countedBlocks(record, experiment, nowMs);
  const numbers = blocks.map(({ number }) => number);
  const totals = await deps.experiments.totals({ queue, startMs: schedule.startMs }, numbers);
  const { variants } = experiment.definition;
  const state = stateOf(record, experiment, nowMs);
  const isWhole = state.state === 'ended' && state.reason === undefined;
  return {
    queue,
    definition: experiment.definition,
    ...state,
    beginsAt: iso(schedule.startMs),
    seed: schedule.seed,
    burnInMinutes: schedule.burnInMs / MINUTE_MS,
    rounds: { planned: schedule.rounds, counted: Math.floor(blocks.length / schedule.variants) },
    inForce: inForceOf(record, experiment, nowMs),
    players: [...totals.values()].reduce((sum, one) => sum + endedOf(one), 0),
    blocks: blocks.slice(-BLOCKS_LISTED).map((one) => blockView(one, experiment, totals)),
    variants: variants.slice(1).map(({ name }, at) => ({
      name,
      measures: Object.fromEntries(
        Object.entries(variantEffects(schedule, totals, at + 1, name, isWhole)).map(([measure, effect]) => [
          measure,
          effectView(effect),
        ]),
      ),
    })),
  };
}

/** The summary of a queue's experiment for the statistics; undefined a day after its end. */
export function experimentSummary(record: QueueRecord, nowMs: number): QueueStats['experiment'] {
  const { experiment } = record;
  if (experiment === undefined) return undefined;
  const { state, reason, endsAt } = stateOf(record, experiment, nowMs);
  if (nowMs > Date.parse(endsAt) + SUMMARY_MS) return undefined;
  const variant = inForceOf(record, experiment, nowMs)?.variant;
  const { name } = experiment.definition;
  return { name, state, ...(reason !== undefined && { reason }), ...(variant !== undefined && { variant }) };
}

/** The blocks whose tickets have all ended. A younger block would only have its short waits. */
function countedBlocks(record: QueueRecord, { schedule }: StoredExperiment, nowMs: number): readonly Block[] {
  const longestMs = 1_000 * record.definition.timeoutSeconds - schedule.burnInMs;
  const waitMs = Math.max(0, longestMs) + COUNTED_LATE_MS;
  return Array.from({ length: blocksOf(schedule) }, (_, number) => block(schedule, number)).filter(
    (one) => one.untilMs + waitMs <= nowMs && isWhole(record, one),
  );
}

function stateOf(
  record: QueueRecord,
  { schedule }: StoredExperiment,
  nowMs: number,
): Pick<ExperimentView, 'state' | 'reason' | 'endsAt'> {
  const end = earlyEnd(record);
  const lastMs = endMs(schedule);
  if (end === undefined)
    return { state: isExperimenting(record, nowMs) ? 'running' : 'ended', endsAt: iso(lastMs) };
  const { why, text, atMs = lastMs } = end;
  return { state: why === 'ended' ? 'ended' : 'stopped', reason: text, endsAt: iso(Math.min(atMs, lastMs)) };
}

function inForceOf(
  record: QueueRecord,
  { definition: { variants } }: StoredExperiment,
  nowMs: number,
): ExperimentView['inForce'] {
  const found = blockInForce(record, nowMs);
  if (found === undefined) return null;
  return { variant: variants[found.variant]!.name, block: found.number, until: iso(found.untilMs) };
}

function blockView(
  { number, variant, fromMs, untilMs }: Block,
  { definition: { variants } }: StoredExperiment,
  totals: ReadonlyMap<number, BlockTotals>,
): ExperimentView['blocks'][number] {
  const found = totals.get(number);
  const players = found === undefined ? 0 : endedOf(found);
  return {
    block: number,
    variant: variants[variant]!.name,
    from: iso(fromMs),
    until: iso(untilMs),
    players,
    waitSeconds: players === 0 ? null : found!.waitSeconds / players,
  };
}

/** JSON has no infinity. */
function effectView({ low, high, ...rest }: VariantEffect) {
  const finite = (value: number) => (Number.isFinite(value) ? value : null);
  return { ...rest, low: finite(low), high: finite(high) };
}

const iso = (ms: number) => new Date(ms).toISOString();
