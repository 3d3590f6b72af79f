import { expect, it } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import { SearchClock } from '../../../lib/engine/model/search-clock.ts';
import { CentreBound } from '../../../lib/engine/queue/centre-bound.ts';
import type { CheapestPlayers } from '../../../lib/engine/queue/cheapest-players.ts';
import type { QueuedTicket } from '../../../lib/engine/queue/line.ts';
import type { GameRules, Ticket } from '../../../lib/engine/types.ts';
import { sample } from '../../long.ts';
import { allGames, checkGame } from '../oracle.ts';
import { normal, seeded } from '../random-pool.ts';

const rules: GameRules = { teamSize: 2, teams: 3, alpha: 1, p: 1, q: 2, beta: 0 };
const unequal = [
  { name: 'a', size: 1 },
  { name: 'b', size: 2 },
  { name: 'c', size: 3 },
];

it('never puts the bound of parties above the best game while small pools are drained', () => {
  const random = seeded(5);
  let games = 0;
  for (let pool = 0; pool < sample(60, 120); pool++) {
    const ofKinds = pool % 3 === 0;
    const shape = ofKinds ? { ...rules, teams: unequal, teamSize: 3 } : rules;
    const waiting = new Map<string, Ticket>();
    // Without nodes for searches around tickets, only the centre bounds and finds games.
    const engine = new GamePool({ ...shape, alpha: [0.1, 1, 10][pool % 3] }, { nodeBudget: 1 });
    for (let i = 0; i < 7; i++) {
      const ticket = party(random, `t${i}`, ofKinds ? 3 : 2, pool % 4 === 0);
      waiting.set(ticket.ticketId, ticket);
      engine.insert(ticket);
    }
    for (let game = engine.best(0); game; game = engine.best(0)) {
      const tickets = [...waiting.values()];
      checkGame(game, tickets, engine.rules, 0);
      const best = Math.min(...allGames(tickets, engine.rules, 0).map(({ imbalance }) => imbalance));
      expect(game.lowerBound).toBeLessThanOrEqual(best * (1 + 1e-9) + 1e-8);
      games++;
      engine.remove(game.ticketIds[0]);
      waiting.delete(game.ticketIds[0]);
    }
    const left = allGames([...waiting.values()], engine.rules, 0);
    expect(left).toEqual([]);
  }
  expect(games).toBeGreaterThan(sample(50, 100));
});

it('never puts the bound of teams of two above the best game while tickets leave', () => {
  const random = seeded(11);
  let games = 0;
  for (let pool = 0; pool < sample(30, 60); pool++) {
    const waiting = new Map<string, Ticket>();
    const engine = new GamePool({ ...rules, alpha: [0.1, 1, 5, 30][pool % 4] }, { nodeBudget: 1 });
    for (let i = 0; i < 8; i++) {
      const ticket = party(random, `t${i}`, 2, pool % 3 === 2);
      waiting.set(ticket.ticketId, ticket);
      engine.insert(ticket);
    }
    for (let game = engine.best(0); game; game = engine.best(0)) {
      const tickets = [...waiting.values()];
      checkGame(game, tickets, engine.rules, 0);
      const best = Math.min(...allGames(tickets, engine.rules, 0).map(({ imbalance }) => imbalance));
      expect(game.lowerBound).toBeLessThanOrEqual(best * (1 + 1e-9) + 1e-8);
      games++;
      const gone = game.ticketIds[Math.floor(random() * game.ticketIds.length)];
      engine.remove(gone);
      waiting.delete(gone);
    }
  }
  expect(games).toBeGreaterThan(sample(30, 60));
});

const roles = { healer: 1, damage: 1 };

