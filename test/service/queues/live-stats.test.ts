import { describe, expect, it } from 'vitest';
import { queueStats } from '../../../lib/contract/queue-stats.ts';
import type { RuledPlayer } from '../../../lib/rules/types.ts';
import { layoutAt, tickRanges } from '../../../lib/service/domain/buckets.ts';
import { getStats } from '../../../lib/service/queues/stats.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { isOdd } from '../../../lib/service/waking/schedule.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';
import { TimedCloud } from '../timed-cloud.ts';

type Accepted = Partial<RuledPlayer>;

const killer: Accepted = { teams: ['killer'] };
const survivor: Accepted = { teams: ['survivor'] };
const anySide: Accepted = {};

/** One killer against one survivor. */
const sides = {
  teamSize: undefined,
  teams: [
    { name: 'killer', size: 1 },
    { name: 'survivor', size: 1 },
  ],
};

interface RunOptions {
  readonly boundaries?: readonly number[];
  /** The ten players of a second, in order of arrival. */
  readonly ten: readonly Accepted[] | ((second: number) => readonly Accepted[]);
  readonly seconds?: number;
}

/** Runs the ticks of a queue in which ten players arrive per second. Returns its statistics and its metric. */
async function run(changes: object, { boundaries = [], ten, seconds = 25 }: RunOptions) {
  const cloud = new TimedCloud(NOW_MS);
  const rules = definition({ name: 'choice', buckets: [...boundaries], ...changes });
  const record = {
    definition: rules,
    version: 1,
    layouts: [{ version: 1, boundaries, fromMs: 0 }],
    awakeUntilMs: 0,
    sentUntilMs: 0,
  };
  await cloud.putQueue(record);
  const random = seededRandom(7);
  const metrics: number[] = [];
  const firstMs = Math.ceil(NOW_MS / 1_000) * 1_000;
  for (let second = 0; second < seconds; second++) {
    const slotMs = firstMs + 1_000 * second;
    cloud.time.nowMs = Math.max(cloud.time.nowMs, slotMs);
    const players = typeof ten === 'function' ? ten(second) : ten;
    const arrived = players.map((accepted, i) => ({
      ticketId: `t-${second}-${i}`,
      queue: 'choice',
      status: 'QUEUED' as const,
      enqueuedAt: new Date(slotMs - 900 + 50 * i).toISOString(),
      players: [{ playerId: `p-${second}-${i}`, skill: 1 + random.integer(3000), ...accepted }],
    }));
    await cloud.fill(arrived);
    const layout = layoutAt(record.layouts, slotMs);
    for (const range of tickRanges(layout, isOdd(record, slotMs)).keys()) {
      const message = { queue: 'choice', slotMs, layout: 1, range };
      const result = await cloud.time.run(() => tick(cloud.deps, message));
      if (result.outcome !== 'searched') throw new Error(result.why);
      if (result.metrics.choiceFreeNeeded !== undefined) metrics.push(result.metrics.choiceFreeNeeded);
    }
  }
  const stats = queueStats.parse(
    await cloud.time.run(() => getStats(cloud.deps, 'choice', cloud.time.nowMs)),
  );
  return { stats, metrics };
}

const repeated = (...groups: [number, Accepted][]) =>
  groups.flatMap(([count, accepted]) => Array<Accepted>(count).fill(accepted));

describe.each([
  { buckets: 'one bucket', boundaries: [], seconds: 25 },
  { buckets: 'three buckets', boundaries: [1000, 2000], seconds: 45 },
])('a queue of $buckets whose players choose sides', ({ boundaries, seconds }) => {
  it('warns when too many insist on one side, and says how many choice-free players are needed', async () => {
    const ten = repeated([7, killer], [2, survivor], [1, anySide]);
    const { stats, metrics } = await run(sides, { boundaries, ten, seconds });
    const [choice] = stats.choices!;
    expect(choice).toMatchObject({ of: 'sides', isBounded: false, overchosen: ['killer'] });
    expect(choice!.choiceFreeShare).toBeCloseTo(0.2, 1);
    expect(choice!.warning).toMatch(/^The wait has no bound: players who accept only killer arrive faster/);
    expect(metrics.length).toBeGreaterThan(1);
    expect(metrics.at(-1)).toBeCloseTo(20, -1);
  });

  it('does not warn when enough players accept both sides', async () => {
    const ten = repeated([4, killer], [2, survivor], [4, anySide]);
    const { stats, metrics } = await run(sides, { boundaries, ten, seconds });
    expect(stats.choices).toMatchObject([
      { isBounded: true, overchosen: [], choiceFreeShare: 0, warning: null },
    ]);
    expect(new Set(metrics)).toEqual(new Set([0]));
  });
});

