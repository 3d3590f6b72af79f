import type { Forbids, GameRules, Ticket } from 'muster/engine';
import { describe, expect, it } from 'vitest';
import { imbalance } from '../../../lib/engine/model/imbalance.ts';
import { allGames, checkGame, scale } from '../../../test/engine/oracle.ts';
import { normal, randomCase, seeded } from '../../../test/engine/random-pool.ts';
import { sample } from '../../../test/long.ts';
import { partitionSolos } from '../../lib/partition/solo-partition.ts';
import { partitionTickets, type TicketPartition } from '../../lib/partition/ticket-partition.ts';
import { compareUnhappiness, unhappinessCases } from './unhappiness-oracle.ts';

const objectives = ['worst', 'sum', 'unhappiness'] as const;

describe('the offline partition', () => {
  it('seats everyone once, reports its value, and never claims a bound above the best partition', () => {
    const random = seeded(8);
    for (let round = 0; round < sample(50, 150); round++) {
      const { rules, tickets } = randomCase(random, { maxPlayers: 9, teamSizes: [1, 2], plain: true });
      const skills = tickets.map((ticket) => ticket.players[0].skill);
      const unit = 1e-11 * Math.max(...skills) * (1 + rules.alpha);
      const all = allPartitions(skills, rules);
      for (const objective of objectives) {
        const result = partitionSolos(Float64Array.from(skills), rules, { objective });
        const everyone = [...result.players, ...result.leftOver].sort((a, b) => a - b);
        expect(everyone).toEqual(skills.map((_, i) => i));
        expect(result.leftOver).toHaveLength(skills.length % (2 * rules.teamSize));
        const games = gamesOf(result.players, skills, rules);
        games.forEach((f, g) => {
          expect(Math.abs(f - result.imbalances[g])).toBeLessThanOrEqual(unit);
        });
        expect(result.lowerBound).toBeLessThanOrEqual(result.objective);
        if (objective === 'unhappiness') {
          expect(result.lowerBound).toBeLessThanOrEqual(leastUnhappiness(all, unit) * (1 + 1e-6));
          continue;
        }
        const of = (fs: readonly number[]) =>
          objective === 'worst' ? Math.max(0, ...fs) : fs.reduce((sum, f) => sum + f, 0);
        const best = Math.min(...all.map((partition) => of(partition.map(({ f }) => f))));
        expect(Math.abs(of(games) - result.objective)).toBeLessThanOrEqual(unit * 9);
        expect(result.lowerBound).toBeLessThanOrEqual(best + unit);
        expect(result.objective).toBeGreaterThanOrEqual(best - unit * 9);
      }
    }
  });

  it('does not use the v_q of consecutive groups as a bound', () => {
    // The counterexample to Theorem 5's sketch: groups of 5,5,5,6 have a smaller worst v_q than consecutive ones.
    const rules: GameRules = { teamSize: 2, alpha: 1e-9, p: 1, q: 2, beta: 0 };
    const result = partitionSolos(Float64Array.of(5, 5, 5, 5, 5, 5, 6, 6), rules);
    expect(result.objective).toBeCloseTo(Math.sqrt(3) / 4, 6);
    expect(result.lowerBound).toBeLessThanOrEqual(Math.sqrt(3) / 4);
  });

  it('improves the worst game by swaps', () => {
    const random = seeded(9);
    const rules: GameRules = { teamSize: 3, alpha: 10, p: 1, q: 2, beta: 0 };
    const skills = Float64Array.from({ length: 60 }, () => 1500 + 300 * random());
    const without = partitionSolos(skills, rules, { swapBudget: 0 });
    const swapped = partitionSolos(skills, rules);
    expect(swapped.objective).toBeLessThan(without.objective);
    expect(swapped.lowerBound).toBe(without.lowerBound);
  });

  it.each(objectives)('exchanges players with those left over, by %s', (objective) => {
    const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };
    const skills = [1013.59, 1026.92, 1427.3, 1402.51, 1036.53];
    const best = Math.min(...allPartitions(skills, rules).map(([game]) => game!.f));
    const result = partitionSolos(Float64Array.from(skills), rules, { objective });
    expect(result.imbalances[0]).toBeCloseTo(best, 9);
    expect(result.leftOver).toEqual([1]);
    expect([...result.players].sort()).toEqual([0, 2, 3, 4]);
    // The same among tickets: a role that everyone accepts.
    const tickets = skills.map((skill, i) => ({
      ticketId: `t${i}`,
      enqueuedAtMs: 0,
      players: [{ playerId: `p${i}`, skill }],
    }));
    const { games, waiting } = partitionTickets(tickets, { ...rules, roles: { any: 2 } }, 0, { objective });
    expect(games[0].imbalance).toBeCloseTo(best, 9);
    expect(waiting).toEqual(['t1']);
  });

  it('knows that a player far from all others makes some of them unhappy, unless it is left over', () => {
    const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };
    const unhappiness = (...skills: number[]) =>
      partitionSolos(Float64Array.from(skills), rules, { objective: 'unhappiness' });
    const crowded = [0, 1, 2, 3, 4, 5, 6];
    const all = unhappiness(...crowded, 100);
    expect(all.lowerBound).toBeGreaterThan(10);
    expect(all.lowerBound).toBeLessThanOrEqual(all.objective);
    expect(unhappiness(...crowded, 7, 100).lowerBound).toBeLessThan(2);
  });

  it('exchanges players of a game that is infinitely worse than the best of one of them', () => {
    // {4, 5, 5, 5} and {5, 6, 6, 6}: the fifth could have had a game of equals.
    const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };
    const skills = Float64Array.of(4, 5, 5, 5, 5, 6, 6, 6);
    expect(partitionSolos(skills, rules, { objective: 'unhappiness' }).objective).toBeLessThan(10);
  });
});

