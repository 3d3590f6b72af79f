import { describe, expect, it } from 'vitest';
import { everyoneAtOnce } from '../../../lib/engine/game-pool.ts';
import type { Forbids, GameRules, Ticket } from '../../../lib/engine/types.ts';
import { sample } from '../../long.ts';
import { allGames, checkGame } from '../oracle.ts';
import { normal, randomCase, seeded } from '../random-pool.ts';

describe('everyone at once', () => {
  it('makes only playable games, and as many as possible in nearly all small pools', () => {
    const random = seeded(11);
    const pools = { free: 0, refusing: 0 };
    const full = { free: 0, refusing: 0 };
    for (let round = 0; round < sample(90, 260); round++) {
      const { rules, tickets, forbids, nowMs } = randomCase(random, { maxPlayers: 16, teamSizes: [2, 3] });
      if (tickets.length > 11) continue;
      const most = mostGames(tickets, rules, nowMs, forbids);
      const kind = forbids ? 'refusing' : 'free';
      pools[kind]++;
      const games = everyoneAtOnce(tickets, rules, nowMs, { ...(forbids && { forbids }) });
      for (const game of games) checkGame(game, tickets, rules, nowMs, forbids);
      expect(new Set(games.flatMap(({ ticketIds }) => ticketIds)).size).toBe(
        games.reduce((all, { ticketIds }) => all + ticketIds.length, 0),
      );
      expect(games.length).toBeLessThanOrEqual(most.games);
      if (games.length === most.games) full[kind]++;
    }
    expect(pools.free).toBeGreaterThan(sample(25, 80));
    expect(full.free / pools.free).toBeGreaterThan(0.98);
    expect(full.refusing / pools.refusing).toBeGreaterThan(0.8);
  });

  it('seats nearly everyone of a crowd of parties, with roles as well', () => {
    for (const roles of [undefined, { tank: 1, healer: 1, damage: 3 }]) {
      const rules: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0, ...(roles && { roles }) };
      const tickets = crowd(seeded(12), 600, roles !== undefined);
      const games = everyoneAtOnce(tickets, rules, 0);
      for (const game of games) checkGame(game, tickets, rules, 0);
      const players = tickets.reduce((sum, ticket) => sum + ticket.players.length, 0);
      expect((10 * games.length) / players).toBeGreaterThan(0.98);
    }
  });

  it('gives the same games to the byte for any order of the tickets, whatever waiting weighs', () => {
    const rules: GameRules = { teamSize: 5, alpha: 1, p: 2, q: 2, beta: 1 };
    const tickets = crowd(seeded(13), 300, false);
    const games = JSON.stringify(everyoneAtOnce(tickets, rules, 0));
    expect(JSON.stringify(everyoneAtOnce(tickets.toReversed(), rules, 0))).toBe(games);
  });
});

/** Parties of 1 to 5, most of them small, of friends of similar skill; the roles leave every party a seat for each. */
function crowd(random: () => number, count: number, withRoles: boolean): Ticket[] {
  return Array.from({ length: count }, (_, i) => {
    const u = random();
    const size = u < 0.55 ? 1 : u < 0.8 ? 2 : u < 0.9 ? 3 : u < 0.93 ? 4 : 5;
    const centre = 1500 + 300 * normal(random);
    return {
      ticketId: `t${i}`,
      enqueuedAtMs: -1000 * Math.floor(100 * random()),
      players: Array.from({ length: size }, (_, j) => ({
        playerId: `t${i}.${j}`,
        skill: Math.max(0, centre + 60 * normal(random)),
        ...(withRoles && {
          roles: ['damage', random() < 0.5 ? 'tank' : 'healer', ...(j < 2 ? ['tank'] : ['healer'])],
        }),
      })),
    };
  });
}

/** The most disjoint games that these tickets can play, and of all partitions into as many the least worst imbalance and the least sum. */
function mostGames(
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  forbids?: Forbids,
): { games: number; worst: number; sum: number } {
  const least = new Map<number, number>();
  for (const { ticketIds, imbalance: f } of allGames(tickets, rules, nowMs, forbids)) {
    let set = 0;
    tickets.forEach(({ ticketId }, i) => {
      if (ticketIds.includes(ticketId)) set |= 1 << i;
    });
    least.set(set, Math.min(least.get(set) ?? Number.POSITIVE_INFINITY, f));
  }
  const known = new Map<number, { games: number; worst: number; sum: number }>();
  const most = (free: number): { games: number; worst: number; sum: number } => {
    const before = known.get(free);
    if (before) return before;
    const best = { games: 0, worst: 0, sum: 0 };
    for (const [set, f] of least) {
      if ((set & ~free) !== 0) continue;
      const rest = most(free & ~set);
      if (rest.games + 1 < best.games) continue;
      const isMore = rest.games + 1 > best.games;
      best.games = rest.games + 1;
      best.worst = Math.min(isMore ? Number.POSITIVE_INFINITY : best.worst, Math.max(f, rest.worst));
      best.sum = Math.min(isMore ? Number.POSITIVE_INFINITY : best.sum, f + rest.sum);
    }
    known.set(free, best);
    return best;
  };
  return most(2 ** tickets.length - 1);
}
