import { expect, it } from 'vitest';
import { MixBound } from '../../../lib/engine/bounds/mix-bound.ts';
import { PartyLines } from '../../../lib/engine/bounds/party-lines.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { gameMixes } from '../../../lib/engine/model/party-mixes.ts';
import { poolTicket, sortBySkill } from '../../../lib/engine/model/pooled-ticket.ts';
import type { GameRules, Ticket } from '../../../lib/engine/types.ts';
import { allGames } from '../oracle.ts';
import { normal, seeded } from '../random-pool.ts';

it('is at most the best game of every party mix with every anchor, and close to it with the team gap', () => {
  const random = seeded(11);
  let bounds = 0;
  let withGap = 0;
  let withoutGap = 0;
  for (let pool = 0; pool < 150; pool++) {
    const teamSize = 2 + (pool % 3);
    const rules: GameRules = {
      teamSize,
      alpha: [0.3, 1, 4][Math.floor(3 * random())],
      p: [1, 1, 2][Math.floor(3 * random())],
      q: [2, 2, 1, 3, Number.POSITIVE_INFINITY][Math.floor(5 * random())],
      beta: 0,
    };
    const tickets = parties(random, teamSize);
    const games = allGames(tickets, rules, 0);
    const pooled = sortBySkill(tickets.map((ticket) => poolTicket(ticket, teamSize, undefined)));
    const sizeOf = new Map(tickets.map(({ ticketId, players }) => [ticketId, players.length]));
    const bound = new MixBound(rules, new PartyLines(pooled, teamSize));
    const places = new Int32Array(teamSize + 1);
    for (const { size, ticket } of pooled) {
      const place = ++places[size];
      gameMixes(shapeOf(rules)).forEach((mix, m) => {
        if (mix[size] === 0) return;
        let f = Number.POSITIVE_INFINITY;
        for (const { ticketIds, imbalance } of games) {
          if (!ticketIds.includes(ticket.ticketId) || imbalance >= f) continue;
          const counts = new Uint8Array(mix.length);
          for (const ticketId of ticketIds) counts[sizeOf.get(ticketId)!]++;
          if (counts.every((count, each) => count === mix[each])) f = imbalance;
        }
        const limit = random() < 0.5 ? Number.POSITIVE_INFINITY : f * (0.5 + random());
        bound.start(size, place, limit);
        const least = bound.least(m);
        expect(least).toBeLessThanOrEqual(f * (1 + 1e-9));
        bounds++;
        if (f === Number.POSITIVE_INFINITY) return;
        if (random() < 0.7) bound.start(size, place, 2 * f);
        const fair = bound.fair(m, 2 * f);
        expect(fair).toBeLessThanOrEqual(f * (1 + 1e-9));
        if (rules.p !== 1 || rules.q !== 2) return;
        withGap += fair / f;
        withoutGap += least / f;
      });
    }
  }
  expect(bounds).toBeGreaterThan(3000);
  expect(withGap).toBeGreaterThan(1.2 * withoutGap);
});

function parties(random: () => number, teamSize: number): Ticket[] {
  const tickets: Ticket[] = [];
  for (let players = 0; players < 2 * teamSize + 3; ) {
    const size = Math.min(teamSize, 1 + Math.floor(random() * random() * (teamSize + 1)));
    const level = 1500 + 100 * normal(random);
    const ticketId = `t${tickets.length}`;
    tickets.push({
      ticketId,
      enqueuedAtMs: 0,
      players: Array.from({ length: size }, (_, i) => ({
        playerId: `${ticketId}.${i}`,
        skill: level + 20 * normal(random),
      })),
    });
    players += size;
  }
  return tickets;
}
