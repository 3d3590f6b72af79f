import { describe, expect, it } from 'vitest';
import { ScaleRun } from './scale/scale-run.ts';

/** A run without measured CPU times, so that the seed alone decides. */
async function runOf(playersPerSecond: number, seconds: number, batch: number): Promise<ScaleRun> {
  const run = new ScaleRun({ seed: 1, cpuFactor: 0, partyWeights: [4, 1], definition: {}, batch });
  await run.start();
  for (let second = 0; second < seconds; second++) await run.aSecond(playersPerSecond);
  return run;
}

describe('a simulated region', () => {
  it('runs the production use cases, the same for the same seed', async () => {
    const [one, two] = [await runOf(60, 6, 5), await runOf(60, 6, 5)];
    expect(one.waits.length).toBeGreaterThan(150);
    expect(one.waits).toEqual(two.waits);
    expect([...one.region.meter.hottest]).toEqual([...two.region.meter.hottest]);
    expect([one.lost, one.twice, one.refused, one.missedTicks().size]).toEqual([0, 0, 0, 0]);
  });

  it('throttles a key above its limit, and loses no ticket of a client that retries', async () => {
    const run = await runOf(3_000, 2, 50);
    for (let second = 0; second < 8; second++) await run.aSecond(0);
    expect(run.region.throttled).toBeGreaterThan(0);
    expect(run.region.meter.hottest.get('tickets pool write')).toBeGreaterThan(900);
    expect(run.region.meter.hottest.get('tickets pool write')).toBeLessThan(1_100);
    // Without further keys for the bucket, thousands of tickets are rejected before the first split.
    expect(run.refused).toBeLessThan(500);
    expect([run.outside, run.lost, run.twice]).toEqual([0, 0, 0]);
  });

  it('polls tickets and calls webhooks in the account of the matching', async () => {
    const bystanders = { pollsPerSecond: 100, receivers: 5, hanging: 1 };
    const run = new ScaleRun({
      seed: 1,
      cpuFactor: 0,
      partyWeights: [1],
      definition: {},
      batch: 5,
      bystanders,
    });
    await run.start();
    for (let second = 0; second < 7; second++) await run.aSecond(60);
    expect(run.polls.length).toBeGreaterThan(500);
    expect(run.failedPolls).toBe(0);
    const webhooks = run.webhooks!;
    expect(webhooks.delaysMs((receiver) => receiver >= run.hanging).length).toBeGreaterThan(20);
    expect(webhooks.delaysMs((receiver) => receiver < run.hanging)).toEqual([]);
    expect(webhooks.posts.get(0)).toBeGreaterThan(0);
    expect(run.region.executions.max).toBeGreaterThan(2);
    expect([run.lost, run.twice, run.region.executions.throttled]).toEqual([0, 0, 0]);
  });
});