it.each([
  ['parties', { teamSize: 2, teams: 3 }],
  ['solo players with roles', { teamSize: 2, teams: 2, roles }],
  ['parties with roles', { teamSize: 2, teams: 2, roles }],
] as const)('never puts the bound above the best game while tickets come and leave: %s', (kind, shape) => {
  const random = seeded(17);
  let games = 0;
  for (let life = 0; life < sample(12, 25); life++) {
    const waiting = new Map<string, Ticket>();
    const engine = new GamePool({ ...rules, ...shape, beta: life % 2 }, { nodeBudget: 1 });
    for (let step = 0; step < 40; step++) {
      const sizeMax = kind.includes('parties') ? 2 : 1;
      const ticket = party(random, `t${step}`, sizeMax, life % 3 === 2, 'roles' in shape);
      if (step < 8 || (waiting.size < 9 && random() < 0.6)) {
        waiting.set(ticket.ticketId, ticket);
        engine.insert(ticket);
      } else {
        const [gone] = [...waiting.keys()].sort(() => random() - 0.5);
        engine.remove(gone);
        waiting.delete(gone);
      }
      if (step < 7) continue;
      const tickets = [...waiting.values()];
      const all = allGames(tickets, engine.rules, 0);
      const game = engine.best(0);
      expect(game === undefined).toBe(all.length === 0);
      if (!game) continue;
      checkGame(game, tickets, engine.rules, 0);
      const best = Math.min(...all.map(({ imbalance }) => imbalance));
      expect(game.lowerBound).toBeLessThanOrEqual(best * (1 + 1e-9) + 1e-8);
      games++;
    }
  }
  expect(games).toBeGreaterThan(sample(70, 150));
});

it('bounds the games of a large pool with parties closer than searches around tickets do', () => {
  const random = seeded(1);
  const pool = new GamePool({ ...rules, teamSize: 4 }, { nodeBudget: 300 });
  for (let i = 0; i < 600; i++) pool.insert(party(random, `t${i}`, 4, false));
  const games = [...pool.drain(0)];
  const gaps = games.map(({ imbalance, lowerBound }) => 1 - lowerBound / imbalance).sort((a, b) => a - b);
  expect(gaps[gaps.length >> 1]).toBeLessThan(0.4);
});

it('splits no cell below the precision of its centre, also of the means below 0 that rounding allows for', () => {
  const cheapest = {
    isUndercut: () => false,
    around: (centre: number) => ({ centre, cost: 0, members: [], seen: 0 }),
  } as unknown as CheapestPlayers;
  const bound = new CentreBound(cheapest, 12, 0, 1e11, new SearchClock(() => false));
  for (let query = 0; query < 20; query++) expect(bound.least()?.bound).toBe(0);
});

it('finds games of more classes of seats than are counted, and of skills far apart', () => {
  const roles = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`r${i}`, 1]));
  const teams = ['a', 'b'].map((name) => ({ name, size: 6, roles }));
  const pool = new GamePool({ ...rules, teamSize: 6, teams }, { nodeBudget: 1 });
  for (let i = 0; i < 13; i++) {
    const player = { playerId: `t${i}`, skill: i === 12 ? 1e11 : i / 8, roles: [`r${i % 6}`] };
    pool.insert({ ticketId: `t${i}`, enqueuedAtMs: 0, players: [player] });
  }
  expect(pool.best(0)?.ticketIds).toHaveLength(12);
});

function party(
  random: () => number,
  ticketId: string,
  sizeMax: number,
  isCoarse: boolean,
  hasRoles = false,
): Ticket {
  const size = random() < 0.5 ? 1 : 1 + Math.floor(sizeMax * random());
  const level = 1500 + 300 * normal(random);
  return {
    ticketId,
    enqueuedAtMs: 0,
    players: Array.from({ length: size }, (_, i) => {
      const skill = Math.max(0, level + 80 * normal(random));
      const player = {
        playerId: `${ticketId}.${i}`,
        skill: isCoarse ? 100 * Math.round(skill / 100) : skill,
      };
      return hasRoles
        ? { ...player, roles: [['healer'], ['damage'], ['healer', 'damage']][Math.floor(3 * random())] }
        : player;
    }),
  };
}

it('asks for the time while it walks over its cells, and ends with a bound when the time is over', () => {
  let looks = 0;
  let isOver = false;
  // Every cell has to be looked at: what is cheapest differs, and the ticket adds nothing.
  const cheapest = {
    kindOf: () => 1,
    isUndercut: () => {
      looks++;
      return false;
    },
    around: (centre: number) => ({ centre, cost: 1 + (centre % 1), members: [], seen: 0 }),
  } as unknown as CheapestPlayers;
  const bound = new CentreBound(cheapest, 4, 0, 1_000, new SearchClock(() => isOver));
  const queued = { ticket: { mean: 500, size: 0, spread: 0 } } as unknown as QueuedTicket;
  for (let query = 0; query < 10; query++) bound.leastWith(queued, 1e9);
  looks = 0;
  const whole = bound.leastWith(queued, 1e9).bound;
  expect(looks).toBeGreaterThan(1_000);
  isOver = true;
  looks = 0;
  expect(bound.leastWith(queued, 1e9).bound).toBeLessThanOrEqual(whole);
  expect(looks).toBeLessThan(130);
});
