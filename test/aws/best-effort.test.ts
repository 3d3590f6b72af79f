import { beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionStore } from '../../lib/aws/connection-store.ts';
import { deliveryStore } from '../../lib/aws/delivery-store.ts';
import { experimentStore } from '../../lib/aws/experiment-store.ts';
import { logger } from '../../lib/aws/log.ts';
import { outcomeStore } from '../../lib/aws/outcome-store.ts';
import { pollSlots } from '../../lib/aws/poll-slots.ts';
import { receiverStore } from '../../lib/aws/receiver-store.ts';
import { noTotals } from '../../lib/experiments/block-totals.ts';
import { StoreBusy } from '../../lib/service/ports/store-busy.ts';
import { startTables } from './emulated-tables.ts';

const { client: newClient, names } = await startTables('memory');
const client = newClient();
const NOW_MS = 1_760_000_000_000;
const recent = { posted: 1, failed: 0 };

const connections = connectionStore(client, names.connections);
const deliveries = deliveryStore(client, names.receivers);
const experiments = experimentStore(client, names.ranges);
const outcomes = outcomeStore(client, names.ranges);
const receivers = receiverStore(client, names.receivers);
const slots = pollSlots(client, names.ranges);

/** Each write on which nothing else may depend, and what it returns when AWS does not take it. */
const WRITES: readonly (readonly [string, () => Promise<unknown>, unknown])[] = [
  ['the count of a frame', () => connections.countFrame('t', 'a=', NOW_MS), undefined],
  ['a delivered event', () => deliveries.succeeded('q', 'u', recent, NOW_MS), undefined],
  ['a failed one', () => deliveries.failed('q', 'u', recent, { atMs: NOW_MS, text: 'why' }), undefined],
  ['the start of a wait', () => deliveries.waitStarted('q', 'u', NOW_MS, NOW_MS), undefined],
  ['a wait that goes on', () => deliveries.stillWaiting('q', 'u', NOW_MS, NOW_MS), undefined],
  ['its end', () => deliveries.waitEnded('q', 'u', NOW_MS, NOW_MS), undefined],
  [
    'the totals of a block',
    () => experiments.add({ queue: 'q', startMs: 0 }, 1, noTotals(), NOW_MS),
    undefined,
  ],
  ['the counts of a minute', () => outcomes.add('q', { declined: 1 }, NOW_MS), false],
  ['a receiver that responds', () => receivers.markUp('u', NOW_MS, NOW_MS), undefined],
  ['a free poll slot', () => slots.release({ playerId: 'p', slot: 0, untilMs: NOW_MS }), undefined],
];

describe.each(WRITES)('%s', (_, write, lost) => {
  const warn = vi.fn();
  beforeEach(() => void vi.spyOn(logger, 'warn').mockImplementation(warn));
  const failWith = (error: Error) => vi.spyOn(client, 'send').mockRejectedValue(error as never);

  it('is lost without an error when AWS does not take it, which is logged', async () => {
    for (const error of [
      new StoreBusy('throttled'),
      Object.assign(new Error('no right'), { $metadata: {} }),
    ]) {
      failWith(error);
      expect(await write()).toBe(lost);
      expect(warn).toHaveBeenLastCalledWith(expect.any(String), error);
    }
  });

  it('hides no other error', async () => {
    failWith(new TypeError('a mistake'));
    await expect(write()).rejects.toThrow('a mistake');
  });
});
