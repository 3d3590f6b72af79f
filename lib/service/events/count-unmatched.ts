import { addWait, type BlockTotals, noTotals, type WaitEnd } from '../../experiments/block-totals.ts';
import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { countedBlock } from '../domain/running-experiment.ts';
import { UnreadableQueue, unlessUnreadable } from '../domain/unreadable.ts';
import type { ExperimentKey, ExperimentStore } from '../ports/experiment-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Change, TicketChange } from './publish.ts';

/** `publish` has just read the queues of the batch, so the cached records suffice. */
const JUST_READ_MS = 10_000;
const WRITES_AT_ONCE = 8;

export interface CountUnmatchedDeps {
  readonly queues: Pick<QueueStore, 'get'>;
  readonly experiments: Pick<ExperimentStore, 'add'>;
}

/**
 * Adds the waits of tickets that were cancelled or timed out to the totals of their queue's experiment. A queue without an
 * experiment costs nothing. Ticks count the waits of matched tickets themselves: see `ticks/count-matched.ts`.
 *
 *     publish   the changes. A crash after it: the stream delivers them again, and they are counted then
 *     count     a crash after it, before the batch is done: its changes are delivered again and counted twice. When the store is
 *               too busy, they are not counted
 *
 * A batch has changes of all queues and does not depend on variants, so lost and doubled counts affect all variants alike.
 */
export async function countUnmatched(
  deps: CountUnmatchedDeps,
  changes: readonly Change[],
  nowMs: number,
): Promise<void> {
  const ends = changes.flatMap((change) => {
    // A linked ticket may end in this queue because of another queue.
    const isCounted = change.table === 'tickets' && change.after.linked === undefined;
    const end = isCounted ? endWithoutMatch(change) : undefined;
    return end === undefined ? [] : [{ change: change as TicketChange, end }];
  });
  const names = [...new Set(ends.map(({ change }) => change.after.queue))];
  const writes: { key: ExperimentKey; block: number; totals: BlockTotals }[] = [];
  for (const queue of names) {
    const record = await unlessUnreadable(() => deps.queues.get(queue, JUST_READ_MS));
    if (record === undefined || record instanceof UnreadableQueue || record.experiment === undefined)
      continue;
    const blocks = new Map<number, BlockTotals>();
    for (const { change, end } of ends) {
      const { after, atMs } = change;
      const enqueuedAtMs = Date.parse(after.enqueuedAt);
      const block = after.queue === queue ? countedBlock(record, enqueuedAtMs) : undefined;
      if (block === undefined) continue;
      const totals = getOrCreate(blocks, block.number, noTotals);
      // The time of a change in a stream is in whole seconds.
      addWait(totals, after.players.length, end, Math.max(0, atMs - enqueuedAtMs) / 1_000);
    }
    const key = { queue, startMs: record.experiment.schedule.startMs };
    for (const [block, totals] of blocks) writes.push({ key, block, totals });
  }
  await inParallel(writes, WRITES_AT_ONCE, ({ key, block, totals }) =>
    deps.experiments.add(key, block, totals, nowMs),
  );
}

/**
 * How the wait of a ticket has ended in a change, unless by a match. A ticket cancelled by its match was matched, and a replaced
 * ticket continues to wait as its replacement.
 */
export function endWithoutMatch({ before, after }: TicketChange): Exclude<WaitEnd, 'matched'> | undefined {
  if (before?.status === after.status || after.matchId !== undefined || after.replacedBy !== undefined)
    return undefined;
  if (after.status === 'CANCELLED') return 'cancelled';
  return after.status === 'TIMED_OUT' ? 'timedOut' : undefined;
}
