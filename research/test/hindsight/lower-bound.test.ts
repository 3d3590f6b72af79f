import {
  type GameRules,
  layoutOf,
  partyMixes,
  poolShapeTicket,
  ShapeGames,
  type Ticket,
} from 'muster/engine';
import { seededRandom } from 'muster/simulation';
import { describe, expect, it } from 'vitest';
import { sample } from '../../../test/long.ts';
import { choosersOf } from '../../lib/hindsight/choosers.ts';
import {
  costOfLeaving,
  type Instance,
  instanceOf,
  leastWaits,
  repeated,
} from '../../lib/hindsight/instance.ts';
import { lowerBound } from '../../lib/hindsight/lower-bound.ts';

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

/** The least cost of all divisions of the tickets into games and tickets that leave, by trying all of them. */
function leastTotal(instance: Instance, of: GameRules): number {
  const { parts, seats } = instance;
  const layout = layoutOf(of);
  const games = new ShapeGames(of, layout);
  const pooled = parts.map(({ ticket }) => poolShapeTicket(ticket, layout));
  const mixes = partyMixes(layout, seats).map((mix) => mix.join());
  const canPlay = (members: readonly number[]) => {
    if (layout.classes) return games.haveSeats(members.map((at) => pooled[at]));
    const sizes = new Uint8Array(of.teamSize + 1);
    for (const at of members) sizes[parts[at].size]++;
    return mixes.includes(sizes.join());
  };
  const costOf = (members: readonly number[]) => {
    const tickets = members.map((at) => pooled[at]);
    const imbalance = of.alpha * games.divide(tickets) + games.skillSpread(tickets);
    return seats * imbalance + leastWaits(instance, members);
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
        least = Math.min(least, costOf(members) + rest(bits));
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

/** The certified bound of some instances and the least cost of their schedules, added up. */
async function compare(
  of: GameRules,
  sizes: readonly number[],
  seeds: readonly number[],
  repeats: boolean,
  gapCost = of.p === 1 ? of.alpha : 0,
) {
  let bounds = 0;
  let bests = 0;
  for (const seed of seeds) {
    const span = instanceOf(ticketsOf(seed, sizes, of.roles !== undefined), {
      seats: 2 * of.teamSize,
      tickSeconds: 1,
      waitCost: 1,
      gapCost,
    });
    const instance = repeats ? repeated(span) : span;
    const best = leastTotal(instance, of);
    const { certified } = await lowerBound(instance, {
      schedule: [],
      choosers: choosersOf(of, instance),
    });
    expect(certified).toBeLessThanOrEqual(best);
    bounds += certified;
    bests += best;
  }
  return bounds / bests;
}

const SOLO = Array.from({ length: 12 }, () => 1);
const PAIRS = SOLO.map((_, i) => (i % 3 === 1 ? 2 : 1));
const TRIPLES = [3, 1, 1, 2, 1, 3, 1, 1, 2, 1, 1, 1];

describe('the certified lower bound', () => {
  const parties = ['parties', { ...rules, alpha: 0 }, PAIRS] as const;
  const others = [
    ['solo players', { ...rules, alpha: 0 }, SOLO],
    ['roles', { ...withRoles, alpha: 0 }, SOLO],
  ] as const;
  it.each(sample([parties], [parties, ...others]))(
    'with %s is below the best of all schedules, and near it',
    async (_, of, sizes) => {
      expect(await compare(of, sizes, [1, 2, 3], false)).toBeGreaterThan(0.9);
      expect(await compare(of, sizes, [11, 12, 13], true)).toBeGreaterThan(0.75);
    },
  );

  it('is 0 where equal players arrive together', async () => {
    const players = (ticketId: string) => [{ playerId: ticketId, skill: 1500 }];
    const tickets = ['a', 'b', 'c', 'd'].map((ticketId) => ({
      ticketId,
      enqueuedAtMs: 60_000,
      players: players(ticketId),
    }));
    const instance = instanceOf(tickets, { seats: 4, tickSeconds: 1, waitCost: 1 });
    const { certified } = await lowerBound(instance, {
      schedule: [[0, 1, 2, 3]],
      choosers: choosersOf(rules, instance),
    });
    expect(certified).toBe(0);
  });

  it('is higher with the difference between a party that fills a team and the other team', async () => {
    const withGap = await compare(rules, PAIRS, [1, 2, 3], false);
    expect(withGap).toBeGreaterThan(1.02 * (await compare(rules, PAIRS, [1, 2, 3], false, 0)));
  });

  const some = [
    [0, 1],
    [1, 2],
    [5, Number.POSITIVE_INFINITY],
  ];
  const more = [
    [0.2, 1],
    [1, 1],
    [5, 1],
    [5, 2],
    [1, Number.POSITIVE_INFINITY],
  ];
  it.each(sample(some, [...some, ...more]))(
    'is below the best of all schedules of parties with α %s and p %s',
    async (alpha, p) => {
      await compare({ ...rules, alpha, p }, PAIRS, [21, 22], false);
      await compare({ ...rules, teamSize: 3, alpha, p }, TRIPLES, [31, 32], true);
    },
  );
});
