import { describe, expect, it } from 'vitest';
import { imbalance } from '../../lib/engine/imbalance.ts';
import { partition } from '../../lib/engine/partition.ts';
import { partitionTickets } from '../../lib/engine/partition-tickets.ts';
import type { GameRules } from '../../lib/engine/types.ts';
import { checkGame } from './oracle.ts';
import { randomCase, seeded } from './random-pool.ts';

const objectives = ['worst', 'sum', 'unhappiness'] as const;

describe('the offline partition', () => {
  it('seats everyone once, reports what it reached, and never claims a bound above the best partition', () => {
    const random = seeded(8);
    for (let round = 0; round < 150; round++) {
      const { rules, tickets } = randomCase(random, { maxPlayers: 9, teamSizes: [1, 2], plain: true });
      const skills = tickets.map((ticket) => ticket.players[0].skill);
      const unit = 1e-11 * Math.max(...skills) * (1 + rules.alpha);
      const all = allPartitions(skills, rules);
      for (const objective of objectives) {
        const result = partition(Float64Array.from(skills), rules, { objective });
        const everyone = [...result.players, ...result.leftOver].sort((a, b) => a - b);
        expect(everyone).toEqual(skills.map((_, i) => i));
        expect(result.leftOver).toHaveLength(skills.length % (2 * rules.teamSize));
        const games = gamesOf(result.players, skills, rules);
        games.forEach((f, g) => {
          expect(Math.abs(f - result.imbalances[g])).toBeLessThanOrEqual(unit);
        });
        expect(result.lowerBound).toBeLessThanOrEqual(result.objective);
        if (objective === 'unhappiness') continue;
        const of = (fs: readonly number[]) =>
          objective === 'worst' ? Math.max(0, ...fs) : fs.reduce((sum, f) => sum + f, 0);
        const best = Math.min(...all.map(of));
        expect(Math.abs(of(games) - result.objective)).toBeLessThanOrEqual(unit * 9);
        expect(result.lowerBound).toBeLessThanOrEqual(best + unit);
        expect(result.objective).toBeGreaterThanOrEqual(best - unit * 9);
      }
    }
  });

  it('does not take the v_q of consecutive groups for a bound', () => {
    // The counterexample to Theorem 5's sketch: groups of 5,5,5,6 have a smaller worst v_q than consecutive ones.
    const rules: GameRules = { teamSize: 2, alpha: 1e-9, p: 1, q: 2, beta: 0 };
    const result = partition(Float64Array.of(5, 5, 5, 5, 5, 5, 6, 6), rules);
    expect(result.objective).toBeCloseTo(Math.sqrt(3) / 4, 6);
    expect(result.lowerBound).toBeLessThanOrEqual(Math.sqrt(3) / 4);
  });

  it('improves the worst game by swaps', () => {
    const random = seeded(9);
    const rules: GameRules = { teamSize: 3, alpha: 10, p: 1, q: 2, beta: 0 };
    const skills = Float64Array.from({ length: 60 }, () => 1500 + 300 * random());
    const without = partition(skills, rules, { swapBudget: 0 });
    const swapped = partition(skills, rules);
    expect(swapped.objective).toBeLessThan(without.objective);
    expect(swapped.lowerBound).toBe(without.lowerBound);
  });
});

describe('the partition of tickets', () => {
  it('makes only games that can be played, and leaves nobody without a reason', () => {
    const random = seeded(10);
    for (let round = 0; round < 60; round++) {
      const { rules, tickets, forbids, nowMs } = randomCase(random, { maxPlayers: 14, teamSizes: [1, 2, 3] });
      for (const objective of objectives) {
        const result = partitionTickets(tickets, rules, nowMs, { objective, ...(forbids && { forbids }) });
        for (const game of result.games) checkGame(game, tickets, rules, nowMs, forbids);
        const seen = [
          ...result.games.flatMap((game) => game.ticketIds),
          ...result.waiting.map((w) => w.ticketId),
        ];
        expect(seen.sort()).toEqual(tickets.map((ticket) => ticket.ticketId).sort());
        expect(result.waiting.every(({ reason }) => reason.length > 0)).toBe(true);
        expect(result.objectiveLowerBound).toBeLessThanOrEqual(result.objective);
      }
    }
  });
});

function gamesOf(players: Int32Array, skills: readonly number[], rules: GameRules): number[] {
  const k = rules.teamSize;
  const games: number[] = [];
  for (let at = 0; at < players.length; at += 2 * k) {
    const team = (from: number) => [...players.subarray(from, from + k)].map((i) => skills[i]);
    games.push(imbalance(team(at), team(at + k), rules).imbalance);
  }
  return games;
}

/** The imbalances of every partition into ⌊n / 2k⌋ games. */
function allPartitions(skills: readonly number[], rules: GameRules): number[][] {
  const k = rules.teamSize;
  const games = Math.floor(skills.length / (2 * k));
  const found: number[][] = [];
  const visit = (left: readonly number[], done: readonly number[]) => {
    if (done.length === games) {
      found.push([...done]);
      return;
    }
    // The first player left is in the next game, or is left out.
    for (const game of subsets(left.slice(1), 2 * k - 1)) {
      const players = [left[0], ...game];
      const f = Math.min(
        ...subsets(players.slice(1), k - 1).map((mates) => {
          const x = [players[0], ...mates];
          const y = players.filter((player) => !x.includes(player));
          return imbalance(
            x.map((i) => skills[i]),
            y.map((i) => skills[i]),
            rules,
          ).imbalance;
        }),
      );
      visit(
        left.filter((player) => !players.includes(player)),
        [...done, f],
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