describe('the partition by unhappiness', () => {
  it.each(Object.entries(unhappinessCases))(
    'of %s never understates the greatest unhappiness and never claims a bound above the best partition',
    (_, makeCase) => {
      const random = seeded(42);
      let several = 0;
      let bounded = 0;
      let best = 0;
      for (let round = 0; round < 40; round++) {
        const { games, isBounded, isBest } = compareUnhappiness(makeCase(random));
        if (games < 2) continue;
        several++;
        if (isBounded) bounded++;
        if (isBest) best++;
      }
      expect(several).toBeGreaterThan(5);
      expect(bounded / several).toBeGreaterThan(0.3);
      expect(best / several).toBeGreaterThan(0.5);
    },
  );

  it('knows that a party far from all others makes some of them unhappy, unless it is left over', () => {
    const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 };
    const pairs = (...means: number[]) => means.map((mean) => party(`m${mean}`, [mean, mean + 1]));
    const far = partitionTickets(pairs(0, 2, 4, 6, 8, 100), rules, 0, { objective: 'unhappiness' });
    expect(far.objectiveLowerBound).toBeGreaterThan(10);
    const out = partitionTickets(pairs(0, 2, 4, 6, 100), rules, 0, { objective: 'unhappiness' });
    expect(out.objectiveLowerBound).toBeLessThan(2);
  });

  it('knows that a far player of a scarce role cannot be left over, unless another one can play', () => {
    const roles = { healer: 1, damage: 1 };
    const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0, roles };
    const tickets = (...healers: number[]) => [
      ...healers.map((skill) => party(`h${skill}`, [skill], ['healer'])),
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((skill) => party(`d${skill}`, [skill], ['damage'])),
    ];
    const scarce = partitionTickets(tickets(1, 4, 7, 100), rules, 0, { objective: 'unhappiness' });
    expect(scarce.games).toHaveLength(2);
    expect(scarce.objectiveLowerBound).toBeGreaterThan(10);
    const spare = partitionTickets(tickets(1, 4, 5, 7, 100), rules, 0, { objective: 'unhappiness' });
    expect(spare.objectiveLowerBound).toBeLessThan(4);
  });

  it('knows that a player far from all others makes some of them unhappy in three teams', () => {
    const rules: GameRules = { teamSize: 2, teams: 3, alpha: 1, p: 1, q: 2, beta: 0 };
    const tickets = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100].map((skill) => party(`s${skill}`, [skill]));
    const { objective, objectiveLowerBound } = partitionTickets(tickets, rules, 0, {
      objective: 'unhappiness',
    });
    expect(objectiveLowerBound).toBeGreaterThan(10);
    expect(objective / objectiveLowerBound).toBeLessThan(1.2);
  });

  it('exchanges no player into a game in which no team takes the player', () => {
    const rules: GameRules = {
      teamSize: 2,
      teams: [{ name: 'crew', size: 2 }],
      alpha: 1,
      p: 1,
      q: 2,
      beta: 0,
    };
    const tickets = [0, 10, 11, 30].map((skill) => party(`s${skill}`, [skill]));
    const stranger = {
      ticketId: 'stranger',
      enqueuedAtMs: 0,
      players: [{ playerId: 'p', skill: 1, teams: [] }],
    };
    const { games, waiting } = partitionTickets([...tickets, stranger], rules, 0, {
      objective: 'unhappiness',
    });
    expect(games).toHaveLength(2);
    expect(waiting).toEqual(['stranger']);
  });

  it('exchanges tickets between games of three teams, with parties and roles as well', () => {
    const random = seeded(43);
    for (const roles of [undefined, { tank: 1, damage: 1 }]) {
      const rules: GameRules = {
        teamSize: 2,
        teams: 3,
        alpha: 1,
        p: 1,
        q: 2,
        beta: 0,
        ...(roles && { roles }),
      };
      const tickets = Array.from({ length: 40 }, (_, i) => {
        const skill = 1500 + 300 * normal(random);
        const accepted = roles && (i % 2 === 0 ? ['tank'] : ['damage', 'tank']);
        return party(`t${i}`, !roles && i % 4 === 0 ? [skill, skill + 20] : [skill], accepted);
      });
      const by = (swapBudget: number) =>
        partitionTickets(tickets, rules, 0, { objective: 'unhappiness', swapBudget });
      const without = by(0);
      const exchanged = by(2000);
      for (const game of exchanged.games) checkGame(game, tickets, rules, 0);
      expect(exchanged.games.length).toBeGreaterThanOrEqual(without.games.length);
      expect(exchanged.objective).toBeLessThan(without.objective);
      expect(exchanged.objectiveLowerBound).toBeLessThanOrEqual(exchanged.objective);
    }
  });
});

