import { expect, it } from 'vitest';
import { CheapestPlayers } from '../../../lib/engine/queue/cheapest-players.ts';
import type { QueuedTicket } from '../../../lib/engine/queue/line.ts';
import { layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { poolShapeTicket } from '../../../lib/engine/shapes/shape-ticket.ts';
import { sample } from '../../long.ts';
import { seeded } from '../random-pool.ts';

/** The least sum of squared distances from a centre of any of the tickets with exactly so many players. */
function leastOfAll(tickets: readonly QueuedTicket[], seats: number, centre: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let set = 0; set < 2 ** tickets.length; set++) {
    const chosen = tickets.filter((_, i) => (set >> i) & 1).flatMap(({ ticket }) => [...ticket.skills]);
    if (chosen.length !== seats) continue;
    least = Math.min(
      least,
      chosen.reduce((sum, skill) => sum + (skill - centre) ** 2, 0),
    );
  }
  return least;
}

it('finds the cheapest whole parties that fill the seats of a large game, as brute force does', () => {
  const random = seeded(11);
  let impossible = 0;
  for (let round = 0; round < sample(120, 300); round++) {
    const seats = 3 + Math.floor(12 * random());
    const layout = layoutOf({ teamSize: seats, teams: 1, alpha: 1, p: 1, q: 2, beta: 0 });
    const greatest = 1 + Math.floor(5 * random());
    const tickets = Array.from({ length: 9 }, (_, i): QueuedTicket => {
      const size = 1 + Math.floor(Math.min(seats, greatest) * random());
      // Equal skills are frequent.
      const players = Array.from({ length: size }, (_p, p) => ({
        playerId: `${i}.${p}`,
        skill: 1000 + Math.floor(20 * random()),
      }));
      const ticket = poolShapeTicket({ ticketId: `t${i}`, enqueuedAtMs: 0, players }, layout);
      return { ticket, credit: 0, number: 0, isHere: true };
    });
    tickets.sort((a, b) => a.ticket.mean - b.ticket.mean);
    const centre = 1000 + 20 * random();
    const { cost, members } = new CheapestPlayers(tickets, layout, true).around(centre, undefined);
    const least = leastOfAll(tickets, seats, centre);
    if (least === Number.POSITIVE_INFINITY) {
      impossible++;
      expect(cost).toBe(least);
      continue;
    }
    expect(cost).toBeCloseTo(least, 6);
    expect(members.reduce((sum, { ticket }) => sum + ticket.size, 0)).toBe(seats);
  }
  expect(impossible).toBeGreaterThan(sample(4, 10));
});
