import { describe, expect, it } from 'vitest';
import { everyoneAtOnce, GamePool } from '../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../lib/engine/types.ts';
import { allGames } from './oracle.ts';
import { seeded } from './random-pool.ts';
import { bestGame } from './reference/best-game.ts';

const plain: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };

/** Tickets in order, each given by its players' skills. */
const ticketsOf = (parties: readonly (readonly number[])[], enqueuedAtMs: readonly number[] = []): Ticket[] =>
  parties.map((skills, t) => ({
    ticketId: `t${String(t).padStart(2, '0')}`,
    enqueuedAtMs: enqueuedAtMs[t] ?? 0,
    players: skills.map((skill, i) => ({ playerId: `t${t}.${i}`, skill })),
  }));

const poolOf = (tickets: readonly Ticket[], rules: GameRules, nodeBudget?: number): GamePool => {
  const pool = new GamePool(rules, nodeBudget === undefined ? {} : { nodeBudget });
  for (const ticket of tickets) pool.insert(ticket);
  return pool;
};

/** A party of this many players who all have this skill. */
const alike = (size: number, skill: number): number[] => Array.from({ length: size }, () => skill);
const solos = (count: number, skill: number): number[][] => Array.from({ length: count }, () => [skill]);

describe('players of equal skill', () => {
  it.each([
    ['a party of six and six solo players at 1000', 6, 1000, [6]],
    ['a party of three and three solo players at 27.3', 3, 27.3, [3]],
    ['parties of three and two and five solo players at 1263.6185', 5, 1263.6185, [3, 2]],
  ])('play together: %s', (_, teamSize, skill, parties) => {
    const players = parties.reduce((sum, size) => sum + size, 0);
    const tickets = ticketsOf([
      ...parties.map((size) => alike(size, skill)),
      ...solos(2 * teamSize - players, skill),
    ]);
    const pool = poolOf(tickets, { ...plain, teamSize });
    for (const game of [pool.best(0), pool.bestWith('t00', 0)]) {
      expect(game).toMatchObject({ imbalance: 0, lowerBound: 0, optimal: true });
      expect(game?.ticketIds).toEqual(tickets.map(({ ticketId }) => ticketId));
    }
  });

  it('play together at every rating of four decimals', () => {
    const random = seeded(31);
    for (let round = 0; round < 300; round++) {
      const teamSize = 2 + Math.floor(random() * 7);
      const skill = Math.round(random() * 3e7) / 1e4;
      const parties: number[][] = [];
      for (const _ of [1, 2]) {
        for (let left = teamSize; left > 0; ) {
          const size = 1 + Math.floor(random() * left);
          parties.push(alike(size, skill));
          left -= size;
        }
      }
      const game = poolOf(ticketsOf(parties), { ...plain, teamSize, beta: round % 2 }).best(60_000);
      expect(game, `teams of ${teamSize} at ${skill}: ${JSON.stringify(parties)}`).toBeDefined();
      expect(game?.imbalance).toBe(0);
    }
  });

  it('have no bound above their best game when the node budget is tiny', () => {
    const skill = 860.4901453675176;
    const rules: GameRules = { teamSize: 3, alpha: 3, p: 1, q: 1, beta: 1000 };
    const parties = [...solos(3, skill), alike(3, skill), alike(3, skill)];
    const tickets = ticketsOf(parties, [15_000, 0, 15_000, 26_000, 3000]);
    const best = Math.min(...allGames(tickets, rules, 60_000).map(({ priority }) => priority));
    const game = poolOf(tickets, rules, 3).best(60_000);
    expect(game?.lowerBound).toBeLessThanOrEqual(best);
  });
});

describe('a large finite p', () => {
  const rules: GameRules = { ...plain, p: 200 };
  const skills = [1008, 3, 2, 437, 2];
  const least = (tickets: readonly Ticket[]) =>
    Math.min(...allGames(tickets, rules, 0).map(({ imbalance }) => imbalance));

  it('divides solo players fairly where the powers of a whole team are too small for a number', () => {
    const tickets = ticketsOf(skills.map((skill) => [skill]));
    for (const game of [poolOf(tickets, rules).best(0), poolOf(tickets, rules).bestWith('t03', 0)])
      expect(game?.imbalance).toBeCloseTo(least(tickets), 9);
  });

  it('divides tickets fairly where the powers of a whole team are too small for a number', () => {
    const tickets = ticketsOf(skills.map((skill) => [skill]));
    const roles = { any: 2 };
    const game = poolOf(tickets, { ...rules, roles }).best(0);
    expect(game?.imbalance).toBeCloseTo(least(tickets), 9);
  });
});

describe('skills that differ in their last bits', () => {
  const skills = [
    832.2750678387312, 832.2750678387314, 832.2750678387315, 832.2750678387315, 832.2750678387315,
  ];

  it.each([2, 3, 7])('make a game for p = %d', (p) => {
    const rules = { ...plain, p };
    const tickets = ticketsOf(skills.map((skill) => [skill]));
    const pool = poolOf(tickets, rules);
    expect(pool.best(0)).toMatchObject({ optimal: true });
    for (const { ticketId } of tickets) expect(pool.bestWith(ticketId, 0)).toBeDefined();
    expect(bestGame(Float64Array.from(skills), rules)?.imbalance).toBeLessThan(1e-11);
  });

  it('make a game of parties as well', () => {
    const random = seeded(32);
    for (let round = 0; round < 200; round++) {
      const skill = () => 1500 + Math.floor(4 * random()) * 2 ** -42;
      const parties = [[skill(), skill(), skill()], [skill(), skill()], ...solos(7, 0).map(() => [skill()])];
      const rules = { ...plain, teamSize: 6, p: [1, 2, 7][round % 3], beta: round % 2 };
      const pool = poolOf(ticketsOf(parties), rules);
      expect(pool.best(60_000)).toMatchObject({ optimal: true });
      expect(pool.bestWith('t01', 60_000)).toBeDefined();
    }
  });
});

describe('skills of extreme size', () => {
  const tickets = (unit: number) => ticketsOf([1, 2, 4, 8].map((skill) => [skill * unit]));

  it.each([1e155, 1.1e100, 1e-155, 9e-101])(
    'are refused at %d, where squares of their differences would be lost',
    (unit) => {
      expect(() => poolOf(tickets(unit), plain)).toThrow('to be 0 or from');
      expect(() => everyoneAtOnce(tickets(unit), plain, 0)).toThrow(RangeError);
    },
  );

  it.each([1e-100, 1e99])('have a game that is proved best at %d', (unit) => {
    for (const q of [1, 2, 3, Number.POSITIVE_INFINITY]) {
      const rules = { ...plain, q };
      const best = Math.min(...allGames(tickets(1), rules, 0).map(({ imbalance }) => imbalance));
      const game = poolOf(tickets(unit), rules).best(0);
      expect(game?.optimal).toBe(true);
      expect(game!.imbalance / unit).toBeCloseTo(best, 9);
    }
  });
});