describe('a queue whose players choose sides', () => {
  it('warns exactly at the boundary, where the wait grows without bound although no player is in surplus', async () => {
    const { stats } = await run(sides, { ten: repeated([5, killer], [2, survivor], [3, anySide]) });
    expect(stats.choices).toMatchObject([{ isBounded: false, overchosen: ['killer'] }]);
    expect(stats.choices![0]!.choiceFreeShare).toBeCloseTo(0, 4);
  });

  it('gives no verdict before a hundred players have arrived, and records no metric', async () => {
    const { stats, metrics } = await run(sides, { ten: repeated([10, killer]), seconds: 9 });
    expect(stats.choices).toMatchObject([{ players: 90, isBounded: null, warning: null }]);
    expect(metrics).toEqual([]);
  });

  it('forgets what players chose in the past', async () => {
    const past = repeated([10, killer]);
    const now = repeated([5, survivor], [5, anySide]);
    const ten = (second: number) => (second < 12 ? past : now);
    expect((await run(sides, { ten, seconds: 15 })).stats.choices).toMatchObject([{ isBounded: false }]);
    expect((await run(sides, { ten, seconds: 60 })).stats.choices).toMatchObject([{ isBounded: true }]);
  });
});

describe('a queue without choices', () => {
  it('has no verdict in its statistics and no metric', async () => {
    const { stats, metrics } = await run({}, { ten: repeated([10, {}]), seconds: 15 });
    expect(stats).not.toHaveProperty('choices');
    expect(metrics).toEqual([]);
  });
});

describe('a queue with a latency rule', () => {
  const rules = [{ name: 'Ping', type: 'latency', max: 60, relax: [{ waitSeconds: 20, max: 100 }] }];
  const eu = { latencyMs: { eu: 90, us: 150 } };
  const us = { latencyMs: { eu: 150, us: 30 } };
  const nowhere = { latencyMs: { eu: 101, us: 150 } };

  it('does not warn when every player reaches a region within the loosest limit', async () => {
    const { stats } = await run({ rules }, { ten: repeated([5, eu], [5, us]), seconds: 15 });
    expect(stats.choices).toMatchObject([{ of: 'regions', isBounded: true, warning: null }]);
  });

  it('has no players who reach no region: their tickets are refused', async () => {
    const ten = repeated([9, eu], [1, nowhere]);
    const { stats } = await run({ rules }, { ten, seconds: 15 });
    expect(stats.choices).toMatchObject([{ of: 'regions', isBounded: true, warning: null }]);
    expect(stats.arrivals!.playersPerSecond).toBeCloseTo(9, 1);
  });

  it('warns when a role is over-chosen among the players of one region only', async () => {
    const roles = { tank: 1, damage: 1 };
    const ten = [
      ...repeated([4, { ...eu, roles: ['damage'] }], [1, { ...eu, roles: ['tank'] }]),
      ...repeated([4, { ...us, roles: ['tank'] }], [1, { ...us, roles: ['damage'] }]),
    ];
    const { stats } = await run({ teamSize: 2, roles, rules }, { ten });
    const [choice] = stats.choices!;
    expect(choice).toMatchObject({ of: 'roles', isBounded: false });
    expect(choice!.regions).toHaveLength(1);
    expect(choice!.warning).toMatch(/players in (eu|us) who accept only/);
  });
});

describe('the statistics of a queue with rules', () => {
  const level = { type: 'number', default: 1 };
  const rules = [
    { name: 'Ping', type: 'latency', max: 60 },
    {
      name: 'Level',
      type: 'within',
      attribute: 'level',
      max: 5,
      relax: [{ waitSeconds: 10, max: 50 }],
    },
    { name: 'Mixed', type: 'same', attribute: 'level', cost: 3 },
  ];
  const eu = (own: number) => ({ latencyMs: { eu: 20 }, attributes: { level: own } });
  const us = (own: number) => ({ latencyMs: { us: 20 }, attributes: { level: own } });

  it.each([{ boundaries: [] }, { boundaries: [1000, 2000] }])(
    'say where matches are played, how often rules relax and what they cost, with buckets $boundaries',
    async ({ boundaries }) => {
      // No other player has the level of the last one, so a match has to wait until the rule relaxes.
      const ten = (second: number) => [...repeated([6, eu(1)], [3, us(1)]), us(10 + 10 * second)];
      const { stats } = await run({ attributes: { level }, rules }, { boundaries, ten, seconds: 30 });
      const { regions, rules: byRule } = stats;
      expect(Object.keys(regions!).sort()).toEqual(['eu', 'us']);
      expect(regions!.eu!.share + regions!.us!.share).toBeCloseTo(1, 4);
      expect(regions!.eu!.share).toBeGreaterThan(0.5);
      expect(regions!.us!.waitSecondsMean).toBeGreaterThan(regions!.eu!.waitSecondsMean);
      expect(byRule!.Ping).toEqual({});
      expect(byRule!.Level!.relaxedShare).toBeGreaterThan(0);
      expect(byRule!.Level!.relaxedShare).toBeLessThan(0.3);
      // One more level in a match costs 3.
      expect(byRule!.Mixed!.costMean).toBeCloseTo(3 * byRule!.Level!.relaxedShare!, 3);
    },
  );

  it('have no values before the first match', async () => {
    const { stats } = await run({ attributes: { level }, rules }, { ten: [eu(1)], seconds: 1 });
    expect(stats).toMatchObject({
      regions: {},
      rules: { Ping: {}, Level: { relaxedShare: null }, Mixed: { costMean: null } },
    });
  });

  it('omit both in a queue without rules', async () => {
    const { stats } = await run({}, { ten: repeated([10, {}]), seconds: 3 });
    expect(stats).not.toHaveProperty('regions');
    expect(stats).not.toHaveProperty('rules');
  });
});
