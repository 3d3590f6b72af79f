import { describe, expect, it } from 'vitest';
import { type DividedGame, teamsOf } from '../../../lib/engine/model/division.ts';
import { imbalance } from '../../../lib/engine/model/imbalance.ts';
import { poolTicket, sortBySkill } from '../../../lib/engine/model/pooled-ticket.ts';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import type { Candidates } from '../../../lib/engine/search/chosen-tickets.ts';
import { TicketDive } from '../../../lib/engine/search/ticket-dive.ts';
import { TicketSearch } from '../../../lib/engine/search/ticket-search.ts';
import { allGames, scale } from '../oracle.ts';
import { type PoolCase, randomCase, seeded } from '../random-pool.ts';

const infinity = Number.POSITIVE_INFINITY;

/** Some tickets around a random anchor, and all games with it by their tickets: what the least division costs. */
interface Around extends PoolCase {
  roles: RoleTable | undefined;
  candidates: Candidates;
  /** By the ticketIds of a game with the anchor, joined, its least cost f − credit. */
  costs: Map<string, number>;
  /** The rounding to allow. */
  error: number;
}

function* casesAround(random: () => number, count: number): Generator<Around> {
  for (let made = 0; made < count; ) {
    const teamSize = 1 + Math.floor(8 * random());
    const example = randomCase(random, { maxPlayers: 2 * teamSize + 3, teamSizes: [teamSize] });
    // Brute force looks at 3^tickets divisions.
    if (example.tickets.length > 9) continue;
    made++;
    const { rules, forbids, nowMs } = example;
    const roles = RoleTable.of(rules);
    const tickets = sortBySkill(example.tickets.map((ticket) => poolTicket(ticket, teamSize, roles)));
    if (rules.p === infinity || random() < 0.5) tickets.reverse();
    const anchor = Math.floor(random() * tickets.length);
    const credits = tickets.map((_, i) => (random() < 0.3 && i !== anchor ? 100 * random() : 0));
    const creditOf = new Map(tickets.map(({ ticket }, i) => [ticket.ticketId, credits[i]]));
    const { ticketId } = tickets[anchor].ticket;
    const costs = new Map<string, number>();
    for (const game of allGames(example.tickets, rules, nowMs, forbids)) {
      if (!game.ticketIds.includes(ticketId)) continue;
      const key = game.ticketIds.join();
      const cost = game.imbalance - Math.max(...game.ticketIds.map((id) => creditOf.get(id)!));
      costs.set(key, Math.min(cost, costs.get(key) ?? infinity));
    }
    const error = Math.max(1e-9, 10 * scale(example.tickets, rules));
    yield { ...example, roles, candidates: { tickets, anchor, credits }, costs, error };
  }
}

/** Checks that the game is one of those that can be played, and returns its cost. */
function costOf({ members, division, imbalance: f }: DividedGame, around: Around): number {
  const { candidates, rules, costs, error } = around;
  const least = costs.get(
    members
      .map(({ ticket }) => ticket.ticketId)
      .sort()
      .join(),
  )!;
  const credit = Math.max(...members.map((member) => candidates.credits[candidates.tickets.indexOf(member)]));
  expect(Math.abs(f - credit - least)).toBeLessThanOrEqual(error);
  const divided = imbalance(
    teamsOf(members, division).map((team) => team.flatMap(({ skills }) => [...skills])),
    rules,
  );
  expect(Math.abs(f - divided.imbalance)).toBeLessThanOrEqual(error);
  return f - credit;
}

describe('the search around a ticket', () => {
  it('is exact for teams of one to eight, and its bound holds when it is cut short', () => {
    const random = seeded(41);
    let cut = 0;
    let exact = 0;
    for (const around of casesAround(random, 1500)) {
      const { rules, roles, forbids, candidates, costs, error } = around;
      const least = Math.min(...costs.values());
      const limit = random() < 0.7 || least === infinity ? 1e14 : Math.max(1, least * 2 * random());
      const nodeBudget = [0, 1, 5, 20, 149, 151, 200, 1e6][Math.floor(8 * random())];
      const search = new TicketSearch(rules, roles, forbids);
      const game = search.run(candidates, limit, nodeBudget);
      expect(search.bound).toBeLessThanOrEqual(Math.min(limit, least + error));
      const cost = game ? costOf(game, around) : infinity;
      if (game) expect(cost).toBeLessThan(limit);
      if (search.wasCut) {
        cut++;
        continue;
      }
      if (Math.abs(least - limit) <= error) continue;
      if (least > limit) {
        expect(game).toBeUndefined();
        expect(search.bound).toBe(limit);
      } else {
        exact++;
        expect(Math.abs(cost - least)).toBeLessThanOrEqual(error);
        expect(Math.abs(search.bound - least)).toBeLessThanOrEqual(error);
      }
    }
    expect(cut).toBeGreaterThan(100);
    expect(exact).toBeGreaterThan(300);
  });

  it('always finds a game if there is one and the budget is not spent, and so does a dive', () => {
    const random = seeded(42);
    let dives = 0;
    for (const around of casesAround(random, 500)) {
      const { rules, roles, forbids, candidates, costs } = around;
      const dive = new TicketDive(rules, roles, forbids);
      const game = dive.run(candidates, infinity, 100_000);
      expect(game !== undefined).toBe(costs.size > 0);
      if (!game) continue;
      dives++;
      costOf(game, around);
      const search = new TicketSearch(rules, roles, forbids);
      expect(search.run(candidates, infinity, 1e6)).toBeDefined();
      expect(search.wasCut).toBe(false);
    }
    expect(dives).toBeGreaterThan(100);
  });
});
