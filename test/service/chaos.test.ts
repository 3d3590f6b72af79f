import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clearTables,
  EMULATORS,
  type EmulatedTables,
  startTables,
  suiteName,
} from '../aws/emulated-tables.ts';
import { IS_LONG, sample } from '../long.ts';
import { type ChaosCounts, ChaosRun } from './chaos-run.ts';
import { HostileRun } from './hostile/hostile-run.ts';
import type { Streams } from './virtual-cloud.ts';

/** More runs: `npm run chaos`. A failure names the seed to replay there. */
const SEEDS = {
  emulated: [1, 2],
  // The first four have a ladder, watchers, linked tickets, and backfills with answers by player.
  inMemory: Array.from({ length: sample(4, 120) }, (_, i) => i + 2),
  // Together these have a hostile tenant of each kind.
  hostile: sample([0], [0, 1, 2]),
};
/** How long the tenants of a hostile run post tickets. */
const HOSTILE_SECONDS = sample(30, 60);

async function expectNoViolation(
  tables: EmulatedTables,
  streams: Streams,
  seed: number,
): Promise<ChaosCounts> {
  const run = new ChaosRun(tables, streams, seed);
  await run.disorder();
  expect(await run.settled(), `replay with npm run chaos -- --seed ${seed} --runs 1`).toEqual([]);
  return run.counts();
}

const { emulator, skipped } = EMULATORS[0]!;
describe.skipIf(!IS_LONG || skipped !== undefined)(
  suiteName('the service, with faults', emulator, skipped),
  () => {
    let tables: EmulatedTables;
    let streams: Streams;
    beforeAll(async () => {
      tables = await startTables(emulator);
      streams = [tables.stream('tickets'), tables.stream('matches')];
    });
    afterAll(() => tables?.stop());

    it.each(SEEDS.emulated)('violates no invariant in any order of calls (seed %i)', async (seed) => {
      // Nothing is left of the seeds before it, so that a seed alone replays its run.
      await clearTables(tables);
      for (const read of streams) await read();
      await expectNoViolation(tables, streams, seed);
    });
  },
);

describe('the service, with faults, with its tables in memory,', () => {
  it('violates no invariant in any order of calls, through many changes of the bucket layout', async () => {
    const all: ChaosCounts[] = [];
    for (const seed of SEEDS.inMemory) {
      const tables = await startTables('memory');
      const streams = [tables.stream('tickets'), tables.stream('matches')];
      all.push(await expectNoViolation(tables, streams, seed));
    }
    const mean = (name: keyof ChaosCounts) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
    expect(mean('tickets')).toBeGreaterThan(50);
    expect(mean('matches')).toBeGreaterThan(5);
    expect(mean('layouts')).toBeGreaterThan(3);
    expect(mean('backfills')).toBeGreaterThan(0.5);
    expect(mean('replaced')).toBeGreaterThan(0.5);
    expect(mean('linked')).toBeGreaterThan(5);
    expect(mean('elsewhere')).toBeGreaterThan(1);
    expect(mean('offences')).toBeGreaterThan(0.5);
    expect(mean('results')).toBeGreaterThan(0.5);
    expect(mean('rated')).toBeGreaterThan(0.5);
    expect(mean('connected')).toBeGreaterThan(3);
    expect(mean('messages')).toBeGreaterThan(10);
    expect(mean('playerAnswers')).toBeGreaterThan(1);
    // Few runs have these.
    if (IS_LONG) {
      expect(mean('readyMatches')).toBeGreaterThan(0.5);
      expect(mean('readyChecks')).toBeGreaterThan(0.1);
      expect(mean('filled')).toBeGreaterThan(0.05);
      expect(mean('vanished')).toBeGreaterThan(0.1);
    }
    for (const name of ['kills', 'failures', 'lostAnswers', 'deadLetters'] as const)
      expect(mean(name), name).toBeGreaterThan(1);
  });
});

describe('a tenant beside hostile ones', () => {
  it.each(SEEDS.hostile)(
    'is matched and told in bounded time, and nothing of any tenant is lost (seed %i)',
    async (seed) => {
      const run = await HostileRun.start(seed, HOSTILE_SECONDS);
      const replay = `replay with npm run chaos -- --hostile --seed ${seed} --runs 1`;
      expect(await run.violations(), replay).toEqual([]);
      expect(run.counts.matches).toBeGreaterThan(2 * HOSTILE_SECONDS);
      expect(run.counts.hostileRequests).toBeGreaterThan(3 * HOSTILE_SECONDS);
    },
  );
});