describe('the partition of tickets', () => {
  it('never understates the greatest unhappiness, however small the node budget is', () => {
    const random = seeded(41);
    let partitions = 0;
    for (let round = 0; round < sample(70, 200); round++) {
      const { rules, tickets, nowMs, forbids } = randomCase(random, { maxPlayers: 10, teamSizes: [2, 3, 4] });
      const options = {
        objective: 'unhappiness',
        nodeBudget: 1 + (round % 12),
        ...(forbids && { forbids }),
      } as const;
      const result = partitionTickets(tickets, rules, nowMs, options);
      const possible = allGames(tickets, rules, nowMs, forbids);
      const bestWith = (ticketId: string) =>
        Math.min(
          ...possible.filter(({ ticketIds }) => ticketIds.includes(ticketId)).map((game) => game.imbalance),
        );
      const unit = scale(tickets, rules);
      for (const { imbalance, ticketIds } of result.games) {
        const least = Math.min(...ticketIds.map(bestWith));
        partitions++;
        if (imbalance > unit)
          expect(result.objective * (least + unit)).toBeGreaterThanOrEqual(imbalance - unit);
      }
    }
    expect(partitions).toBeGreaterThan(sample(30, 100));
  });

  it('makes only playable games, and every other ticket waits', () => {
    const random = seeded(10);
    for (let round = 0; round < sample(20, 60); round++) {
      const { rules, tickets, forbids, nowMs } = randomCase(random, { maxPlayers: 14, teamSizes: [1, 2, 3] });
      for (const objective of objectives) {
        const result = partitionTickets(tickets, rules, nowMs, { objective, ...(forbids && { forbids }) });
        for (const game of result.games) checkGame(game, tickets, rules, nowMs, forbids);
        const seen = [...result.games.flatMap((game) => game.ticketIds), ...result.waiting];
        expect(seen.sort()).toEqual(tickets.map((ticket) => ticket.ticketId).sort());
        expect(result.objectiveLowerBound).toBeLessThanOrEqual(result.objective);
      }
    }
  });
});

