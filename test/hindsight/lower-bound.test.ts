import { describe, expect, it } from 'vitest';
import { partyMixes, RoleTable, shapeOf } from '../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../lib/engine/types.ts';
import { type Chooser, SizeChooser } from '../../lib/hindsight/chooser.ts';
import { costOfLeaving, type Instance, instanceOf, leastCost } from '../../lib/hindsight/instance.ts';
import { lowerBound } from '../../lib/hindsight/lower-bound.ts';
import { RoleChooser } from '../../lib/hindsight/role-chooser.ts';
import { seededRandom } from '../../lib/simulation/random.ts';

const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };
const withRoles: GameRules = { ...rules, roles: { tank: 1, healer: 1 } };

const ticketsOf = (seed: number, sizes: readonly number[], roles: boolean): Ticket[] => {
  const random = seededRandom(seed);
  let atMs = 0;
  return sizes.map((size, i) => {
    atMs += 1000 * random.exponential(1);
    return {
      ticketId: `t${i}`,
      enqueuedAtMs: Math.round(atMs),
      players: Array.from({ length: size }, (_, p) => ({
        playerId: `t${i}.${p}`,
        skill: random.normal(100, 10),
        ...(roles && { roles: [['tank'], ['healer'], ['tank', 'healer']][random.integer(3)] }),
      })),
    };
  });
};

const chooserOf = (instance: Instance, of: GameRules): { chooser: Chooser; kinds: Uint8Array } => {
  const roles = RoleTable.of(of);
  if (!roles) {
    const kinds = Uint8Array.from(instance.parts, ({ size }) => size);
    return { chooser: new SizeChooser(partyMixes(shapeOf(of))), kinds };
  }
  const kinds = Uint8Array.from(instance.parts, ({ ticket }) => roles.maskOf(ticket.players[0]));
  return { chooser: new RoleChooser(of, instance.seats), kinds };
};

/** The least cost of all divisions of the tickets into games and tickets that leave, by trying all of them. */
function leastTotal(instance: Instance, of: GameRules): number {
  const { parts, seats } = instance;
  const roles = RoleTable.of(of);
  const mixes = partyMixes(shapeOf(of)).map((mix) => mix.join());
  const canPlay = (members: readonly number[]) => {
    if (roles) return roles.canSeatGame(members.map((at) => roles.maskOf(parts[at].ticket.players[0])));
    const sizes = new Uint8Array(of.teamSize + 1);
    for (const at of members) sizes[parts[at].size]++;
    return mixes.includes(sizes.join());
  };
  const known = new Map<number, number>();
  const rest = (used: number): number => {
    if (used === 2 ** parts.length - 1) return 0;
    const cached = known.get(used);
    if (cached !== undefined) return cached;
    const first = Math.log2(~used & -~used);
    let least = costOfLeaving(instance, parts[first]) + rest(used | (1 << first));
    const extend = (from: number, members: number[], players: number): void => {
      if (players === seats) {
        if (!canPlay(members)) return;
        const bits = members.reduce((set, at) => set | (1 << at), used);
        least = Math.min(least, leastCost(instance, members) + rest(bits));
        return;
      }
      for (let at = from; at < parts.length; at++) {
        if ((used >> at) & 1 || players + parts[at].size > seats) continue;
        extend(at + 1, [...members, at], players + parts[at].size);
      }
    };
    extend(first + 1, [first], parts[first].size);
    known.set(used, least);
    return least;
  };
  return rest(0) / instance.players;
}

describe.each([
  ['solo players', rules, false],
  ['parties', rules, false],
  ['roles', withRoles, true],
] as const)('the certified lower bound with %s', (name, of, hasRoles) => {
  it('is below the best of all schedules, and near it', async () => {
    let bounds = 0;
    let bests = 0;
    for (let seed = 1; seed <= 4; seed++) {
      const sizes = Array.from({ length: 12 }, (_, i) => (name === 'parties' && i % 4 === 1 ? 2 : 1));
      const instance = instanceOf(ticketsOf(seed, sizes, hasRoles), {
        seats: 4,
        tickSeconds: 1,
        waitCost: 1,
      });
      const best = leastTotal(instance, of);
      const { certified } = await lowerBound(instance, { schedule: [], ...chooserOf(instance, of) });
      expect(certified).toBeLessThanOrEqual(best);
      bounds += certified;
      bests += best;
    }
    expect(bounds).toBeGreaterThan(0.8 * bests);
  });
});
