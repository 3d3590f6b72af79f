import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { errorReply } from '../../lib/local/aws-json.ts';
import { IS_LONG } from '../long.ts';
import { testMuster } from './muster.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'muster-restart-test-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

// The journeys of `wiring.test.ts` have no schedule either.
it.runIf(IS_LONG)('an idle queue forms its first match without the schedule', async () => {
  const { api, stop } = await testMuster({ schedules: false });
  const queue = await api.queue({ tickSeconds: 2 });
  expect((await api.get(`/queues/${queue}/stats`)).body.lastTickAt).toBeNull();
  const [one, two] = [await api.ticket(queue, 10), await api.ticket(queue, 11)];
  await api.until(one.ticketId, 'COMPLETED');
  await api.until(two.ticketId, 'COMPLETED');
  await stop();
});

it('tickets that are waiting when the service stops are matched after the next start', async () => {
  // In the first run no tick can read the tickets.
  let tick: string | undefined;
  const before = await testMuster({
    dataDir,
    intercept: async (call, service, caller) =>
      call.operation === 'Query' && caller === tick
        ? errorReply('AccessDeniedException', 'not yet')
        : service(call),
  });
  tick = before.cloud.function('tick').name;
  const queue = await before.api.queue();
  const [one, two] = [await before.api.ticket(queue, 10), await before.api.ticket(queue, 11)];
  await before.stop();

  const after = await testMuster({ dataDir });
  expect((await after.api.get(`/queues/${queue}`)).body.name).toBe(queue);
  const ended = await after.api.until(one.ticketId, 'COMPLETED');
  expect(ended.enqueuedAt).toBe(one.enqueuedAt);
  expect((await after.api.until(two.ticketId, 'COMPLETED')).matchId).toBe(ended.matchId);
  const found = await after.bus.first(({ 'detail-type': type }) => type === 'MatchFound');
  expect(found.detail).toMatchObject({ match: { matchId: ended.matchId } });
});