describe('the packing of parties', () => {
  it('makes as many games as possible in nearly all small pools, and its bound holds for all partitions into that many', () => {
    const random = seeded(11);
    const pools = { free: 0, refusing: 0 };
    const full = { free: 0, refusing: 0 };
    for (let round = 0; round < sample(90, 260); round++) {
      const { rules, tickets, forbids, nowMs } = randomCase(random, { maxPlayers: 16, teamSizes: [2, 3] });
      if (tickets.length > 11) continue;
      const most = mostGames(tickets, rules, nowMs, forbids);
      const kind = forbids ? 'refusing' : 'free';
      pools[kind]++;
      for (const objective of ['worst', 'sum'] as const) {
        const result = partitionTickets(tickets, rules, nowMs, { objective, ...(forbids && { forbids }) });
        expect(result.games.length).toBeLessThanOrEqual(most.games);
        if (result.games.length < most.games) continue;
        if (objective === 'worst') full[kind]++;
        const unit = 1e-9 * (1 + most[objective]) + scale(tickets, rules);
        expect(result.objectiveLowerBound).toBeLessThanOrEqual(most[objective] + unit);
        expect(result.objective).toBeGreaterThanOrEqual(most[objective] - unit);
      }
    }
    expect(pools.free).toBeGreaterThan(sample(25, 80));
    expect(pools.refusing).toBeGreaterThan(sample(8, 30));
    expect(full.free).toBe(pools.free);
    expect(full.refusing / pools.refusing).toBeGreaterThan(0.8);
  });

  it('seats nearly everyone of a crowd of parties, with roles as well', () => {
    for (const roles of [undefined, { tank: 1, healer: 1, damage: 3 }]) {
      const rules: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0, ...(roles && { roles }) };
      const tickets = crowd(seeded(12), 600, roles !== undefined);
      const result = partitionTickets(tickets, rules, 0);
      for (const game of result.games) checkGame(game, tickets, rules, 0);
      const players = tickets.reduce((sum, ticket) => sum + ticket.players.length, 0);
      expect((10 * result.games.length) / players).toBeGreaterThan(0.98);
      expect(result.objectiveLowerBound).toBeGreaterThan(0);
    }
  });

  it('exchanges tickets between games to lower the objective', () => {
    const rules: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0 };
    const tickets = crowd(seeded(15), 400, false);
    for (const objective of ['worst', 'sum'] as const) {
      const without = partitionTickets(tickets, rules, 0, { objective, swapBudget: 0 });
      const exchanged = partitionTickets(tickets, rules, 0, { objective });
      expect(exchanged.games).toHaveLength(without.games.length);
      expect(exchanged.objectiveLowerBound).toBe(without.objectiveLowerBound);
      expect(exchanged.objective).toBeLessThanOrEqual(without.objective);
      // If the worst game cannot be improved, the others are.
      const sum = ({ games }: TicketPartition) => games.reduce((all, { imbalance: f }) => all + f, 0);
      expect(sum(exchanged)).toBeLessThan(sum(without));
    }
  });

  it('gives players of a scarce role the nearest players', () => {
    const rules: GameRules = { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0, roles: { healer: 1, damage: 1 } };
    // Two healers among the most skilled, and two hundred others.
    const tickets = Array.from({ length: 202 }, (_, i) => ({
      ticketId: `t${i}`,
      enqueuedAtMs: 0,
      players: [
        { playerId: `p${i}`, skill: 1000 + i, roles: [i === 190 || i === 192 ? 'healer' : 'damage'] },
      ],
    }));
    const { games, waiting } = partitionTickets(tickets, rules, 0);
    // Four in a row: the first and the last meet the other two.
    expect(games).toHaveLength(1);
    expect(games[0].imbalance).toBeCloseTo(Math.sqrt(1.25), 9);
    expect(waiting).toHaveLength(198);
  });

  it('gives the same games to the byte for any order of the tickets', () => {
    const rules: GameRules = { teamSize: 5, alpha: 1, p: 2, q: 2, beta: 1 };
    const tickets = crowd(seeded(13), 300, false);
    expect(JSON.stringify(partitionTickets(tickets.toReversed(), rules, 0))).toBe(
      JSON.stringify(partitionTickets(tickets, rules, 0)),
    );
  });

  it('ignores waiting: with a weight on waiting it makes the same games', () => {
    const tickets = crowd(seeded(14), 100, false);
    const gamesWith = (beta: number) =>
      partitionTickets(tickets, { teamSize: 5, alpha: 1, p: 1, q: 2, beta }, 0).games.map((g) => g.ticketIds);
    expect(gamesWith(5)).toEqual(gamesWith(0));
  });
});

function party(ticketId: string, skills: readonly number[], roles?: readonly string[]): Ticket {
  return {
    ticketId,
    enqueuedAtMs: 0,
    players: skills.map((skill, i) => ({ playerId: `${ticketId}.${i}`, skill, ...(roles && { roles }) })),
  };
}

