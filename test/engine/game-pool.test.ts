import { describe, expect, it } from 'vitest';
import { GamePool } from '../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../lib/engine/types.ts';
import { checkGame } from './oracle.ts';
import { normal, randomCase, seeded } from './random-pool.ts';

const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };

const party = (ticketId: string, skills: readonly number[], roles?: string[], enqueuedAtMs = 0): Ticket => ({
  ticketId,
  enqueuedAtMs,
  players: skills.map((skill, i) => ({ playerId: `${ticketId}.${i}`, skill, ...(roles && { roles }) })),
});

const poolOf = (tickets: readonly Ticket[], of: GameRules = rules, options = {}): GamePool => {
  const pool = new GamePool(of, options);
  for (const ticket of tickets) pool.insert(ticket);
  return pool;
};

describe('a game pool', () => {
  it('finds the most balanced game and proves it', () => {
    const game = poolOf([10, 11, 12, 13, 40].map((skill, i) => party('abcde'[i], [skill]))).best(0);
    expect(game?.ticketIds).toEqual(['a', 'b', 'c', 'd']);
    expect(game?.teams[0].map((seat) => seat.ticketId)).toEqual(['a', 'd']);
    expect(game?.teamGap).toBe(0);
    expect(game?.lowerBound).toBe(game?.priority);
    expect(game?.optimal).toBe(true);
  });

  it('rejects tickets that can never be played', () => {
    const pool = poolOf([party('a', [1])]);
    expect(() => pool.insert(party('a', [2]))).toThrow('already in the pool');
    expect(() => pool.insert(party('b', [1, 2, 3]))).toThrow('1 to 2 players');
    expect(() => pool.insert(party('c', [-1]))).toThrow('0 or from 1e-100');
    expect(pool.size).toBe(1);
  });

  it('finds a game with each solo player that has one, however small the node budget is', () => {
    const skills = [1517.9523394047283, 3871.7698354739696, 1523.1747856875882, 1525.4255306487903];
    const pool = poolOf(
      skills.map((skill, i) => party(`t${i}`, [skill])),
      { ...rules, p: 1000 },
      { nodeBudget: 2 },
    );
    for (let i = 0; i < skills.length; i++) expect(pool.bestWith(`t${i}`, 0)).toBeDefined();
  });

  it('gives the same games to the byte for any order of inserts', () => {
    const random = seeded(4);
    for (let round = 0; round < 60; round++) {
      const {
        rules: of,
        tickets,
        forbids,
        nowMs,
      } = randomCase(random, { maxPlayers: 20, teamSizes: [2, 3, 5] });
      const options = forbids ? { forbids } : {};
      const games = JSON.stringify([...poolOf(tickets, of, options).drain(nowMs)]);
      expect(JSON.stringify([...poolOf([...tickets].reverse(), of, options).drain(nowMs)])).toBe(games);
    }
  });

  it('keeps its bounds valid and its games playable when the node budget is far too small', () => {
    const random = seeded(5);
    let cut = 0;
    for (let round = 0; round < 150; round++) {
      const {
        rules: of,
        tickets,
        forbids,
        nowMs,
      } = randomCase(random, { maxPlayers: 16, teamSizes: [2, 3, 4] });
      const short = poolOf(tickets, of, { nodeBudget: 5, ...(forbids && { forbids }) });
      const full = poolOf(tickets, of, { nodeBudget: 2_000_000, ...(forbids && { forbids }) });
      const game = short.best(nowMs);
      const best = full.best(nowMs);
      if (!game || !best) continue;
      checkGame(game, tickets, of, nowMs, forbids);
      expect(best.lowerBound).toBe(best.priority);
      expect(game.lowerBound).toBeLessThanOrEqual(best.priority + 1e-9 * Math.abs(best.priority));
      expect(game.priority).toBeGreaterThanOrEqual(best.priority - 1e-9 * Math.abs(best.priority));
      if (!game.optimal) cut++;

      const { ticketId } = tickets[Math.floor(random() * tickets.length)];
      const withIt = short.bestWith(ticketId, nowMs);
      const bestWithIt = full.bestWith(ticketId, nowMs);
      if (!withIt) continue;
      checkGame(withIt, tickets, of, nowMs, forbids);
      expect(withIt.ticketIds).toContain(ticketId);
      expect(withIt.lowerBound).toBeLessThanOrEqual(best.priority + 1e-9 * Math.abs(best.priority));
      const error = 1e-9 * Math.abs(bestWithIt!.priority);
      expect(withIt.priority).toBeGreaterThanOrEqual(bestWithIt!.priority - error);
    }
    expect(cut).toBeGreaterThan(30);
  });

  it('drains the last players of a rare role with valid bounds and games as good as from scratch', () => {
    const random = seeded(8);
    const of: GameRules = { ...rules, teamSize: 5, roles: { damage: 3, healer: 1, tank: 1 } };
    const waiting = new Map<string, Ticket>();
    for (let i = 0; i < 800; i++) {
      const u = random();
      const role = u < 0.04 ? 'tank' : u < 0.1 ? 'healer' : 'damage';
      waiting.set(`t${i}`, party(`t${i}`, [1500 + 300 * normal(random)], [role]));
    }
    const tanks = [...waiting.values()].filter(({ players }) => players[0].roles![0] === 'tank').length;
    const pool = poolOf([...waiting.values()], of);
    let games = 0;
    for (const game of pool.drain(0)) {
      games++;
      const present = [...waiting.values()];
      checkGame(game, present, of, 0);
      const fromScratch = poolOf(present, of).best(0)!;
      expect(game.lowerBound).toBeLessThanOrEqual(fromScratch.imbalance * (1 + 1e-12));
      expect(fromScratch.lowerBound).toBeLessThanOrEqual(game.imbalance * (1 + 1e-12));
      expect(game.imbalance).toBeLessThanOrEqual(1.5 * fromScratch.imbalance);
      for (const ticketId of game.ticketIds) waiting.delete(ticketId);
    }
    expect(games).toBe(Math.floor(tanks / 2));
  });

  it('matches parties in a team with more roles than the search counts', () => {
    const random = seeded(2);
    const skill = () => 1500 + 100 * normal(random);
    const names = Array.from({ length: 10 }, (_, i) => `role-${i}`);
    const of = {
      ...rules,
      teams: 1,
      teamSize: 10,
      roles: Object.fromEntries(names.map((name) => [name, 1])),
    };
    const tickets = Array.from({ length: 16 }, (_, i) =>
      party(`t${i}`, [skill(), skill()], names.slice(i % 5)),
    );
    checkGame(poolOf(tickets, of, { nodeBudget: 1 }).best(0)!, tickets, of, 0);
  });

  it('matches a party of mixed skill once its wait outweighs its spread', () => {
    const random = seeded(6);
    const solos = Array.from({ length: 300 }, (_, i) =>
      party(`s${i}`, [1500 + 200 * normal(random)], undefined, 3e6),
    );
    const mixed = party('mixed', [1350, 1650]);
    const of: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 1 };
    const releasedFirst = (waitSeconds: number) =>
      poolOf([...solos, { ...mixed, enqueuedAtMs: 3e6 - 1000 * waitSeconds }], of)
        .best(3e6)
        ?.ticketIds.includes('mixed');
    expect(releasedFirst(60)).toBe(false);
    expect(releasedFirst(80)).toBe(true);
  });
});

