import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../lib/engine/types.ts';
import { type Backfill, planTick, type QueueRules, type TickMemory } from '../../lib/policies/plan.ts';
import type { ReleaseOptions } from '../../lib/vocabulary/release-options.ts';
import { somePolicies } from './some-policies.ts';

const policies: Record<string, ReleaseOptions> = {
  ...somePolicies,
  expanding: { policy: 'expanding', tolerance: 50, growthPerSecond: 20 },
};
const priorities = ['low', 'normal', 'high'] as const;

const duo: Omit<QueueRules, 'release'> = {
  teamSize: 2,
  imbalance: { alpha: 1, p: 1, q: 2 },
  tickSeconds: 2,
  timeoutSeconds: 40,
};
const queue = (priority: 'low' | 'normal' | 'high', more: Partial<QueueRules> = {}): QueueRules => ({
  ...duo,
  release: { policy: 'greedy' },
  backfill: { priority },
  ...more,
});
const ticket = (ticketId: string, skills: readonly number[], enqueuedAtMs = 0): Ticket => ({
  ticketId,
  enqueuedAtMs,
  players: skills.map((skill, i) => ({ playerId: `${ticketId}.${i}`, skill })),
});
/** A running game of three players of this skill, with one empty seat. */
const missingOne = (backfillId: string, skill: number, requestedAtMs = 0): Backfill => ({
  backfillId,
  requestedAtMs,
  players: [0, 0, 1].map((team, i) => ({ playerId: `${backfillId}.${i}`, skill, team })),
});

describe.each(Object.entries(policies))('policy %s', (_, release) => {
  it.each(priorities)('with priority %s reports every ticket and every backfill exactly once', (priority) => {
    const skills = fc.array(fc.integer({ min: 1000, max: 1100 }), { maxLength: 14 });
    const asked = fc.array(fc.tuple(fc.integer({ min: 1000, max: 1100 }), fc.integer({ min: 0, max: 59 })), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(skills, asked, (all, games) => {
        const tickets = all.map((skill, i) =>
          ticket(`t${i}`, i % 5 === 0 ? [skill, skill + 10] : [skill], 2000 * i),
        );
        const backfills = games.map(([skill, second], i) => missingOne(`b${i}`, skill, 1000 * second));
        const plan = planTick({ rules: queue(priority, { release }), tickets, backfills, nowMs: 60_000 });
        const places = [
          ...plan.matches.flatMap(({ ticketIds }) => ticketIds),
          ...plan.fillings.flatMap(({ ticketIds }) => ticketIds),
          ...plan.waiting.map(({ ticketId }) => ticketId),
          ...plan.timedOut,
        ];
        expect(places.toSorted()).toEqual(tickets.map(({ ticketId }) => ticketId).sort());
        const answered = [
          ...plan.fillings.map(({ backfillId }) => backfillId),
          ...plan.unfilled.map(({ backfillId }) => backfillId),
          ...plan.timedOutBackfills,
        ];
        expect(answered.toSorted()).toEqual(backfills.map(({ backfillId }) => backfillId).sort());
        for (const { reason } of plan.unfilled) expect(reason).not.toBe('');
        for (const { teams } of plan.fillings) expect(teams.map((team) => team.length)).toEqual([2, 2]);
      }),
      { numRuns: 12, seed: 3 },
    );
  });

  it('fills a running match whose player is as good as the one who left, although no period has ended', () => {
    const plan = planTick({
      rules: queue('normal', { release }),
      tickets: [ticket('same', [1500], 1000)],
      backfills: [missingOne('b', 1500, 1000)],
      nowMs: 3000,
    });
    expect(plan.fillings).toMatchObject([{ backfillId: 'b', ticketIds: ['same'], imbalance: 0 }]);
  });
});

