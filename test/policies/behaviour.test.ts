import { describe, expect, it } from 'vitest';
import { id } from '../../lib/contract/ticket.ts';
import type { Ticket } from '../../lib/engine/types.ts';
import { planTick, type QueueRules, type TickMemory } from '../../lib/policies/plan.ts';
import { poissonArrivals } from '../../lib/simulation/arrivals.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { simulate } from '../../lib/simulation/simulate.ts';
import type { ReleaseOptions } from '../../lib/vocabulary/release-options.ts';
import { sample } from '../long.ts';
import { memoryOf, NOW_MS, queue, solo } from './plain-queues.ts';

const optionValue: ReleaseOptions = { policy: 'option-value', waitCost: 2 };
const expanding: ReleaseOptions = { policy: 'expanding', tolerance: 50, growthPerSecond: 5 };

const matched = (rules: QueueRules, tickets: readonly Ticket[], memory?: TickMemory) =>
  planTick({ rules, tickets, nowMs: NOW_MS, memory }).matches.map(({ ticketIds }) => ticketIds);

describe('a newer ticket of equal fit never overtakes the one that has waited longest (Nakama #2544)', () => {
  it.each([
    ['fifo', { policy: 'fifo' }],
    ['expanding', expanding],
    ['option-value', optionValue],
  ] as [string, ReleaseOptions][])('with %s', (_, release) => {
    const old = solo('old', 1500, NOW_MS - 60_000);
    const newer = solo('newer', 1500, NOW_MS - 1000);
    const partner = solo('partner', 1510, NOW_MS - 500);
    const games = matched(queue(1, release), [newer, partner, old], memoryOf(1));
    expect(games).toHaveLength(1);
    expect(games[0]).toContain('old');
  });

  it('holds when the best games go first and waiting has a weight', () => {
    const old = solo('old', 1500, NOW_MS - 60_000);
    const newer = solo('newer', 1500, NOW_MS - 1000);
    const partner = solo('partner', 1510, NOW_MS - 500);
    const rules = { ...queue(1, { policy: 'greedy' }), beta: 0.1 };
    expect(matched(rules, [newer, partner, old])[0]).toContain('old');
  });
});

describe('every long wait counts, not only the longest one (ShieldBattery #1530)', () => {
  it('releases a game with many long waits that it would hold with one long wait', () => {
    const rules = queue(5, { policy: 'option-value', waitCost: 0.5 });
    const memory = memoryOf(5);
    const game = (oldTickets: number) =>
      Array.from({ length: 10 }, (_, i) =>
        solo(`t${i}`, 1450 + 10 * i, NOW_MS - (i < oldTickets ? 250_000 : 1000)),
      );
    expect(matched(rules, game(1), memory)).toHaveLength(0);
    expect(matched(rules, game(10), memory)).toHaveLength(1);
  });
});

describe('the player 2.5 standard deviations out is matched within the time the policy promises (teiserver #699)', () => {
  it('waits no longer than the time-out, and mostly less than half as long, with option-value', () => {
    const waits = waitsOf(queue(2, optionValue, 300), 2, 4000);
    const outliers = waits.filter(({ skill }) => Math.abs(skill - 1500) > 2.5 * 350);
    expect(outliers.length).toBeGreaterThan(20);
    expect(outliers.every(({ seconds }) => seconds <= 301)).toBe(true);
    const sorted = outliers.map(({ seconds }) => seconds).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(150);
  });
});

describe('the top player is not stuck for hours (osu-server-spectator #501)', () => {
  it('matches the top player before the time-out although no other player has a similar skill', () => {
    const waits = waitsOf(queue(1, optionValue, 180), 0.5, 600, [solo('the best there is', 4000, 60_000)]);
    const top = waits.find(({ skill }) => skill === 4000);
    expect(top?.matched).toBe(true);
    expect(top?.seconds).toBeLessThanOrEqual(180);
  });
});

describe('a new ticket does not reset the waits of the others in its game (expansion age `newest` of FlexMatch)', () => {
  it.each([
    ['expanding', expanding],
    ['option-value', optionValue],
  ] as [string, ReleaseOptions][])('with %s', (_, release) => {
    const waiting = Array.from({ length: 9 }, (_, i) => solo(`t${i}`, 1400 + 20 * i, NOW_MS - 120_000));
    const late = solo('late', 1480, NOW_MS - 1000);
    const rules = queue(5, release.policy === 'expanding' ? { ...expanding, tolerance: 100 } : release);
    expect(matched(rules, [...waiting, late], memoryOf(5))).toHaveLength(1);
  });
});

