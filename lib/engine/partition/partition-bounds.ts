import { imbalancePerRange } from '../bounds/fill-bound.ts';
import { sortSkills } from '../collections/sort-skills.ts';
import { shapeOf } from '../model/game-shape.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { GameRules } from '../types.ts';

/**
 * Lower bounds on the worst imbalance and on the sum of imbalances of every partition of these tickets into this many games,
 * whatever roles and refused pairs there are, the rest left out. docs/engine.md has the proofs. Cost: a sort, and the number
 * of games times the number of players left out.
 */
export function partitionBounds(
  tickets: readonly PooledTicket[],
  games: number,
  rules: GameRules,
): { worst: number; sum: number } {
  if (games === 0) return { worst: 0, sum: 0 };
  const skills = sortSkills(Float64Array.from(tickets.flatMap(({ skills }) => [...skills])));
  const size = shapeOf(rules).seats;
  const ranges = narrowestRanges(skills, games, size);
  const perRange = imbalancePerRange(rules);
  const alone = ticketBounds(tickets, skills.length - games * size, rules);
  // The sums are rounded; a bound may not be.
  const rounded = 1 - 1e-12;
  return {
    worst: rounded * Math.max(perRange * ranges.greatest, alone.worst),
    sum: rounded * Math.max(perRange * ranges.total, alone.sum),
  };
}

/** Of that many disjoint groups of players, the least greatest range and the least total range. By uncrossing, consecutive groups suffice. */
function narrowestRanges(
  sorted: Float64Array,
  games: number,
  size: number,
): { greatest: number; total: number } {
  const spare = sorted.length - games * size;
  // By how many players were left out so far.
  const greatest = new Float64Array(spare + 1);
  const total = new Float64Array(spare + 1);
  for (let g = 1; g <= games; g++) {
    for (let s = 0; s <= spare; s++) {
      const end = g * size + s;
      const range = sorted[end - 1] - sorted[end - size];
      greatest[s] = Math.max(greatest[s], range);
      total[s] += range;
      if (s === 0) continue;
      greatest[s] = Math.min(greatest[s], greatest[s - 1]);
      total[s] = Math.min(total[s], total[s - 1]);
    }
  }
  return { greatest: greatest[spare], total: total[spare] };
}

/**
 * What each ticket adds by the skills within it, wherever it plays, if the `spare` players who cost most are left out: the
 * worst game is no better than the costliest ticket that must play, and a game no better than its players' mean.
 */
function ticketBounds(
  tickets: readonly PooledTicket[],
  spare: number,
  rules: GameRules,
): { worst: number; sum: number } {
  const perRange = imbalancePerRange(rules);
  const size = shapeOf(rules).seats;
  const costs = tickets.map(({ low, high, spread, size: players }) => ({
    players,
    cost: Math.max(perRange * (high - low), rules.q >= 2 ? Math.sqrt(spread / size) : 0),
  }));
  costs.sort((a, b) => b.cost - a.cost);
  let left = spare;
  let worst = 0;
  let sum = 0;
  for (const { players, cost } of costs) {
    const playing = Math.max(0, players - left);
    left = Math.max(0, left - players);
    if (playing > 0) worst = Math.max(worst, cost);
    sum += (playing * cost) / size;
  }
  return { worst, sum };
}
