import { describe, expect, it } from 'vitest';
import { MarginSearch, type TicketLimits } from '../../../lib/engine/margin/margin-search.ts';
import { skillSpread } from '../../../lib/engine/model/imbalance.ts';
import { sortBySkill } from '../../../lib/engine/model/pooled-ticket.ts';
import { SearchClock } from '../../../lib/engine/model/search-clock.ts';
import { layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { poolShapeTicket, type ShapeTicket } from '../../../lib/engine/shapes/shape-ticket.ts';
import type { GameRules } from '../../../lib/engine/types.ts';
import { sample } from '../../long.ts';
import { allGames } from '../oracle.ts';
import { normal, seeded } from '../random-pool.ts';

const hunt = [
  { name: 'hunter', size: 1 },
  { name: 'hunted', size: 3 },
];
const sizes = [
  { name: 'few', size: 2, roles: { tank: 1, damage: 1 } },
  { name: 'many', size: 3, roles: { tank: 1, damage: 2 } },
];
/** Nine classes of seats are more than sets are counted of. */
const specialists = ['abcd', 'efghi'].map((roles) => ({
  name: `side of ${roles}`,
  size: roles.length,
  roles: Object.fromEntries([...roles].map((role) => [role, 1])),
}));
const kinds: [string, Partial<GameRules>, number[]][] = [
  ['solo players', {}, [1]],
  ['parties', {}, [0.6, 0.3, 0.1]],
  ['roles', { roles: { tank: 1, damage: 2 } }, [1]],
  ['parties with roles', { roles: { tank: 1, damage: 2 } }, [0.7, 0.3]],
  ['three teams with parties', { teamSize: 2, teams: 3 }, [0.7, 0.3]],
  ['a hunter and three hunted', { teams: hunt }, [1]],
  ['sides and parties', { teams: hunt }, [0.7, 0.3]],
  ['teams of two sizes with roles', { teams: sizes }, [0.8, 0.2]],
  ['parties that may be split', { teamSize: 2, teams: 3 }, [0.4, 0.3, 0.3]],
  ['nine classes of seats', { teams: specialists }, [1]],
  ['p = 2 and q = 1', { p: 2, q: 1 }, [1]],
  ['p = q = ∞', { p: Number.POSITIVE_INFINITY, q: Number.POSITIVE_INFINITY }, [0.7, 0.3]],
];

describe.each(kinds)('the search for the widest margin among %s', (name, special, weights) => {
  const rules: GameRules = { teamSize: 3, alpha: 1, p: 1, q: 2, beta: 0, ...special };
  const layout = layoutOf(rules);

  it('finds nearly always a game when one is within its limit, and nearly the one with the widest margin', () => {
    const random = seeded(5);
    let possible = 0;
    let found = 0;
    let best = 0;
    let reached = 0;
    for (let run = 0; run < sample(35, 70); run++) {
      const tickets = poolOf(random, rules, weights, name);
      const anchor = Math.floor(random() * tickets.length);
      const limits = limitsFor(random, tickets, rules);
      const games = allGames(
        tickets.map(({ ticket }) => ticket),
        rules,
        0,
        undefined,
        undefined,
        tickets[anchor]!.ticket.ticketId,
      );
      const marginOf = (members: readonly ShapeTicket[], imbalance: number) =>
        limitOf(members, tickets, limits) - imbalance;
      let widest = Number.NEGATIVE_INFINITY;
      for (const { ticketIds, imbalance } of games) {
        const members = tickets.filter(({ ticket }) => ticketIds.includes(ticket.ticketId));
        widest = Math.max(widest, marginOf(members, imbalance));
      }
      const game = new MarginSearch(rules, layout, undefined).run({ tickets, anchor, limits }, 400);
      if (game) {
        const margin = marginOf(game.members, game.imbalance);
        const ids = game.members
          .map(({ ticket }) => ticket.ticketId)
          .sort()
          .join();
        const same = games.find(({ ticketIds }) => ticketIds.join() === ids)!;
        expect(game.members).toContain(tickets[anchor]);
        expect(margin).toBeGreaterThanOrEqual(0);
        expect(margin).toBeLessThanOrEqual(widest + 1e-9);
        expect(game.imbalance).toBeCloseTo(same.imbalance, 6);
        found++;
        reached += margin;
      }
      if (widest >= 0) {
        possible++;
        best += widest;
      }
    }
    expect(possible).toBeGreaterThan(sample(10, 20));
    expect(found).toBeGreaterThanOrEqual(0.9 * possible);
    expect(reached).toBeGreaterThanOrEqual(0.85 * best);
  });
});

it('ends at once for a party that fills the game by itself, when that is not within its limit', () => {
  const rules: GameRules = { teamSize: 3, teams: [{ name: 'crew', size: 3 }], alpha: 1, p: 1, q: 2, beta: 0 };
  const players = [1000, 1500, 2000].map((skill, i) => ({ playerId: `p${i}`, skill }));
  const party = poolShapeTicket({ ticketId: 'party', enqueuedAtMs: 0, players }, layoutOf(rules));
  const limit = Float64Array.of(100);
  const limits = { now: limit, atFirst: limit, fixed: new Float64Array(1) };
  let looks = 0;
  const clock = new SearchClock(() => ++looks > 1000);
  const search = new MarginSearch(rules, layoutOf(rules), undefined, clock);
  expect(search.run({ tickets: [party], anchor: 0, limits }, 400)).toBeUndefined();
  expect(clock.wasOver).toBe(false);
});

it('finds no game when the roles cannot be filled', () => {
  const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0, roles: { tank: 1, healer: 1 } };
  const tickets = Array.from({ length: 12 }, (_, i) =>
    poolShapeTicket(
      { ticketId: `t${i}`, enqueuedAtMs: 0, players: [{ playerId: `p${i}`, skill: 1500, roles: ['tank'] }] },
      layoutOf(rules),
    ),
  );
  const all = new Float64Array(12).fill(1000);
  const limits = { now: all, atFirst: all, fixed: new Float64Array(12) };
  expect(
    new MarginSearch(rules, layoutOf(rules), undefined).run({ tickets, anchor: 3, limits }, 400),
  ).toBeUndefined();
});

