import { expect, it } from 'vitest';
import { IS_LONG } from '../long.ts';
import { HOSTILE_TENANTS } from './neighbours/hostile-tenants.ts';
import { measureBeside } from './neighbours/run.ts';
import { judged, tableOf } from './neighbours/table.ts';

// Its comparison is below; a tenant beside hostile ones: test/service/chaos.test.ts.
it
  .runIf(IS_LONG)
  .each([
    'a queue whose ticks fail',
    'five webhook receivers, each of which upgrades',
    'watchers who all learn of changes at once',
    'throttled `@connections`',
  ])('the benchmark of neighbours measures a good tenant beside %s', async (name) => {
  const tenant = HOSTILE_TENANTS.find((one) => one.name === name)!;
  const result = await measureBeside(tenant, {
    playersPerSecond: 4,
    warmUpSeconds: 1,
    aloneSeconds: 1,
    settleSeconds: 1,
    withSeconds: 3,
    // It ends with the last webhook, so only a slow machine takes that long.
    drainSeconds: 60,
    rounds: 1,
    watchers: 100,
    seed: 1,
  });
  expect(result.alone).toMatchObject([{ unmatched: 0, unnotified: 0, refused: {} }]);
  expect(result.alone[0]!.waitMs).toHaveLength(4);
  expect(result.alone[0]!.webhookMs).toHaveLength(2);
  expect(result.beside).toMatchObject([{ unmatched: 0, unnotified: 0, refused: {} }]);
  expect(result.beside[0]!.waitMs).toHaveLength(12);
  expect(result.beside[0]!.webhookMs).toHaveLength(6);
  expect(result.beside[0]!.pollMs.length).toBeGreaterThanOrEqual(12);
  expect(judged(result, result.alone)).toMatchObject({ hostile: true, missing: 0 });
  expect(tableOf([[name, result]])).toContain(`| ${name} |`);
});

it('compares the 99th percentiles with those alone, and says what is beyond the aim', () => {
  const measured = (ms: number) => ({
    waitMs: [...Array.from({ length: 98 }, () => 1), ms, 1e6],
    webhookMs: [ms],
    pollMs: [ms],
    unmatched: 1,
    unnotified: 2,
    refused: { 503: 1 },
    busy: 0.5,
  });
  const alone = [measured(1_000)];
  const harm = { count: 3, of: 'harmful things' };
  const found = judged({ alone, beside: [measured(1_400)], harm }, alone);
  expect(found.waitMs).toEqual({ aloneMs: 1_000, besideMs: 1_400, within: true });
  expect(found).toMatchObject({ hostile: true, missing: 3, refused: { 503: 1 } });
  const worse = { alone, beside: [measured(1_401)], harm: { ...harm, count: 2 } };
  expect(judged(worse, alone)).toMatchObject({ waitMs: { within: false }, hostile: false });
  expect(tableOf([['a neighbour', worse]])).toContain(
    '| a neighbour | 1.40 ✗ | 1.40 ✗ | 1.40 ✗ | 50% | 3 | 1 × 503 | 2 harmful things ✗ |',
  );
});
