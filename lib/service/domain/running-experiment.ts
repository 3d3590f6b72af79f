import { variantOf } from '../../contract/experiment.ts';
import { Problem } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { type Block, blockAt, countedIn, endMs } from '../../experiments/schedule.ts';
import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import type { EarlyEnd, QueueRecord, QueueState, StoredExperiment } from './queue-record.ts';

/**
 * Which definition a queue is searched by. It depends only on the stored record and on a time, so all functions find the same:
 *
 *     a switch          ticks use the time of their slot, not their clock. A late tick, or one with a record that was cached for
 *                       a second, uses the variant of its slot. Clocks that differ only change when a ticket was enqueued at the
 *                       ends of a block, which do not count
 *     start             the first block begins at least two seconds after the write, when every function has read it
 *     early end         the experiment continues for up to a second, until a function has read it. The block is not in the
 *                       results
 *     another version   a version of Muster without experiments searches by the queue's definition. If it changes the definition,
 *                       the variants no longer apply, and the experiment is over
 */

/** The definition in force at a moment: that of the queue, or of a variant of it. */
export function definitionAt(record: QueueRecord, atMs: number): QueueDefinition {
  const block = blockInForce(record, atMs);
  return block === undefined ? record.definition : variantsOf(record)![block.variant]!;
}

/** The definitions other than the queue's own that a running experiment may use. */
export function runningVariants(record: QueueRecord, nowMs: number): readonly QueueDefinition[] {
  return isExperimenting(record, nowMs) ? variantsOf(record)! : [];
}

/** The block of a running experiment at a moment. */
export function blockInForce(record: QueueRecord, atMs: number): Block | undefined {
  const { experiment } = record;
  if (experiment === undefined || !isOfVersion(record, experiment) || earlyEnd(record) !== undefined)
    return undefined;
  return blockAt(experiment.schedule, atMs);
}

/** Whether an experiment has not ended. It may begin later. */
export function isExperimenting(record: QueueState & Partial<QueueRecord>, nowMs: number): boolean {
  const { experiment } = record;
  return experiment !== undefined && earlyEnd(record) === undefined && nowMs < endMs(experiment.schedule);
}

/** Why an experiment has ended before its last block; undefined when it has not. */
export function earlyEnd(
  record: QueueState & Partial<QueueRecord>,
): (Pick<EarlyEnd, 'why' | 'text'> & { readonly atMs?: number }) | undefined {
  const { experiment, change, definition } = record;
  if (experiment === undefined) return undefined;
  if (experiment.ended !== undefined) return experiment.ended;
  if (!isOfVersion(record, experiment)) {
    // When the last block has ended, the queue may change.
    if (change?.at !== undefined && Date.parse(change.at) >= endMs(experiment.schedule)) return undefined;
    const text = `the definition of the queue was changed by an earlier version of Muster, and the variants are those of its version ${experiment.ofVersion}`;
    return { why: 'stopped', text, ...(change?.at !== undefined && { atMs: Date.parse(change.at) }) };
  }
  if (definition === undefined || variantsOf({ experiment, definition }) === undefined)
    return { why: 'stopped', text: 'this version of Muster cannot read all of its variants', atMs: 0 };
  return undefined;
}

/** Whether the definition of a queue is the one that the variants change. */
function isOfVersion({ change }: QueueState, { ofVersion }: StoredExperiment): boolean {
  return ofVersion === (change?.version ?? 1);
}

/**
 * The block in which a ticket counts.
 * @returns undefined for tickets outside of the experiment, in a burn-in, or in the block in which it ended early
 */
export function countedBlock(record: QueueRecord, enqueuedAtMs: number): Block | undefined {
  if (record.experiment === undefined) return undefined;
  const block = countedIn(record.experiment.schedule, enqueuedAtMs);
  return block !== undefined && isWhole(record, block) ? block : undefined;
}

/** Whether the experiment did not end before the end of a block. */
export function isWhole(record: QueueRecord, { untilMs }: Block): boolean {
  const end = earlyEnd(record);
  return end === undefined || untilMs <= (end.atMs ?? 0);
}

/** The source of the variants' definitions. */
type VariantSource = Pick<QueueRecord, 'definition'> & { readonly experiment?: StoredExperiment | undefined };

/**
 * The definitions of the variants, cached by the queue's definition and the experiment. Equal stored texts have one parsed value,
 * so two queues may share an experiment.
 */
const VARIANTS = new WeakMap<QueueDefinition, WeakMap<StoredExperiment, readonly QueueDefinition[] | null>>();

function variantsOf({ experiment, definition }: VariantSource): readonly QueueDefinition[] | undefined {
  if (experiment === undefined) return undefined;
  const ofQueue = getOrCreate(VARIANTS, definition, () => new WeakMap());
  return getOrCreate(ofQueue, experiment, () => makeVariants(experiment, definition)) ?? undefined;
}

/** Returns null when this version cannot read a variant that another version has stored. */
function makeVariants(
  { definition: { variants } }: StoredExperiment,
  queue: QueueDefinition,
): readonly QueueDefinition[] | null {
  try {
    return variants.map(({ changes }) =>
      Object.keys(changes).length === 0 ? queue : variantOf(queue, changes),
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return null;
  }
}
