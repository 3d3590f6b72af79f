import { expect, it } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import { poolTicket, sortBySkill } from '../../../lib/engine/model/pooled-ticket.ts';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import { ScarceRoles } from '../../../lib/engine/scarce/scarce-roles.ts';
import type { GameRules, Ticket } from '../../../lib/engine/types.ts';
import { allGames, checkGame } from '../oracle.ts';
import { normal, seeded } from '../random-pool.ts';

it('finds the best game by scarce roles, with valid bounds, while players leave', () => {
  const random = seeded(31);
  let asked = 0;
  let exact = 0;
  let proved = 0;
  for (let pool = 0; pool < 250; pool++) {
    const teamSize = 2 + Math.floor(2 * random());
    const isThree = teamSize === 3 && random() < 0.4;
    const rules: GameRules = {
      teamSize,
      alpha: [0.8, 1, 5][Math.floor(3 * random())],
      p: 1,
      q: 2,
      beta: [0, 0.5, 5, 1e5][pool % 4],
      roles: isThree ? { heal: 1, tank: 1, wide: 1 } : { tank: 1, wide: teamSize - 1 },
    };
    const unit = random() < 0.3 ? 10 : 0.01;
    const tickets = Array.from({ length: 2 * teamSize + 4 }, (_, i): Ticket => {
      const scarce = random() < 0.5;
      const roles = !scarce
        ? ['wide']
        : isThree && random() < 0.7
          ? ['heal', 'tank'].slice(Math.floor(2 * random()))
          : ['tank'];
      const skill = unit * Math.round((1000 + (scarce ? 40 : 0) + 60 * normal(random)) / unit);
      // Weeks ago some of the times, and equal for some players.
      const enqueuedAtMs = 1000 * Math.floor(random() * (pool % 8 < 6 ? 40 : 2e6));
      return { ticketId: `t${i}`, enqueuedAtMs, players: [{ playerId: `t${i}`, skill, roles }] };
    });
    const roles = RoleTable.of(rules)!;
    const pooled = sortBySkill(tickets.map((ticket) => poolTicket(ticket, teamSize, roles)));
    const epochMs = 1000 * Math.floor(random() * 40);
    const search = ScarceRoles.of(pooled, rules, roles, epochMs);
    if (!search) continue;
    const here = [...pooled];
    while (here.length >= 2 * teamSize) {
      const games = allGames(
        here.map(({ ticket }) => ticket),
        rules,
        epochMs,
      );
      const least = games.reduce((g, { priority }) => Math.min(g, priority), Number.POSITIVE_INFINITY);
      const error = 1e-9 + (games.length > 0 ? 1e-9 * Math.abs(least) : 0);
      const { bound, game } = search.best(Number.POSITIVE_INFINITY);
      asked++;
      expect(bound).toBeLessThanOrEqual(least + error);
      if (game) {
        expect(game.cost).toBeGreaterThanOrEqual(least - error);
        expect(game.members.every((member) => here.includes(member))).toBe(true);
        const longest = Math.min(...game.members.map(({ ticket }) => ticket.enqueuedAtMs - epochMs)) / 1000;
        expect(game.cost).toBe(game.imbalance + rules.beta * longest);
        if (bound >= game.cost - error) proved++;
      }
      if ((game?.cost ?? Number.POSITIVE_INFINITY) <= least + error) exact++;
      const [gone] = here.splice(Math.floor(here.length * random()), 1);
      search.remove(gone);
    }
  }
  expect(asked).toBeGreaterThan(500);
  expect(exact).toBe(asked);
  expect(proved).toBeGreaterThan(0.6 * asked);
});

it('applies to no pool with parties, flexible players, or another p or q', () => {
  const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0, roles: { tank: 1, wide: 1 } };
  const roles = RoleTable.of(rules)!;
  const player = (playerId: string, ...accepted: string[]) => ({ playerId, skill: 1000, roles: accepted });
  const pool = (...parties: ReturnType<typeof player>[][]) =>
    parties.map((players, i) => poolTicket({ ticketId: `t${i}`, enqueuedAtMs: 0, players }, 2, roles));
  const scarce = [player('a', 'tank')];
  const dense = [player('b', 'wide')];
  expect(ScarceRoles.of(pool(scarce, dense, dense), rules, roles, 0)).toBeDefined();
  expect(ScarceRoles.of(pool(scarce, dense, [player('c', 'tank', 'wide')]), rules, roles, 0)).toBeUndefined();
  expect(
    ScarceRoles.of(pool(scarce, [player('c', 'tank'), player('d', 'wide')], dense), rules, roles, 0),
  ).toBeUndefined();
  expect(ScarceRoles.of(pool(scarce, dense, dense), { ...rules, q: 1 }, roles, 0)).toBeUndefined();
  expect(ScarceRoles.of(pool(scarce, dense, dense), { ...rules, p: 2 }, roles, 0)).toBeUndefined();
});

it.each([0, 1, 10])(
  'proves nearly all games of a pool in which few players accept the scarce roles, with β = %d',
  (beta) => {
    const random = seeded(3);
    const nowMs = 60_000;
    const rules: GameRules = {
      teamSize: 5,
      alpha: 1,
      p: 1,
      q: 2,
      beta,
      roles: { damage: 3, healer: 1, tank: 1 },
    };
    const pool = new GamePool(rules, { nodeBudget: 500 });
    const waiting = new Map<string, Ticket>();
    for (let i = 0; i < 600; i++) {
      const u = random();
      const ticket: Ticket = {
        ticketId: `t${i}`,
        enqueuedAtMs: beta === 0 ? 0 : Math.floor(nowMs * random()),
        players: [
          {
            playerId: `t${i}`,
            skill: Math.max(0, 1500 + 300 * normal(random)),
            roles: [u < 0.06 ? 'tank' : u < 0.14 ? 'healer' : 'damage'],
          },
        ],
      };
      waiting.set(ticket.ticketId, ticket);
      pool.insert(ticket);
    }
    const games = [...pool.drain(nowMs)];
    expect(games.length).toBeGreaterThan(10);
    for (const game of games) {
      checkGame(game, [...waiting.values()], rules, nowMs);
      for (const ticketId of game.ticketIds) waiting.delete(ticketId);
    }
    // The first three queries after an insert do not ask for the scarce roles.
    const asked = games.slice(3);
    const close = asked.filter(
      ({ priority, lowerBound, imbalance }) => priority - lowerBound <= 0.02 * imbalance,
    );
    expect(close.length).toBeGreaterThan(0.9 * asked.length);
  },
);