describe('an explanation', () => {
  const of: GameRules = { ...rules, roles: { healer: 1, tank: 1 } };
  const healers = Array.from({ length: 5 }, (_, i) => party(`h${i}`, [10 + i], ['healer']));

  it('names the missing players, role or party size', () => {
    expect(poolOf([party('a', [1]), party('b', [2])]).explain('a', 0)).toBe(
      'Too few players: a match with this ticket needs 4, 2 available.',
    );
    expect(poolOf(healers, of).explain('h0', 0)).toBe(
      'Too few players accept the role tank: a match needs 2, 0 available.',
    );
    expect(poolOf([party('x', [1, 2], ['tank']), ...healers], of).explain('x', 0)).toBe(
      'This party of 2 does not fit into one team: too many of its players accept only the same roles.',
    );
    const three: GameRules = { ...rules, teamSize: 3 };
    const pairs = ['a', 'b', 'c', 'd'].map((id) => party(id, [1, 2]));
    expect(poolOf(pairs, three).explain('a', 0)).toBe(
      'The waiting parties do not add up to two teams of 3 with this party of 2.',
    );
  });

  it('says how many tickets are refused and why', () => {
    const forbids = (a: Ticket, b: Ticket) =>
      a.ticketId === 'a' || b.ticketId === 'a' ? 'just played' : undefined;
    const pool = poolOf(
      [1, 2, 3, 4, 5].map((skill, i) => party('abcde'[i], [skill])),
      rules,
      { forbids },
    );
    expect(pool.explain('a', 0)).toBe(
      'Too few players: a match with this ticket needs 4, 1 available (4 more may not be matched with it: just played).',
    );
    expect(pool.explain('b', 0)).toBe(
      'It can be matched now, but better matches or the release policy take precedence.',
    );
  });
});
