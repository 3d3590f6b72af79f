import { type GameRules, imbalancePerRange, shapeOf } from 'muster/engine';
import { orderBySkill } from '../../../lib/engine/collections/sort-skills.ts';
import { exchangeForSum, exchangeForWorst } from './group-exchanges.ts';
import { narrowestGroups } from './narrowest-groups.ts';
import { SoloGroups } from './solo-groups.ts';
import { soloUnhappiness } from './solo-unhappiness.ts';

/**
 * What an offline partition minimises (Alman & McKay, sections 1.2.7 and 8.2): the worst imbalance, the sum of
 * the imbalances, or the greatest unhappiness, a player's imbalance over the best it could have had (1 when both are 0).
 */
export type PartitionObjective = 'worst' | 'sum' | 'unhappiness';

/** What a partition of solo players minimises, and how much work it may take. */
export interface SoloPartitionOptions {
  /** @default 'worst' */
  readonly objective?: PartitionObjective;
  /**
   * Games that swaps may try out, some 2 million a second for teams of five; by unhappiness, for each of a few starts.
   * @default 20,000; by unhappiness, whose best games take longer, 200,000
   */
  readonly swapBudget?: number;
}

/** A partition of everyone into games. Players are given by their index in the input. */
export interface SoloPartition {
  /** 2k players per game, the first team's k first; games in ascending order of skill. */
  readonly players: Int32Array;
  readonly imbalances: Float64Array;
  /** The objective reached. */
  readonly objective: number;
  /** No partition of these players into as many games has a lower objective. */
  readonly lowerBound: number;
  /** The n mod 2k players left over. */
  readonly leftOver: readonly number[];
}

/**
 * Theorem 5's partition with a bound that is valid, improved by swaps, for players without roles and parties.
 *
 * The groups are those of least greatest (or least total) range. They are consecutive: **uncrossing** two groups A and B, giving
 * the lower half of their players to one and the upper half to the other, raises neither the greater range nor the sum
 * of the two (research/docs/engine-proofs.md has the proof). By Lemma 6 the ranges bound the imbalances. The groups' v_q
 * are no bound: consecutive groups do not always minimise the worst v_q.
 *
 * Cost: a sort and a division per game; with left-over players a table of n · (n mod 2k) bytes.
 */
export function partitionSolos(
  skills: Float64Array,
  rules: GameRules,
  options: SoloPartitionOptions = {},
): SoloPartition {
  const { objective = 'worst' } = options;
  const size = shapeOf(rules).seats;
  const order = orderBySkill(skills);
  const sorted = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) sorted[i] = skills[order[i]];
  if (objective === 'unhappiness') {
    const { groups, reached, bound } = soloUnhappiness(sorted, order, rules, options.swapBudget);
    return partitionOf(groups, reached, bound);
  }
  const games = Math.floor(sorted.length / size);
  const starts = narrowestGroups(sorted, games, size, objective === 'sum' ? 'sum' : 'greatest');
  const groups = new SoloGroups(rules, sorted, order, starts);

  let greatest = 0;
  let total = 0;
  for (const start of starts) {
    const range = sorted[start + size - 1] - sorted[start];
    greatest = Math.max(greatest, range);
    total += range;
  }
  const perRange = imbalancePerRange(rules);
  const { swapBudget = 20_000 } = options;
  if (objective === 'sum') {
    exchangeForSum(groups, swapBudget);
    const reached = groups.imbalances.reduce((sum, f) => sum + f, 0);
    return partitionOf(groups, reached, perRange * total * rounded);
  }
  exchangeForWorst(groups, (group) => groups.imbalances[group], swapBudget);
  return partitionOf(groups, greatestOf(groups.imbalances), perRange * greatest * rounded);
}

function partitionOf(groups: SoloGroups, reached: number, bound: number): SoloPartition {
  return {
    players: groups.seated(),
    imbalances: groups.imbalances,
    objective: reached,
    lowerBound: Math.min(reached, bound),
    leftOver: Array.from(groups.leftOver).sort((a, b) => a - b),
  };
}

/** The ranges are rounded, so the bounds are lowered to stay valid. */
const rounded = 1 - 1e-12;

function greatestOf(values: Float64Array): number {
  let greatest = 0;
  for (let i = 0; i < values.length; i++) greatest = Math.max(greatest, values[i]);
  return greatest;
}