/** Parties of 1 to 5, most of them small, of friends of similar skill; the roles leave every party a seat for each. */
function crowd(random: () => number, count: number, withRoles: boolean): Ticket[] {
  return Array.from({ length: count }, (_, i) => {
    const u = random();
    const size = u < 0.55 ? 1 : u < 0.8 ? 2 : u < 0.9 ? 3 : u < 0.93 ? 4 : 5;
    const centre = 1500 + 300 * normal(random);
    return {
      ticketId: `t${i}`,
      enqueuedAtMs: -1000 * Math.floor(100 * random()),
      players: Array.from({ length: size }, (_, j) => ({
        playerId: `t${i}.${j}`,
        skill: Math.max(0, centre + 60 * normal(random)),
        ...(withRoles && {
          roles: ['damage', random() < 0.5 ? 'tank' : 'healer', ...(j < 2 ? ['tank'] : ['healer'])],
        }),
      })),
    };
  });
}

/** The most disjoint games that these tickets can play, and of all partitions into as many the least worst imbalance and the least sum. */
function mostGames(
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  forbids?: Forbids,
): { games: number; worst: number; sum: number } {
  const least = new Map<number, number>();
  for (const { ticketIds, imbalance: f } of allGames(tickets, rules, nowMs, forbids)) {
    let set = 0;
    tickets.forEach(({ ticketId }, i) => {
      if (ticketIds.includes(ticketId)) set |= 1 << i;
    });
    least.set(set, Math.min(least.get(set) ?? Number.POSITIVE_INFINITY, f));
  }
  const known = new Map<number, { games: number; worst: number; sum: number }>();
  const most = (free: number): { games: number; worst: number; sum: number } => {
    const before = known.get(free);
    if (before) return before;
    const best = { games: 0, worst: 0, sum: 0 };
    for (const [set, f] of least) {
      if ((set & ~free) !== 0) continue;
      const rest = most(free & ~set);
      if (rest.games + 1 < best.games) continue;
      const isMore = rest.games + 1 > best.games;
      best.games = rest.games + 1;
      best.worst = Math.min(isMore ? Number.POSITIVE_INFINITY : best.worst, Math.max(f, rest.worst));
      best.sum = Math.min(isMore ? Number.POSITIVE_INFINITY : best.sum, f + rest.sum);
    }
    known.set(free, best);
    return best;
  };
  return most(2 ** tickets.length - 1);
}

function gamesOf(players: Int32Array, skills: readonly number[], rules: GameRules): number[] {
  const k = rules.teamSize;
  const games: number[] = [];
  for (let at = 0; at < players.length; at += 2 * k) {
    const team = (from: number) => [...players.subarray(from, from + k)].map((i) => skills[i]);
    games.push(imbalance([team(at), team(at + k)], rules).imbalance);
  }
  return games;
}

/** The imbalances of every partition into ⌊n / 2k⌋ games. */
/** The least of the greatest unhappiness, over all partitions. */
function leastUnhappiness(all: readonly OneGame[][], unit: number): number {
  const best: number[] = [];
  for (const { players, f } of all.flat())
    for (const player of players) best[player] = Math.min(best[player] ?? Number.POSITIVE_INFINITY, f);
  const ofGame = ({ players, f }: OneGame) =>
    f <= unit ? 1 : f / Math.max(0, Math.min(...players.map((player) => best[player]!)) - unit);
  return Math.min(...all.map((partition) => Math.max(0, ...partition.map(ofGame))));
}

interface OneGame {
  readonly players: readonly number[];
  readonly f: number;
}

function allPartitions(skills: readonly number[], rules: GameRules): OneGame[][] {
  const k = rules.teamSize;
  const games = Math.floor(skills.length / (2 * k));
  const found: OneGame[][] = [];
  const visit = (left: readonly number[], done: readonly OneGame[]) => {
    if (done.length === games) {
      found.push([...done]);
      return;
    }
    // The first remaining player is in the next game or is omitted.
    for (const game of subsets(left.slice(1), 2 * k - 1)) {
      const players = [left[0], ...game];
      const f = Math.min(
        ...subsets(players.slice(1), k - 1).map((mates) => {
          const x = [players[0], ...mates];
          const y = players.filter((player) => !x.includes(player));
          return imbalance([x.map((i) => skills[i]), y.map((i) => skills[i])], rules).imbalance;
        }),
      );
      visit(
        left.filter((player) => !players.includes(player)),
        [...done, { players, f }],
      );
    }
    if (left.length - 1 >= 2 * k * (games - done.length)) visit(left.slice(1), done);
  };
  visit(
    skills.map((_, i) => i),
    [],
  );
  return found;
}

function subsets(from: readonly number[], size: number): number[][] {
  if (size === 0) return [[]];
  if (from.length < size) return [];
  return [
    ...subsets(from.slice(1), size - 1).map((rest) => [from[0], ...rest]),
    ...subsets(from.slice(1), size),
  ];
}
