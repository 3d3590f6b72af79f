import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { BUCKET_LIMITS } from '../../../lib/service/domain/bucket-limits.ts';
import type { StoredTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { getStats } from '../../../lib/service/queues/stats.ts';
import { CheckedTickets } from '../../../lib/service/ticks/checked-tickets.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import { NOW_MS, why } from '../../aws/samples.ts';
import { sample } from '../../long.ts';
import { definition } from '../definitions.ts';
import { TimedCloud } from '../timed-cloud.ts';

const random = seededRandom(1);
const solo = (name: string, skill: number, waitedMs: number): StoredTicket => ({
  ticketId: name,
  queue: 'large',
  status: 'QUEUED',
  enqueuedAt: new Date(NOW_MS - waitedMs).toISOString(),
  players: [{ playerId: name, skill }],
});

/** A 5v5 queue with one bucket, in which these tickets wait. */
const cloudWith = async (tickets: readonly StoredTicket[], changes: Partial<QueueDefinition> = {}) => {
  const cloud = new TimedCloud(NOW_MS);
  await cloud.putQueue({
    definition: definition({ name: 'large', teamSize: 5, timeoutSeconds: 300, buckets: [], ...changes }),
    version: 1,
    layouts: [{ version: 1, boundaries: [], fromMs: 0 }],
    awakeUntilMs: 0,
    sentUntilMs: 0,
  });
  await cloud.fill(tickets);
  return cloud;
};

const tickAt = async (cloud: TimedCloud, slotMs: number) => {
  cloud.time.nowMs = Math.max(cloud.time.nowMs, slotMs);
  const result = await cloud.time.run(() =>
    tick(cloud.deps, { queue: 'large', slotMs, layout: 1, range: 0 }),
  );
  if (result.outcome !== 'searched') throw new Error(result.why);
  return result;
};

describe('a pool that one tick cannot read', () => {
  it.each(sample([1.2], [2.5, 12.5]))('keeps matching with %d times as many waiting', async (times) => {
    const count = times * BUCKET_LIMITS.readTickets;
    const tickets = Array.from({ length: count }, (_, i) =>
      solo(`t${i}`, Math.max(0, random.normal() * 300 + 1500), 1_000),
    );
    const cloud = await cloudWith(tickets);
    for (let second = 0; second < 2; second++) {
      const { metrics, matches } = await tickAt(cloud, NOW_MS + 1_000 * second);
      expect(matches.length).toBeGreaterThanOrEqual(60);
      expect(metrics.durationMs).toBeLessThan(2_000);
    }
    expect(cloud.ticketsRead).toBeLessThanOrEqual(2 * BUCKET_LIMITS.readTickets);
    expect(cloud.keyWritesMax).toBeLessThanOrEqual(1_000);
    expect(new Set(cloud.committed.flatMap(({ ticketIds }) => ticketIds)).size).toBe(
      10 * cloud.committed.length,
    );
  });

  it('is read in parts, so that every ticket is searched in turn', async () => {
    const tickets = Array.from({ length: 1_000 }, (_, i) => solo(`t${i}`, i, 1_000));
    const cloud = await cloudWith(tickets);
    const limits = { ...BUCKET_LIMITS, readTickets: 100, commitsPerSecond: 30 };
    for (let second = 0; second < 10; second++) {
      const slotMs = NOW_MS + 1_000 * second;
      cloud.time.nowMs = Math.max(cloud.time.nowMs, slotMs);
      await cloud.time.run(() =>
        tick({ ...cloud.deps, limits }, { queue: 'large', slotMs, layout: 1, range: 0 }),
      );
    }
    const skills = cloud.committed.flatMap(({ ticketIds }) => ticketIds.map((id) => Number(id.slice(1))));
    for (let part = 0; part < 10; part++)
      expect(skills.filter((skill) => Math.floor(skill / 100) === part).length).toBeGreaterThan(0);
  });

  it('is read from the start when no ticket is left where it would continue', async () => {
    const cloud = await cloudWith(Array.from({ length: 30 }, (_, i) => solo(`t${i}`, i, 1_000)));
    const limits = { ...BUCKET_LIMITS, readTickets: 20 };
    const run = (slotMs: number) =>
      cloud.time.run(() => tick({ ...cloud.deps, limits }, { queue: 'large', slotMs, layout: 1, range: 0 }));
    await run(NOW_MS);
    for (let i = 20; i < 30; i++)
      await cloud.time.run(() => cloud.deps.tickets.end(`t${i}`, 'CANCELLED', why('x'), 0));
    await cloud.fill(Array.from({ length: 10 }, (_, i) => solo(`n${i}`, i, 0)));
    cloud.time.nowMs = NOW_MS + 1_000;
    await run(NOW_MS + 1_000);
    expect(cloud.committed.flatMap(({ ticketIds }) => ticketIds)).toContain('n0');
  });
});

describe('a pool that one tick cannot prepare', () => {
  /** Players who list 20 maps each, that only their neighbours know. */
  const ofMaps = (i: number, waitedMs: number): StoredTicket => {
    const group = Math.floor(i / 10);
    const attributes = { maps: Array.from({ length: 20 }, (_, k) => `m${group}.${k}`) };
    return {
      ...solo(`t${i}`, i, waitedMs),
      players: [{ playerId: `t${i}`, skill: i, attributes }],
    };
  };
  const rules: Partial<QueueDefinition> = {
    attributes: { maps: { type: 'strings' } },
    rules: [{ name: 'Maps', type: 'common', attribute: 'maps' }],
  };
  const run = (cloud: TimedCloud, prepareWork: number, second: number) => {
    const slotMs = NOW_MS + 1_000 * second;
    cloud.time.nowMs = Math.max(cloud.time.nowMs, slotMs);
    return cloud.time.run(() =>
      tick(
        { ...cloud.deps, limits: { ...BUCKET_LIMITS, prepareWork } },
        { queue: 'large', slotMs, layout: 1, range: 0 },
      ),
    );
  };

  it('is searched in parts, so that every ticket is searched in turn', async () => {
    const cloud = await cloudWith(
      Array.from({ length: 400 }, (_, i) => ofMaps(i, 1_000)),
      rules,
    );
    await run(cloud, 10_000, 0);
    expect(cloud.committed.length).toBeGreaterThan(0);
    expect(cloud.committed.length).toBeLessThan(20);
    for (let second = 1; second < 30 && cloud.waiting > 0; second++) await run(cloud, 10_000, second);
    expect(cloud.committed).toHaveLength(40);
  });

  it('ends the overdue tickets of all parts at once', async () => {
    const tickets = Array.from({ length: 200 }, (_, i) => ofMaps(i, i < 150 ? 1_000 : 400_000));
    const cloud = await cloudWith(tickets, rules);
    await run(cloud, 10_000, 0);
    expect(cloud.ended.size).toBe(50);
  });

  it('has the players of two matches in a part, whatever their work', async () => {
    const cloud = await cloudWith(
      Array.from({ length: 60 }, (_, i) => ofMaps(i, 1_000)),
      rules,
    );
    await run(cloud, 1, 0);
    expect(cloud.committed).toHaveLength(2);
  });
});

describe('a pool that one tick cannot check against the definition', () => {
  /** A function that needs so long for each ticket that it has not checked yet. */
  const slow = (cloud: TimedCloud, ms: number): CheckedTickets => {
    const checked = new CheckedTickets();
    const of = checked.of.bind(checked);
    const seen = new Set<StoredTicket>();
    checked.of = (rules) => {
      const check = of(rules);
      return (stored) => {
        if (!seen.has(stored)) cloud.time.nowMs += ms;
        seen.add(stored);
        return check(stored);
      };
    };
    return checked;
  };

  it('is searched in parts, so that every ticket is searched, or times out, in turn', async () => {
    const tickets = Array.from({ length: 400 }, (_, i) => solo(`t${i}`, i, i < 350 ? 1_000 : 400_000));
    const cloud = await cloudWith(tickets);
    const checked = slow(cloud, 10);
    for (let second = 0; second < 20 && cloud.waiting > 0; second++) {
      const slotMs = NOW_MS + 10_000 * second;
      cloud.time.nowMs = Math.max(cloud.time.nowMs, slotMs);
      const result = await cloud.time.run(() =>
        tick({ ...cloud.deps, checked }, { queue: 'large', slotMs, layout: 1, range: 0 }),
      );
      if (result.outcome !== 'searched') throw new Error(`Expected a search, got ${JSON.stringify(result)}.`);
      expect(result.metrics.durationMs).toBeLessThan(3_000);
      if (second === 0) expect(cloud.committed).toHaveLength(10);
    }
    expect(cloud.committed).toHaveLength(35);
    expect(cloud.ended.size).toBe(50);
  });
});

describe('many time-outs at once', () => {
  it('leave time for matches in the same tick, and all tickets time out', async () => {
    const late = Array.from({ length: 2_000 }, (_, i) => solo(`late${i}`, i / 5, 400_000));
    const fresh = Array.from({ length: 1_000 }, (_, i) => solo(`t${i}`, 1_000 + i, 1_000));
    const cloud = await cloudWith([...late, ...fresh]);
    const first = await tickAt(cloud, NOW_MS);
    expect(first.matches.length).toBeGreaterThan(50);
    expect(first.metrics.timedOut).toBeGreaterThan(100);
    for (let second = 1; second < 60 && cloud.waiting > 0; second++)
      await tickAt(cloud, NOW_MS + 1_000 * second);
    expect(cloud.committed).toHaveLength(100);
    expect(cloud.ended.size).toBe(2_000);
    const { recentEnds } = await cloud.time.run(() => getStats(cloud.deps, 'large', cloud.time.nowMs));
    expect(recentEnds.tickets).toBeGreaterThan(2_100);
    expect(recentEnds.timedOutShare).toBeCloseTo(2 / 3, 1);
  });
});

describe('a plan', () => {
  it('is committed while it is computed, so that the first match does not wait for the last', async () => {
    const cloud = await cloudWith(Array.from({ length: 2_000 }, (_, i) => solo(`t${i}`, i, 1_000)));
    const { create } = cloud.deps.matches;
    let plannedAtFirstCommit = 0;
    let planned = 0;
    const deps = {
      ...cloud.deps,
      newId: () => `id-${planned++}`,
      matches: {
        ...cloud.deps.matches,
        create: async (...args: Parameters<typeof create>) => {
          const outcome = await create(...args);
          plannedAtFirstCommit ||= planned;
          return outcome;
        },
      },
    };
    await cloud.time.run(() => tick(deps, { queue: 'large', slotMs: NOW_MS, layout: 1, range: 0 }));
    expect(cloud.committed.length).toBeGreaterThan(60);
    expect(plannedAtFirstCommit).toBeLessThan(30);
  });
});