describe('priority', () => {
  // The best new game has imbalance 0, and it is the only one; the running match would be worse with any of its players.
  const tickets = [1500, 1500, 1500, 1500].map((skill, i) => ticket(`t${i}`, [skill]));
  const poor: Backfill = {
    backfillId: 'b',
    requestedAtMs: 0,
    players: [
      { playerId: 'x', skill: 1900, team: 0 },
      { playerId: 'y', skill: 1900, team: 0 },
      { playerId: 'z', skill: 1900, team: 1 },
    ],
  };
  const released = (priority: 'low' | 'normal' | 'high', backfill: Backfill, nowMs = 2000) => {
    const plan = planTick({ rules: queue(priority), tickets, backfills: [backfill], nowMs });
    return [plan.matches.length, plan.fillings.length];
  };

  it('high goes before new games', () => {
    expect(released('high', poor)).toEqual([0, 1]);
  });

  it('normal leaves players to new games that are better for them, and takes those that are as well off', () => {
    expect(released('normal', poor)).toEqual([1, 0]);
    expect(released('normal', missingOne('b', 1500))).toEqual([0, 1]);
  });

  it('low gets who is left', () => {
    expect(released('low', missingOne('b', 1500))).toEqual([1, 0]);
    const plan = planTick({
      rules: queue('low'),
      tickets: [...tickets, ticket('left', [1500])],
      backfills: [missingOne('b', 1500)],
      nowMs: 2000,
    });
    expect([plan.matches.length, plan.fillings.length]).toEqual([1, 1]);
  });

  it('normal goes before new games once it has waited for half of the time-out', () => {
    const young = planTick({
      rules: queue('normal'),
      tickets: later(tickets, 19_000),
      backfills: [poor],
      nowMs: 19_000,
    });
    expect([young.matches.length, young.fillings.length]).toEqual([1, 0]);
    const due = planTick({
      rules: queue('normal'),
      tickets: later(tickets, 20_000),
      backfills: [poor],
      nowMs: 20_000,
    });
    expect([due.matches.length, due.fillings.length]).toEqual([0, 1]);
  });
});

const later = (tickets: readonly Ticket[], enqueuedAtMs: number) =>
  tickets.map((one) => ({ ...one, enqueuedAtMs }));

/** Plays ticks; every tick brings `arrive` tickets and `ask` backfills. Returns when each of them ended, and how. */
function play(
  rules: QueueRules,
  ticks: number,
  arrive: (tick: number) => readonly Ticket[],
  ask: (tick: number) => readonly Backfill[],
): { ends: Map<string, 'matched' | 'filled' | 'newcomer' | 'timed out'>; matches: string[] } {
  let tickets: Ticket[] = [];
  let backfills: Backfill[] = [];
  let memory: TickMemory | undefined;
  const ends = new Map<string, 'matched' | 'filled' | 'newcomer' | 'timed out'>();
  const matches: string[] = [];
  for (let tick = 1; tick <= ticks; tick++) {
    tickets.push(...arrive(tick));
    backfills.push(...ask(tick));
    const plan = planTick({ rules, tickets, backfills, nowMs: 2000 * tick, memory, reasons: false });
    memory = plan.memory;
    for (const { ticketIds } of plan.matches) {
      matches.push(ticketIds.join());
      for (const id of ticketIds) ends.set(id, 'matched');
    }
    for (const { ticketIds, backfillId } of plan.fillings) {
      ends.set(backfillId, 'filled');
      for (const id of ticketIds) ends.set(id, 'newcomer');
    }
    for (const id of [...plan.timedOut, ...plan.timedOutBackfills]) ends.set(id, 'timed out');
    tickets = tickets.filter(({ ticketId }) => !ends.has(ticketId));
    backfills = backfills.filter(({ backfillId }) => !ends.has(backfillId));
  }
  return { ends, matches };
}