describe('expanding', () => {
  it('respects the tolerance of every ticket, so a newcomer is not forced into a wide game', () => {
    const rules = queue(1, expanding);
    const old = solo('old', 1000, NOW_MS - 60_000);
    const newcomer = solo('newcomer', 1200, NOW_MS - 1000);
    expect(matched(rules, [old, newcomer])).toHaveLength(0);
    expect(matched(rules, [old, { ...newcomer, enqueuedAtMs: NOW_MS - 40_000 }])).toHaveLength(1);
  });

  it('serves the longest-waiting ticket first, with its nearest neighbours', () => {
    const rules = queue(1, { policy: 'expanding', tolerance: 300 });
    const games = matched(rules, [
      solo('longest', 1000, NOW_MS - 30_000),
      solo('near', 1050, NOW_MS - 10_000),
      solo('far', 1200, NOW_MS - 20_000),
    ]);
    expect(games).toEqual([['longest', 'near']]);
  });
});

describe('periodic', () => {
  it('makes games only at the end of the period', () => {
    const rules = queue(1, { policy: 'periodic', everySeconds: 10 });
    const tickets = [solo('a', 1000, NOW_MS - 3000), solo('b', 1001, NOW_MS - 2000)];
    const before = planTick({ rules, tickets, nowMs: NOW_MS - 1000 });
    expect(before.matches).toHaveLength(0);
    expect(planTick({ rules, tickets, nowMs: NOW_MS, memory: before.memory }).matches).toHaveLength(1);
  });

  it('keeps the solo players that the pairs need, and so does greedy', () => {
    const solos = Array.from({ length: 6 }, (_, i) => solo(`solo ${i}`, 1500, NOW_MS - 2000));
    const pairs = Array.from({ length: 6 }, (_, i) => ({
      ticketId: `pair ${i}`,
      enqueuedAtMs: NOW_MS - 2000,
      players: [0, 100].map((more) => ({ playerId: `${i} and ${more}`, skill: 1450 + more })),
    }));
    const gamesWith = (release: ReleaseOptions) => matched(queue(3, release), [...solos, ...pairs]);
    expect(gamesWith({ policy: 'greedy' })).toHaveLength(3);
    expect(gamesWith({ policy: 'periodic', everySeconds: 1 })).toHaveLength(3);
  });
});

describe('a waiting ticket', () => {
  const roles = { healer: 1, damage: 1 };
  const damage = (at: number): Ticket => ({
    ...solo(`t${at}`, 1500, NOW_MS - 1000),
    players: [{ playerId: `p${at}`, skill: 1500, roles: ['damage'] }],
  });

  it.each([
    ['greedy', { policy: 'greedy' }],
    ['option-value', optionValue],
    ['expanding', expanding],
  ] as [string, ReleaseOptions][])('gets the name of the missing role, with %s', (_, release) => {
    const rules: QueueRules = { ...queue(2, release), roles };
    const { waiting } = planTick({
      rules,
      tickets: Array.from({ length: 6 }, (_, at) => damage(at)),
      nowMs: NOW_MS,
    });
    expect(waiting).toHaveLength(6);
    for (const { reason } of waiting) expect(reason).toMatch(/healer/);
  });

  it('gets the number of missing players', () => {
    const { waiting } = planTick({
      rules: queue(1, optionValue),
      tickets: [solo('alone', 1500, NOW_MS)],
      nowMs: NOW_MS,
    });
    expect(waiting).toEqual([{ ticketId: 'alone', reason: 'A match needs 2 players; 1 is waiting.' }]);
  });
});

