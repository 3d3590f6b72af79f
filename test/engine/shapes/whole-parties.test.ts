import { expect, it } from 'vitest';
import { layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { poolShapeTicket } from '../../../lib/engine/shapes/shape-ticket.ts';
import { packTeams } from '../../../lib/engine/shapes/team-packing.ts';
import type { Near } from '../../../lib/engine/shapes/ticket-lanes.ts';
import { WholeParties } from '../../../lib/engine/shapes/whole-parties.ts';
import { seeded } from '../random-pool.ts';

const layout = layoutOf({ teamSize: 5, teams: 4, alpha: 1, p: 1, q: 2, beta: 0 });

/** Parties of up to five players with random costs per player, in order of cost. */
function nearOf(random: () => number, tickets: number, greatest: number): Near[] {
  const near = Array.from({ length: tickets }, (_, i): Near => {
    const size = 1 + Math.floor(greatest * random());
    const players = Array.from({ length: size }, (_p, p) => ({ playerId: `${i}.${p}`, skill: 1000 }));
    return {
      ticket: poolShapeTicket({ ticketId: `t${i}`, enqueuedAtMs: 0, players }, layout),
      // Equal costs are frequent.
      cost: Math.floor(20 * random()),
    };
  });
  return near.sort((a, b) => a.cost - b.cost);
}

/** The least total cost of any of the tickets with exactly so many players. */
function leastOfAll(near: readonly Near[], seats: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let set = 0; set < 2 ** near.length; set++) {
    let players = 0;
    let total = 0;
    near.forEach(({ ticket, cost }, i) => {
      if (((set >> i) & 1) === 0) return;
      players += ticket.size;
      total += ticket.size * cost;
    });
    if (players === seats) least = Math.min(least, total);
  }
  return least;
}

it('finds about the cheapest whole parties that fill the seats, and never bounds them above the cheapest', () => {
  const random = seeded(11);
  let exact = 0;
  let impossible = 0;
  for (let round = 0; round < 400; round++) {
    const seats = 3 + Math.floor(12 * random());
    const all = nearOf(random, 9, 1 + Math.floor(5 * random()));
    const parties = new WholeParties(seats, 5);
    const least = leastOfAll(all, seats);
    const whole = parties.least(all, Number.POSITIVE_INFINITY);
    expect(whole.bound).toBeLessThanOrEqual(least);
    if (least === Number.POSITIVE_INFINITY) {
      impossible++;
      expect(whole.mix).toBeUndefined();
      continue;
    }
    const tickets = parties.ticketsOf(whole.mix!);
    expect(tickets.reduce((sum, { size }) => sum + size, 0)).toBe(seats);
    const costOf = new Map(all.map(({ ticket, cost }) => [ticket, cost]));
    const total = tickets.reduce((sum, ticket) => sum + ticket.size * costOf.get(ticket)!, 0);
    expect(whole.total).toBeCloseTo(total, 9);
    // It may stop within a part of its bound.
    expect(whole.total).toBeLessThanOrEqual(least * 1.01);
    if (whole.total === least) exact++;

    // The same when the dearest tickets are not known.
    const known = all.filter(({ cost }) => cost <= 10);
    const partly = parties.least(known, 11);
    expect(partly.bound).toBeLessThanOrEqual(least);
    expect(partly.total).toBeGreaterThanOrEqual(least);
  }
  expect(exact).toBeGreaterThan(250);
  expect(impossible).toBeGreaterThan(10);
});

it('divides parties over teams by their sizes whenever that is possible', () => {
  const random = seeded(12);
  for (let round = 0; round < 300; round++) {
    // The parties of teams that are known to be full.
    const teamSizes = Array.from(
      { length: 1 + Math.floor(6 * random()) },
      () => 1 + Math.floor(8 * random()),
    );
    const mix = new Int32Array(6);
    for (const teamSize of teamSizes) {
      for (let free = teamSize; free > 0; ) {
        const size = 1 + Math.floor(Math.min(free, 5) * random());
        mix[size]++;
        free -= size;
      }
    }
    const teams = packTeams(mix, teamSizes);
    expect(teams).toBeDefined();
    teams!.forEach((counts, team) => {
      expect(counts.reduce((sum, count, size) => sum + count * size, 0)).toBe(teamSizes[team]);
    });
    expect(mix.map((_, size) => teams!.reduce((sum, counts) => sum + counts[size], 0))).toEqual(mix);
  }
  // Two parties of three leave one seat in each team of four, and the pair needs two in one team.
  expect(packTeams([0, 0, 1, 2], [4, 4])).toBeUndefined();
});
