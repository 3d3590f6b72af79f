import { expect, it } from 'vitest';
import type { Problem } from '../../../lib/contract/problem.ts';
import { UnreadableQueue } from '../../../lib/service/domain/unreadable.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { enqueueBatch, toBatchResult } from '../../../lib/service/tickets/enqueue-batch.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { WaitEstimates } from '../../../lib/service/tickets/wait-estimates.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

let cloud: VirtualCloud;
let queue: string;
ownCloudForEachTest('memory', (own) => {
  ({ cloud, queue } = own);
});

/** Runs a queue whose tickets wait some ticks, until its ticks have learned how long. */
async function busyQueue(): Promise<void> {
  const release = { policy: 'expanding', tolerance: 5, growthPerSecond: 5 } as const;
  await putQueue(cloud.deps.queues, definition({ name: queue, release }), cloud.nowMs);
  const random = seededRandom(1);
  for (let i = 0; i < 160; i++) {
    const players = [{ playerId: `p${i}`, skill: 1000 * random.uniform() }];
    await enqueue(cloud.deps, queue, { ticketId: `${queue}:${i}`, players }, cloud.nowMs);
    await cloud.run(400);
  }
}

it('a waiting ticket gets an estimate, from the reports that ticks store, without a read for each poll', async () => {
  let reads = 0;
  const ranges = {
    ...cloud.deps.ranges,
    reports: (...call: Parameters<typeof cloud.deps.ranges.reports>) => {
      reads++;
      return cloud.deps.ranges.reports(...call);
    },
  };
  const estimates = new WaitEstimates({ ...cloud.deps, ranges });
  await busyQueue();
  const body = { ticketId: `${queue}:new`, players: [{ playerId: 'new', skill: 500 }] };
  const { ticket } = await enqueue(cloud.deps, queue, body, cloud.nowMs);
  const told = (await estimates.view(ticket)).estimatedWaitSeconds;
  expect(told!.p50).toBeGreaterThan(0);
  expect(told!.p90).toBeGreaterThan(told!.p50);
  expect(told!.p90).toBeLessThan(60);
  const once = reads;
  for (let i = 0; i < 100; i++) await estimates.view(ticket);
  expect(reads).toBe(once);
  cloud.nowMs += 10_000;
  await estimates.view(ticket);
  expect(reads).toBeGreaterThan(once);
});

it('a new ticket gets an estimate, alone and in a batch', async () => {
  const estimates = new WaitEstimates(cloud.deps);
  await busyQueue();
  const body = (ticketId: string) => ({ ticketId, players: [{ playerId: ticketId, skill: 500 }] });
  const { ticket } = await enqueue(cloud.deps, queue, body(`${queue}:one`), cloud.nowMs);
  const view = await estimates.view(ticket);
  expect(view.estimatedWaitSeconds!.p50).toBeGreaterThan(0);
  const tickets = [body(`${queue}:a`), { ticketId: `${queue}:b` }];
  const outcomes = await enqueueBatch(cloud.deps, queue, { tickets }, cloud.nowMs);
  const results = await Promise.all(
    outcomes.map((one) =>
      toBatchResult(
        one,
        (error) => error as Problem,
        (stored) => estimates.view(stored),
      ),
    ),
  );
  expect(results.map(({ status }) => status)).toEqual([201, 400]);
  expect(results[0]!.ticket!.estimatedWaitSeconds).toEqual(view.estimatedWaitSeconds);
});

it('a ticket gets no estimate while nothing is known, when it does not wait, and while the reports cannot be read', async () => {
  const estimates = new WaitEstimates(cloud.deps);
  await putQueue(cloud.deps.queues, definition({ name: queue }), cloud.nowMs);
  const body = { ticketId: `${queue}:new`, players: [{ playerId: 'new', skill: 500 }] };
  const { ticket } = await enqueue(cloud.deps, queue, body, cloud.nowMs);
  expect((await estimates.view(ticket)).estimatedWaitSeconds).toBeUndefined();
  expect((await estimates.view({ ...ticket, status: 'PLACING' })).estimatedWaitSeconds).toBeUndefined();
  const busy = async () => {
    throw new StoreBusy('out of order');
  };
  const unread = new WaitEstimates({ ...cloud.deps, ranges: { ...cloud.deps.ranges, reports: busy } });
  expect((await unread.view(ticket)).estimatedWaitSeconds).toBeUndefined();
  const later = async () => {
    throw new UnreadableQueue(queue, 'it was defined by a later version');
  };
  const rolledBack = new WaitEstimates({ ...cloud.deps, queues: { ...cloud.deps.queues, get: later } });
  expect((await rolledBack.view(ticket)).estimatedWaitSeconds).toBeUndefined();
  expect((await getTicket(cloud.deps, ticket.ticketId)).status).toBe('QUEUED');
});