function poolOf(
  random: () => number,
  rules: GameRules,
  weights: readonly number[],
  name: string,
): ShapeTicket[] {
  const teams = typeof rules.teams === 'object' ? rules.teams : undefined;
  const roles = [rules, ...(teams ?? [])].flatMap((of) => Object.keys(of.roles ?? {}));
  const accepted = roles.length > 3 ? 0.8 : 0.4;
  return sortBySkill(
    Array.from({ length: 11 }, (_, i) => {
      let size = 1;
      for (let left = random() - weights[0]; left > 0 && size < weights.length; left -= weights[size - 1])
        size++;
      const side = random() < 0.3 ? teams?.[0] : teams?.at(-1);
      const players = Array.from({ length: size }, (_player, p) => ({
        playerId: `t${i}.${p}`,
        skill: 1500 + 100 * normal(random),
        ...(roles.length > 0 && { roles: roles.filter((role) => role === 'damage' || random() < accepted) }),
        ...(side && size === 1 && random() < 0.5 && { teams: [side.name] }),
      }));
      const split = name.includes('split') && (size > 2 || random() < 0.5);
      return poolShapeTicket({ ticketId: `t${i}`, enqueuedAtMs: 0, players, split }, layoutOf(rules));
    }),
  ) as ShapeTicket[];
}

/** Limits near the imbalance of good games, those of long waits far above. */
function limitsFor(random: () => number, tickets: readonly ShapeTicket[], rules: GameRules): TicketLimits {
  const times = layoutOf(rules).seats > 6 ? 5 : 1;
  const atFirst = Float64Array.from(tickets, () => times * (15 + 30 * random()));
  return {
    atFirst,
    now: atFirst.map((first) => (random() < 0.15 ? first * 5 * random() + first : first)),
    fixed: Float64Array.from(tickets, ({ skills }) => skillSpread(skills, rules.q)),
  };
}

function limitOf(
  members: readonly ShapeTicket[],
  tickets: readonly ShapeTicket[],
  { now, fixed }: TicketLimits,
): number {
  let sum = 0;
  let players = 0;
  for (const member of members) {
    const at = tickets.indexOf(member);
    sum += member.size * (now[at] + fixed[at]);
    players += member.size;
  }
  return sum / players;
}

it('ends when the least limit of a game is 0, and finds the game within it', () => {
  const rules: GameRules = { teamSize: 1, alpha: 1, p: 1, q: 2, beta: 0 };
  const layout = layoutOf(rules);
  const tickets = [1500, 1500, 1600, 1700].map((skill, i) =>
    poolShapeTicket({ ticketId: `t${i}`, enqueuedAtMs: 0, players: [{ playerId: `p${i}`, skill }] }, layout),
  );
  let asked = 0;
  const clock = new SearchClock(() => {
    if (++asked > 1000) throw new Error('Expected the search to end');
    return false;
  });
  const search = new MarginSearch(rules, layout, undefined, clock);
  const none = new Float64Array(4);
  const allows = new Float64Array([0, 0, 400, 50]);
  const game = search.run({ tickets, anchor: 0, limits: { now: allows, atFirst: allows, fixed: none } }, 400);
  expect(game?.members.map(({ ticket }) => ticket.ticketId)).toEqual(['t0', 't2']);
  const zero = { now: none, atFirst: none, fixed: none };
  expect(() => search.run({ tickets, anchor: 2, limits: zero }, 400)).not.toThrow();
});
