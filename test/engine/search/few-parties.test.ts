import { expect, it } from 'vitest';
import { PartyLines } from '../../../lib/engine/bounds/party-lines.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { gameMixes } from '../../../lib/engine/model/party-mixes.ts';
import { poolTicket, sortBySkill } from '../../../lib/engine/model/pooled-ticket.ts';
import { FewParties } from '../../../lib/engine/search/few-parties.ts';
import type { GameRules, Ticket } from '../../../lib/engine/types.ts';
import { allGames } from '../oracle.ts';
import { bestOfMix, randomParties } from '../random-parties.ts';
import { normal, seeded } from '../random-pool.ts';

it('finds the best game of every party mix with every anchor below a limit, and proves it', () => {
  const random = seeded(23);
  let found = 0;
  let none = 0;
  let cut = 0;
  for (let pool = 0; pool < 160; pool++) {
    const teamSize = 2 + (pool % 3);
    const rules: GameRules = {
      teamSize,
      alpha: [0.72, 1, 4][Math.floor(3 * random())],
      p: 1,
      q: [2, 2, 1, 3, Number.POSITIVE_INFINITY][Math.floor(5 * random())],
      beta: 0,
    };
    const tickets = parties(random, teamSize);
    const games = allGames(tickets, rules, 0);
    const pooled = sortBySkill(tickets.map((ticket) => poolTicket(ticket, teamSize, undefined)));
    const few = new FewParties(rules, new PartyLines(pooled, teamSize));
    const error = 1e-9 + 1e-11 * Math.max(...pooled.map(({ high }) => high));
    const places = new Int32Array(teamSize + 1);
    for (const { size, ticket } of pooled) {
      const place = ++places[size];
      gameMixes(shapeOf(rules)).forEach((mix, m) => {
        if (mix[size] === 0) return;
        expect(few.missing(m, size)).toBe(mix.reduce((sum, count) => sum + count, 0) - 1);
        const best = bestOfMix(games, tickets, ticket.ticketId, mix);
        const limit = random() < 0.5 ? Number.POSITIVE_INFINITY : best * (0.5 + random()) + error;
        const triedMax = random() < 0.2 ? Math.floor(40 * random()) : Number.POSITIVE_INFINITY;
        const least = few.search(m, size, place, limit, triedMax);
        const { game, isCut } = few;
        if (game) {
          const ids = game.members.map((member) => member.ticket.ticketId);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids).toContain(ticket.ticketId);
          expect(game.imbalance).toBeLessThan(limit);
          expect(game.imbalance).toBeGreaterThanOrEqual(best - error);
        }
        if (isCut) {
          cut++;
          return;
        }
        expect(least).toBeLessThanOrEqual(Math.min(best, limit) + error);
        if (best < limit - error) {
          found++;
          expect(game?.imbalance).toBeLessThanOrEqual(best + error);
          expect(least).toBeGreaterThanOrEqual(best - error);
        } else none++;
      });
    }
  }
  expect(found).toBeGreaterThan(1000);
  expect(none).toBeGreaterThan(1000);
  expect(cut).toBeGreaterThan(200);
});

it('leaves mixes to other searches where the team gap weighs too little for its bound', () => {
  const tickets = parties(seeded(1), 3);
  const pooled = sortBySkill(tickets.map((ticket) => poolTicket(ticket, 3, undefined)));
  const lines = new PartyLines(pooled, 3);
  const rules = { teamSize: 3, alpha: 0.4, p: 1, q: 2, beta: 0 };
  expect(new FewParties(rules, lines).missing(0, 3)).toBe(0);
  expect(new FewParties({ ...rules, alpha: 0.42 }, lines).missing(0, 3)).toBe(1);
  expect(new FewParties({ ...rules, alpha: 0.42, p: 2 }, lines).missing(0, 3)).toBe(0);
});

/** Parties whose skills are smooth, integer with many ties, all equal, or different only in their last bits. */
function parties(random: () => number, teamSize: number): Ticket[] {
  const kind = Math.floor(5 * random());
  return randomParties(random, teamSize, (level) => {
    if (kind === 0) return 1500;
    if (kind === 1) return 1500.3 * (1 + Math.floor(4 * random()) * 2 ** -52);
    if (kind === 2) return Math.floor(12 * random());
    return level + 20 * normal(random);
  });
}
