import { expect, it } from 'vitest';
import { MixBound } from '../../../lib/engine/bounds/mix-bound.ts';
import { PartyLines } from '../../../lib/engine/bounds/party-lines.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { gameMixes } from '../../../lib/engine/model/party-mixes.ts';
import { poolTicket, sortBySkill } from '../../../lib/engine/model/pooled-ticket.ts';
import type { GameRules } from '../../../lib/engine/types.ts';
import { allGames } from '../oracle.ts';
import { bestOfMix, randomParties } from '../random-parties.ts';
import { seeded } from '../random-pool.ts';

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
    const tickets = randomParties(random, teamSize);
    const games = allGames(tickets, rules, 0);
    const pooled = sortBySkill(tickets.map((ticket) => poolTicket(ticket, teamSize, undefined)));
    const bound = new MixBound(rules, new PartyLines(pooled, teamSize));
    const places = new Int32Array(teamSize + 1);
    for (const { size, ticket } of pooled) {
      const place = ++places[size];
      gameMixes(shapeOf(rules)).forEach((mix, m) => {
        if (mix[size] === 0) return;
        const f = bestOfMix(games, tickets, ticket.ticketId, mix);
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