describe('under normal priority', () => {
  it('no backfill starves, although new games could take every ticket of every tick', () => {
    const { ends } = play(
      queue('normal'),
      40,
      (tick) => [0, 1, 2, 3].map((i) => ticket(`t${tick}.${i}`, [1500], 2000 * tick)),
      (tick) => (tick <= 15 ? [missingOne(`b${tick}`, 2500, 2000 * tick)] : []),
    );
    const backfills = [...ends].filter(([id]) => id.startsWith('b'));
    expect(backfills.length).toBe(15);
    expect(backfills.filter(([, end]) => end !== 'filled')).toEqual([]);
  });

  it('no new game starves, although running matches could take every player of every tick', () => {
    // A party that no running match has room for. Each tick brings one solo player, and two matches that want it.
    const arrive = (tick: number) => [
      ...(tick === 1 ? [ticket('party', [1500, 1500], 2000)] : []),
      ticket(`t${tick}`, [1500], 2000 * tick),
    ];
    const ask = (tick: number) => [0, 1].map((i) => missingOne(`b${tick}.${i}`, 1500, 2000 * tick));
    for (const priority of ['low', 'normal'] as const)
      expect(play(queue(priority), 21, arrive, ask).ends.get('party')).toBe('matched');
    expect(play(queue('high'), 21, arrive, ask).ends.get('party')).toBe('timed out');
  });

  it('a ticket that is kept for a new game goes to a backfill that has waited longer', () => {
    const old = ticket('party', [1500, 1500], 1000);
    const plan = (requestedAtMs: number) =>
      planTick({
        rules: queue('normal'),
        tickets: [old, ticket('solo', [1500], 25_000)],
        backfills: [missingOne('b', 1500, requestedAtMs)],
        nowMs: 26_000,
      });
    expect(plan(2000).fillings).toEqual([]);
    expect(plan(2000).unfilled[0].reason).toMatch('kept for tickets that have waited longer');
    expect(plan(500).fillings).toMatchObject([{ ticketIds: ['solo'] }]);
  });

  it('backfills that cannot be answered start no games: the same new games are made as without them', () => {
    const arrive = (tick: number) =>
      [0, 1, 2].map((i) => ticket(`t${tick}.${i}`, [1400 + ((tick * 37 + i * 61) % 200)], 2000 * tick));
    const broken = (tick: number): Backfill[] => [
      // No team has room for three, and there is no team 9.
      {
        ...missingOne(`full${tick}`, 1500, 2000 * tick),
        players: missingOne('f', 1500).players.map((p) => ({ ...p, team: 0 })),
      },
      { ...missingOne(`lost${tick}`, 1500, 2000 * tick), players: [{ playerId: 'x', skill: 1500, team: 9 }] },
    ];
    const without = play(queue('normal'), 30, arrive, () => []);
    const withThem = play(queue('normal'), 30, arrive, broken);
    expect(without.matches.length).toBeGreaterThan(15);
    expect(withThem.matches).toEqual(without.matches);
  });
});

describe('a backfill', () => {
  it('times out with the queue, and is not filled then', () => {
    const plan = planTick({
      rules: queue('high'),
      tickets: [ticket('t', [1500], 39_000)],
      backfills: [missingOne('b', 1500, 0)],
      nowMs: 40_000,
    });
    expect(plan).toMatchObject({ fillings: [], unfilled: [], timedOutBackfills: ['b'] });
  });

  it('takes only players who reach the region of its match', () => {
    const rules = queue('normal', { rules: [{ name: 'Region', type: 'latency', max: 80 }] });
    const reach = (ticketId: string, latencyMs: Record<string, number>): Ticket => ({
      ticketId,
      enqueuedAtMs: 0,
      players: [{ playerId: ticketId, skill: 1500, latencyMs } as Ticket['players'][number]],
    });
    const tickets = [reach('east-only', { east: 10 }), reach('both', { east: 10, west: 70 })];
    const backfill = {
      ...missingOne('b', 1500),
      players: missingOne('b', 1500).players.map((player) => ({
        ...player,
        latencyMs: { east: 5, west: 60 },
      })),
    };
    const inWest = planTick({ rules, tickets, backfills: [{ ...backfill, region: 'west' }], nowMs: 1000 });
    expect(inWest.fillings).toMatchObject([{ ticketIds: ['both'], ruling: { region: 'west' } }]);
    const nowhere = planTick({ rules, tickets, backfills: [{ ...backfill, region: 'mars' }], nowMs: 1000 });
    expect(nowhere.fillings).toEqual([]);
  });

  it('counts those who are there for rules: a player that one of them avoids does not come', () => {
    const base = missingOne('b', 1500);
    const backfill: Backfill = {
      ...base,
      players: base.players.map((player, i) => (i === 0 ? { ...player, avoid: ['foe.0', 'b.1'] } : player)),
    };
    const tickets = [ticket('foe', [1500]), ticket('friend', [1600])];
    const plan = planTick({ rules: queue('normal'), tickets, backfills: [backfill], nowMs: 1000 });
    expect(plan.fillings).toMatchObject([{ ticketIds: ['friend'] }]);
  });

  it('is filled by percentiles where the queue compares them', () => {
    const rules = queue('high', { skillScale: 'percentile' });
    const tickets = [ticket('near', [1510]), ticket('far', [9000]), ticket('low', [10])];
    const plan = planTick({ rules, tickets, backfills: [missingOne('b', 1500)], nowMs: 1000 });
    expect(plan.fillings).toMatchObject([{ ticketIds: ['near'] }]);
  });
});
