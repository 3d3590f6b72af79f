import { describe, expect, it } from 'vitest';
import { partyDivisions } from '../../../lib/engine/model/divisions.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { skillSpread } from '../../../lib/engine/model/imbalance.ts';
import { type PooledTicket, poolTicket, sortBySkill } from '../../../lib/engine/model/pooled-ticket.ts';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import { TicketDivider } from '../../../lib/engine/model/ticket-divider.ts';
import { MarginSearch, type TicketLimits } from '../../../lib/engine/search/margin-search.ts';
import type { GameRules } from '../../../lib/engine/types.ts';
import { normal, seeded } from '../random-pool.ts';

const kinds: [string, Partial<GameRules>, number[]][] = [
  ['solo players', {}, [1]],
  ['parties', {}, [0.6, 0.3, 0.1]],
  ['roles', { roles: { tank: 1, damage: 2 } }, [1]],
  ['parties with roles', { roles: { tank: 1, damage: 2 } }, [0.7, 0.3]],
  ['p = 2 and q = 1', { p: 2, q: 1 }, [1]],
  ['p = q = ∞', { p: Number.POSITIVE_INFINITY, q: Number.POSITIVE_INFINITY }, [0.7, 0.3]],
];

describe.each(kinds)('the search for the widest margin among %s', (_, special, sizes) => {
  const rules: GameRules = { teamSize: 3, alpha: 1, p: 1, q: 2, beta: 0, ...special };
  const roles = RoleTable.of(rules);

  it('finds nearly always a game when one is within its limit, and nearly the one with the widest margin', () => {
    const random = seeded(5);
    let possible = 0;
    let found = 0;
    let best = 0;
    let reached = 0;
    for (let run = 0; run < 100; run++) {
      const tickets = poolOf(random, rules, sizes, roles);
      const anchor = Math.floor(random() * tickets.length);
      const limits = limitsFor(random, tickets, rules);
      const widest = widestMargin(tickets, anchor, limits, rules, roles);
      const game = new MarginSearch(rules, roles, undefined).run({ tickets, anchor, limits }, 400);
      if (game) {
        const margin = limitOf(game.members, tickets, limits) - game.imbalance;
        expect(game.members).toContain(tickets[anchor]);
        expect(margin).toBeGreaterThanOrEqual(0);
        expect(margin).toBeLessThanOrEqual(widest + 1e-9);
        const divider = new TicketDivider(rules, roles);
        const unfair = rules.alpha * divider.divide(game.members);
        expect(game.imbalance).toBeCloseTo(unfair + divider.skillSpread(game.members), 6);
        found++;
        reached += margin;
      }
      if (widest >= 0) {
        possible++;
        best += widest;
      }
    }
    expect(possible).toBeGreaterThan(20);
    expect(found).toBeGreaterThanOrEqual(0.9 * possible);
    expect(reached).toBeGreaterThanOrEqual(0.85 * best);
  });
});

it('finds no game when the roles cannot be filled', () => {
  const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0, roles: { tank: 1, healer: 1 } };
  const roles = RoleTable.of(rules)!;
  const tickets = Array.from({ length: 12 }, (_, i) =>
    poolTicket(
      { ticketId: `t${i}`, enqueuedAtMs: 0, players: [{ playerId: `p${i}`, skill: 1500, roles: ['tank'] }] },
      2,
      roles,
    ),
  );
  const all = new Float64Array(12).fill(1000);
  const limits = { now: all, atFirst: all, apart: new Float64Array(12) };
  expect(new MarginSearch(rules, roles, undefined).run({ tickets, anchor: 3, limits }, 400)).toBeUndefined();
});

function poolOf(
  random: () => number,
  { teamSize, roles: names }: GameRules,
  sizes: readonly number[],
  roles: RoleTable | undefined,
): PooledTicket[] {
  return sortBySkill(
    Array.from({ length: 12 }, (_, i) => {
      let size = 1;
      for (let left = random() - sizes[0]; left > 0 && size < sizes.length; left -= sizes[size - 1]) size++;
      const players = Array.from({ length: size }, (_player, p) => ({
        playerId: `t${i}.${p}`,
        skill: 1500 + 100 * normal(random),
        ...(names && { roles: Object.keys(names).filter((name) => name === 'damage' || random() < 0.4) }),
      }));
      return poolTicket({ ticketId: `t${i}`, enqueuedAtMs: 0, players }, teamSize, roles);
    }),
  );
}

/** Limits near the imbalance of good games, those of long waits far above. */
function limitsFor(random: () => number, tickets: readonly PooledTicket[], { q }: GameRules): TicketLimits {
  const atFirst = Float64Array.from(tickets, () => 15 + 30 * random());
  return {
    atFirst,
    now: atFirst.map((first) => (random() < 0.15 ? first * 5 * random() + first : first)),
    apart: Float64Array.from(tickets, ({ skills }) => skillSpread(skills, q)),
  };
}

function limitOf(
  members: readonly PooledTicket[],
  tickets: readonly PooledTicket[],
  { now, apart }: TicketLimits,
): number {
  let sum = 0;
  let players = 0;
  for (const member of members) {
    const at = tickets.indexOf(member);
    sum += member.size * (now[at] + apart[at]);
    players += member.size;
  }
  return sum / players;
}

/** By trying all sets of tickets. */
function widestMargin(
  tickets: readonly PooledTicket[],
  anchor: number,
  limits: TicketLimits,
  rules: GameRules,
  roles: RoleTable | undefined,
): number {
  const divider = new TicketDivider(rules, roles);
  const shape = shapeOf(rules);
  let widest = Number.NEGATIVE_INFINITY;
  const extend = (from: number, members: PooledTicket[], players: number): void => {
    if (players === shape.seats) {
      if (partyDivisions(members, shape).length === 0) return;
      const limit = limitOf(members, tickets, limits);
      const spread = divider.skillSpread(members);
      if (limit - spread <= widest) return;
      const room = (limit - spread - widest) / rules.alpha;
      widest = Math.max(widest, limit - spread - rules.alpha * divider.divide(members, room));
      return;
    }
    for (let i = from; i < tickets.length; i++) {
      if (i === anchor || players + tickets[i].size > shape.seats) continue;
      extend(i + 1, [...members, tickets[i]], players + tickets[i].size);
    }
  };
  extend(0, [tickets[anchor]], tickets[anchor].size);
  return widest;
}
