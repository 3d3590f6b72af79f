import { addWait, type BlockTotals, noTotals } from '../../experiments/block-totals.ts';
import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import { countedBlock } from '../domain/running-experiment.ts';
import type { ExperimentStore } from '../ports/experiment-store.ts';
import type { DueTick } from './due-tick.ts';
import type { RangeRead } from './read-range.ts';
import type { RangeSearch } from './search-range.ts';

export interface CountMatchedDeps {
  readonly experiments: Pick<ExperimentStore, 'add'>;
}

/** The waits of the tickets that a tick has matched, by the block of the queue's experiment in which they were enqueued. */
export function matchedWaits(
  { record }: DueTick,
  { tickets, stored, readAtMs }: RangeRead,
  { commits }: RangeSearch,
): ReadonlyMap<number, BlockTotals> {
  const blocks = new Map<number, BlockTotals>();
  if (record.experiment === undefined) return blocks;
  const linked = new Set(stored.flatMap((one) => (one.linked === undefined ? [] : one.ticketId)));
  const byId = new Map(tickets.map((ticket) => [ticket.ticketId, ticket]));
  for (const { game, outcome } of commits) {
    if (outcome !== 'committed') continue;
    for (const ticketId of game.ticketIds) {
      // Not counted, because a slow variant would lose the long waits of linked tickets to other queues.
      if (linked.has(ticketId)) continue;
      const { players, enqueuedAtMs } = byId.get(ticketId)!;
      const block = countedBlock(record, enqueuedAtMs);
      if (block === undefined) continue;
      const totals = getOrCreate(blocks, block.number, noTotals);
      const waitSeconds = Math.max(0, readAtMs - enqueuedAtMs) / 1_000;
      addWait(totals, players.length, 'matched', waitSeconds, game.imbalance);
    }
  }
  return blocks;
}

/**
 * Adds the matched waits of a tick to the totals of its queue's experiment.
 *
 *     commit   the matches, and the end of the lease. A crash after it: the matches of this tick are not counted
 *     count    one write for each block, usually one. A crash between two: the others are not counted. When the response of a
 *              write is lost, the SDK repeats it, and it counts twice. A write that fails is not counted
 *
 * Losses do not depend on the variant, except when the searches of one variant are stopped again and again: then its queue is set
 * aside and reported. A tick counts before any step that it omits when its time is short, so a variant with longer searches loses
 * no counts. Waits that end without a match: see `events/count-unmatched.ts`.
 */
export async function countMatched(
  { experiments }: CountMatchedDeps,
  { record }: DueTick,
  blocks: ReadonlyMap<number, BlockTotals>,
  nowMs: number,
): Promise<void> {
  const { definition, experiment } = record;
  if (experiment === undefined) return;
  const key = { queue: definition.name, startMs: experiment.schedule.startMs };
  for (const [block, totals] of blocks) await experiments.add(key, block, totals, nowMs);
}
