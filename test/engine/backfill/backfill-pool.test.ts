import { describe, expect, it } from 'vitest';
import { BackfillPool, type RunningGame } from '../../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../../lib/engine/types.ts';
import { compileRules } from '../../../lib/rules/rule-states.ts';
import { compareBackfills } from '../backfill-oracle.ts';
import { backfillCase } from '../random-backfill.ts';
import { seeded } from '../random-pool.ts';

const duo: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };

const solo = (ticketId: string, skill: number, enqueuedAtMs = 0): Ticket => ({
  ticketId,
  enqueuedAtMs,
  players: [{ playerId: ticketId, skill }],
});
const running = (...skills: [team: number, skill: number][]): RunningGame => ({
  backfillId: 'b',
  requestedAtMs: 0,
  players: skills.map(([team, skill], i) => ({ playerId: `there-${i}`, team, skill })),
});

it('agrees with brute force on random running games, while tickets are removed', () => {
  const random = seeded(20261123);
  let comparisons = 0;
  while (comparisons < 1500) comparisons += compareBackfills(backfillCase(random), random);
  expect(comparisons).toBeGreaterThanOrEqual(1500);
});

describe('a running game', () => {
  it('gets the players that make the whole game best', () => {
    const tickets = [solo('weak', 1400), solo('even', 1520), solo('strong', 1600)];
    const pool = new BackfillPool(duo, tickets, [running([0, 1500], [0, 1520], [1, 1500])], 0);
    const filling = pool.fill('b')!;
    expect(filling.ticketIds).toEqual(['even']);
    expect(filling).toMatchObject({ teamGap: 0, imbalance: 10, lowerBound: 10, optimal: true });
    expect(filling.teams).toEqual([
      [
        { playerId: 'there-0', ticketId: 'b' },
        { playerId: 'there-1', ticketId: 'b' },
      ],
      [
        { playerId: 'there-2', ticketId: 'b' },
        { playerId: 'even', ticketId: 'even' },
      ],
    ]);
  });

  it('competes by what newcomers add to it, so a poor game has no worse place', () => {
    const tickets = [solo('x', 1500)];
    const poor = running([0, 1000], [0, 2000], [1, 1500]);
    const filling = new BackfillPool(duo, tickets, [poor], 0).fill('b')!;
    expect(filling.imbalance).toBeGreaterThan(300);
    expect(filling.increment).toBeLessThan(1e-6);
  });

  it('is not filled with a player who is there already', () => {
    const game = running([0, 1500], [0, 1500], [1, 1500]);
    const pool = new BackfillPool(duo, [solo('there-1', 1500)], [game], 0);
    expect(pool.fill('b')).toBeUndefined();
    expect(pool.obstacle('b')).toBe('No waiting tickets can fill its 1 empty seat.');
  });

  it('takes fewer players than it has seats only where teams may be short and all have waited', () => {
    const raid: GameRules = {
      ...duo,
      teams: [{ name: 'raid', size: 5, minSize: 3 }],
      short: { afterSeconds: 30, cost: 10 },
    };
    const game = running([0, 1500], [0, 1500]);
    const tickets = [solo('early', 1500, 0), solo('late', 1500, 15_000)];
    const at = (nowMs: number) => new BackfillPool(raid, tickets, [game], nowMs).fill('b');
    expect(at(29_000)).toBeUndefined();
    expect(at(40_000)?.ticketIds).toEqual(['early']);
    expect(at(40_000)?.imbalance).toBe(20);
    expect(at(45_000)?.ticketIds).toEqual(['early', 'late']);
  });

  it('takes a whole party, or one that may be split into the empty seats of two teams', () => {
    const party = (split: boolean): Ticket => ({
      ticketId: 'pair',
      enqueuedAtMs: 0,
      players: ['ann', 'bob'].map((playerId) => ({ playerId, skill: 1500 })),
      split,
    });
    const game = running([0, 1500], [1, 1500]);
    expect(new BackfillPool(duo, [party(false)], [game], 0).fill('b')).toBeUndefined();
    const filling = new BackfillPool(duo, [party(true)], [game], 0).fill('b')!;
    expect(filling.teams.map((team) => team.length)).toEqual([2, 2]);
  });

  it('is never filled, and says why, when it does not fit the rules of the queue', () => {
    const game = running([0, 1], [0, 2], [0, 3]);
    const pool = new BackfillPool(duo, [solo('x', 1)], [game], 0);
    expect(pool.fill('b')).toBeUndefined();
    expect(pool.obstacle('b')).toBe('Expected backfill b to have at most 2 players in team 0, got 3');
    const off = new BackfillPool(duo, [solo('x', 1)], [running([7, 1])], 0);
    expect(off.obstacle('b')).toMatch('in a team from 0 to 1, got 7');
  });

  it('is filled at once when all players have the same skill, however many wait', () => {
    const tickets = Array.from({ length: 3000 }, (_, i) => solo(`t${i}`, 1000));
    const games = Array.from({ length: 50 }, (_, i) => ({
      ...running([0, 1000]),
      backfillId: `b${i}`,
    }));
    const pool = new BackfillPool(duo, tickets, games, 0, { nodeBudget: 50 });
    for (const { backfillId } of games) expect(pool.fill(backfillId)).toMatchObject({ optimal: true });
  });

  it('has more than 16 empty seats filled, with those who are there on their teams', () => {
    const rules: GameRules = { ...duo, teamSize: 10, roles: { tank: 2, damage: 8 } };
    const random = seeded(5);
    const tickets = Array.from({ length: 60 }, (_, i): Ticket => {
      const roles = i % 4 === 0 ? ['tank'] : ['damage'];
      const players = [0, 1].slice(0, 1 + (i % 2)).map((p) => ({
        playerId: `t${i}.${p}`,
        skill: 1000 + 1000 * random(),
        roles,
      }));
      return { ticketId: `t${i}`, enqueuedAtMs: 0, players };
    });
    const game = running([0, 1500], [1, 1400], [1, 1450]);
    const filling = new BackfillPool(rules, tickets, [game], 0).fill('b')!;
    expect(filling.teams.map((team) => team.length)).toEqual([10, 10]);
    expect(filling.teams[0][0].playerId).toBe('there-0');
    expect(filling.teams[1].slice(0, 2).map(({ playerId }) => playerId)).toEqual(['there-1', 'there-2']);
    for (const team of filling.teams) expect(team.filter(({ role }) => role === 'tank')).toHaveLength(2);
    expect(filling.lowerBound).toBeGreaterThan(0);
    expect(filling.lowerBound).toBeLessThanOrEqual(filling.imbalance);
    expect(new BackfillPool(rules, tickets.slice(0, 11), [game], 0).fill('b')).toBeUndefined();
  });

  it('has more than 16 empty seats filled again without the players whom those who are there avoid', () => {
    const avoid = ['t1', 't2', 't3'];
    const tickets = Array.from({ length: 30 }, (_, i) => solo(`t${i}`, 1500));
    const [there] = running([0, 1500]).players;
    const games = ['a', 'b'].map((backfillId) => ({
      backfillId,
      requestedAtMs: 0,
      players: [{ ...there, avoid }],
    }));
    const constraints = compileRules({}, { nowMs: 0, seats: 20, seatsMin: 20 }, true)!();
    const pool = new BackfillPool({ ...duo, teamSize: 10 }, tickets, games, 0, { constraints });
    for (const backfillId of ['a', 'b', 'a', 'b']) {
      const filling = pool.fill(backfillId)!;
      expect(filling.ticketIds).toHaveLength(19);
      for (const ticketId of avoid) expect(filling.ticketIds).not.toContain(ticketId);
    }
  });

  it('has the teams that a rule of teams leaves, whoever of those who are there is on which', () => {
    const within = { name: 'near', type: 'within', attribute: 'skill', max: 3, scope: 'team' } as const;
    const tickets = [solo('a', 1500), solo('b', 1498), solo('c', 1429)];
    for (const there of [0, 1]) {
      const constraints = compileRules({ rules: [within] }, { nowMs: 0, seats: 4, seatsMin: 4 }, false)!();
      const pool = new BackfillPool(duo, tickets, [running([there, 1429])], 0, { constraints });
      const { teams } = pool.fill('b')!;
      expect(teams[there].map(({ playerId }) => playerId)).toEqual(['there-0', 'c']);
    }
  });

  it('returns a valid bound when the node budget runs out', () => {
    const random = seeded(4);
    const tickets = Array.from({ length: 300 }, (_, i) => solo(`t${i}`, 1000 + 1000 * random()));
    const game = running([0, 1500]);
    const exact = new BackfillPool(duo, tickets, [game], 0).fill('b')!;
    const cut = new BackfillPool(duo, tickets, [game], 0, { nodeBudget: 5 }).fill('b')!;
    expect(exact.optimal).toBe(true);
    expect(cut.lowerBound).toBeLessThanOrEqual(exact.imbalance);
    expect(cut.imbalance).toBeGreaterThanOrEqual(exact.imbalance);
  });
});
