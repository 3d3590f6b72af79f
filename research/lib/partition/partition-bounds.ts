import { type GameRules, imbalancePerRange, type ShapeTicket, shapeOf } from 'muster/engine';
import { narrowestRange } from './narrowest-groups.ts';

/**
 * Lower bounds on the worst imbalance and on the sum of imbalances of every partition of these tickets into this many games,
 * with any roles and refused pairs; the other tickets stay. research/docs/engine-proofs.md has the proofs. Cost: a sort, and the number
 * of games times the number of omitted players.
 */
export function partitionBounds(
  tickets: readonly ShapeTicket[],
  games: number,
  rules: GameRules,
): { worst: number; sum: number } {
  if (games === 0) return { worst: 0, sum: 0 };
  const skills = Float64Array.from(tickets.flatMap(({ skills }) => [...skills])).sort();
  // A game of fewer players has at least the range of its narrowest window of the fewest.
  const size = shapeOf(rules).seatsMin;
  const greatest = narrowestRange(skills, games, size, 'greatest');
  const sum = narrowestRange(skills, games, size, 'sum');
  const perRange = imbalancePerRange(rules);
  const alone = ticketBounds(tickets, skills.length - games * size, rules);
  // The sums are rounded, so the bound is lowered to stay valid.
  const rounded = 1 - 1e-12;
  return {
    worst: rounded * Math.max(perRange * greatest, alone.worst),
    sum: rounded * Math.max(perRange * sum, alone.sum),
  };
}

/**
 * Bounds from the spread within each ticket, which counts in any game it plays, when the `spare` costliest players stay
 * unmatched. The worst game costs at least as much as the costliest ticket that must play, and a game at least the mean
 * over its players.
 */
function ticketBounds(
  tickets: readonly ShapeTicket[],
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