describe('bots', () => {
  it('have ids that no player or ticket can have', () => {
    const tickets = [solo('bot-1', 1500, NOW_MS - 61_000), solo('late', 1500, NOW_MS - 61_000)];
    const { matches } = planTick({
      rules: { ...queue(2, optionValue, 60), fill: 'bots' },
      tickets,
      nowMs: NOW_MS,
    });
    const seats = matches.flatMap(({ teams }) => teams.flat());
    expect(new Set(seats.map(({ playerId }) => playerId)).size).toBe(4);
    const bots = seats.filter(({ bot }) => bot);
    expect(bots).toHaveLength(2);
    for (const { playerId, ticketId } of bots)
      for (const one of [playerId, ticketId]) expect(id.safeParse(one).success).toBe(false);
  });

  it('fill the seats that the nearest waiting tickets leave when a ticket times out', () => {
    const rules: QueueRules = { ...queue(2, optionValue, 60), fill: 'bots' };
    const { matches, timedOut } = planTick({
      rules,
      tickets: [solo('late', 1500, NOW_MS - 61_000), solo('near', 1550, NOW_MS - 1000)],
      nowMs: NOW_MS,
    });
    expect(timedOut).toEqual([]);
    expect(matches).toHaveLength(1);
    expect(matches[0].ticketIds).toEqual(['late', 'near']);
    const seats = matches[0].teams.flat();
    expect(
      seats
        .filter(({ bot }) => bot)
        .map(({ playerId }) => playerId)
        .sort(),
    ).toEqual(['bot~1', 'bot~2']);
  });
});

describe('a player in two tickets', () => {
  it('is never in one game twice', () => {
    const twice = (ticketId: string, skill: number): Ticket => ({
      ticketId,
      enqueuedAtMs: NOW_MS - 5000,
      players: [{ playerId: 'the same', skill }],
    });
    const tickets = [
      twice('one', 1500),
      twice('two', 1500),
      solo('other', 1600, NOW_MS - 5000),
      solo('more', 1700, NOW_MS),
    ];
    for (const release of [{ policy: 'greedy' }, { policy: 'fifo' }] as ReleaseOptions[]) {
      for (const ticketIds of matched(queue(1, release), tickets)) {
        expect(ticketIds).not.toEqual(['one', 'two']);
      }
    }
  });

  it.each([
    ['greedy', { policy: 'greedy' }],
    ['option-value', optionValue],
  ] as [string, ReleaseOptions][])(
    'is not exchanged into its own large game under rules, with %s',
    (_, release) => {
      const rules: QueueRules = {
        ...queue(9, release),
        rules: [{ name: 'Near', type: 'latency', max: 100, cost: 10 }],
      };
      let games = 0;
      for (let seed = 1; seed <= sample(2, 4); seed++) {
        const random = seededRandom(seed);
        const tickets = Array.from({ length: 120 }, (_, i): Ticket => {
          const player = {
            skill: 1000 + 1000 * random.uniform(),
            latencyMs: { eu: Math.floor(40 + 150 * random.uniform()) },
          };
          return {
            ticketId: `t${i}`,
            enqueuedAtMs: NOW_MS - 20_000,
            players: [{ ...player, playerId: `p${i % 40}` }],
          };
        });
        const there = { playerId: 'there', skill: 1500, team: 0, latencyMs: { eu: 50 } };
        const backfill = { backfillId: 'b', requestedAtMs: NOW_MS, players: [there] };
        for (const backfills of [[], [backfill]]) {
          const { matches, fillings } = planTick({
            rules: { ...rules, backfill: {} },
            tickets,
            backfills,
            nowMs: NOW_MS,
            reasons: false,
          });
          for (const { teams } of [...matches, ...fillings]) {
            const players = teams.flat().map(({ playerId }) => playerId);
            expect(players).toEqual([...new Set(players)]);
            games++;
          }
        }
      }
      expect(games).toBeGreaterThan(sample(1, 3));
    },
  );
});

function waitsOf(rules: QueueRules, rate: number, players: number, extra: readonly Ticket[] = []) {
  const waits: { skill: number; seconds: number; matched: boolean }[] = [];
  const arrivals = [
    ...poissonArrivals(
      {
        population: { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } },
        rate: { kind: 'constant', perSecond: rate },
        players,
      },
      seededRandom(3),
    ),
    ...extra.map((ticket) => ({ ticket, patienceMs: Number.POSITIVE_INFINITY })),
  ].sort((a, b) => a.ticket.enqueuedAtMs - b.ticket.enqueuedAtMs);
  const note = (ticket: Ticket, nowMs: number, isMatched: boolean) =>
    waits.push({
      skill: ticket.players[0].skill,
      seconds: (nowMs - ticket.enqueuedAtMs) / 1000,
      matched: isMatched,
    });
  const observer = {
    matched: (_game: unknown, tickets: readonly Ticket[], nowMs: number) => {
      for (const ticket of tickets) note(ticket, nowMs, true);
    },
    timedOut: (ticket: Ticket, nowMs: number) => void note(ticket, nowMs, false),
    cancelled() {},
    joined() {},
    ticked() {},
  };
  for (const _ of simulate({ rules, arrivals, observers: [observer] }));
  return waits;
}
