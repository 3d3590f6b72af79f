import type { OutcomeStore } from '../ports/outcome-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { Change } from './publish.ts';

/**
 * Counts changes whose events the bus has rejected, so that the statistics of their queues report the fault within a minute. The
 * stream delivers them again, so each try of a change counts. Nothing is written while the bus accepts events.
 *
 *     count   a crash before it, or a store that is too busy: the next try counts
 */
export async function countRejected(
  { outcomes }: { readonly outcomes: Pick<OutcomeStore, 'add'> },
  rejected: readonly Change[],
  nowMs: number,
): Promise<void> {
  const tries = new Map<string, number>();
  for (const { after } of rejected) tries.set(after.queue, (tries.get(after.queue) ?? 0) + 1);
  for (const [queue, notPublished] of tries) {
    try {
      await outcomes.add(queue, { notPublished }, nowMs);
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error;
    }
  }
}
