import { afterAll, beforeAll, expect, it } from 'vitest';
import { crowd, waits } from './watchers-run.ts';
import { type Service, startService } from './watchers-service.ts';
import { costTable, latencyTable, memoryTable } from './watchers-tables.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it('the benchmark of watchers measures messages, their price, and the memory for those who watch', async () => {
  const each = { duels: 2, waitMs: 0, everyMs: 0 };
  const unwatched = await waits(service, { ...each, waiting: 'unwatched' });
  const watched = await waits(service, { ...each, waiting: 'watched' });
  const presence = await waits(service, { ...each, waiting: 'presence' });
  expect(unwatched.used).toMatchObject({ messages: 0, connectedMs: 0 });
  expect(unwatched.webhookMs).toHaveLength(2);
  for (const { messageMs, webhookMs, used } of [watched, presence]) {
    expect([messageMs, webhookMs].map(({ length }) => length)).toEqual([2, 2]);
    // The match; and the ticket as it is, if it was matched before the service looked.
    expect([2, 3, 4]).toContain(used.messages);
    expect(used.connectedMs).toBeGreaterThan(0);
    expect(used.writeUnits).toBeGreaterThan(unwatched.used.writeUnits);
  }
  expect(latencyTable({ watched, presence }).split('\n')).toHaveLength(4);
  expect(costTable(2, { unwatched, watched, presence }).split('\n')).toHaveLength(4);
});

it('the benchmark of watchers tells everyone of the crowd of a change', async () => {
  const result = await crowd(service, [3, 5]);
  expect(result).toMatchObject({ connected: 5, told: 5, refusal: undefined });
  expect(result.memory.map(({ watchers }) => watchers)).toEqual([
    'none',
    '3',
    '5',
    '5, told of a change',
    'all gone',
  ]);
  for (const { rssMb, heapMb } of result.memory) expect(rssMb).toBeGreaterThan(heapMb);
  expect(memoryTable(result)).toContain('5 of 5 watchers');
});
