import { imbalancePerRange } from '../bounds/fill-bound.ts';
import { KeyHeap } from '../collections/key-heap.ts';
import { orderBySkill } from '../collections/sort-skills.ts';
import { SoloQueue } from '../index/solo-queue.ts';
import { teamOf } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { SoloDivider } from '../model/solo-divider.ts';
import type { GameRules } from '../types.ts';

/**
 * What an offline partition minimises (Alman & McKay, sections 1.2.7 and 8.2): the worst imbalance, the sum of
 * the imbalances, or the greatest unhappiness, a player's imbalance over the best it could have had (1 when both are 0).
 */
export type PartitionObjective = 'worst' | 'sum' | 'unhappiness';

export interface SoloPartitionOptions {
  /** @default 'worst' */
  readonly objective?: PartitionObjective;
  /** Games that swaps may try out, some 2 million a second for teams of five. @default 20,000 */
  readonly swapBudget?: number;
}

/** Everyone in games at once, players by their index in the input. */
export interface SoloPartition {
  /** 2k players per game, the first team's k first; games in ascending order of skill. */
  readonly players: Int32Array;
  readonly imbalances: Float64Array;
  /** The value reached. */
  readonly objective: number;
  /** No partition of these players into as many games has a lower value. */
  readonly lowerBound: number;
  /** The n mod 2k players left over. */
  readonly leftOver: readonly number[];
}

/**
 * Theorem 5's partition with a bound that is valid, improved by swaps, for players without roles and parties.
 *
 * The groups are those of least greatest (or least total) range. They are consecutive: **uncrossing** two groups A and B, giving
 * the lower half of their players to one and the upper half to the other, raises neither the greater range nor the sum
 * of the two (docs/engine.md has the proof). By Lemma 6 the ranges bound the imbalances. The groups' v_q
 * are no bound: consecutive groups do not always minimise the worst v_q.
 *
 * Cost: a sort and a halving per game; with left-over players a table of n · (n mod 2k) bytes.
 */
export function partitionSolos(
  skills: Float64Array,
  rules: GameRules,
  options: SoloPartitionOptions = {},
): SoloPartition {
  const { objective = 'worst', swapBudget = 20_000 } = options;
  const size = shapeOf(rules).seats;
  const order = orderBySkill(skills);
  const sorted = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) sorted[i] = skills[order[i]];
  const starts = narrowestGroups(sorted, size, objective === 'sum');
  const groups = new Groups(rules, sorted, order, starts);

  let greatest = 0;
  let total = 0;
  for (const start of starts) {
    const range = sorted[start + size - 1] - sorted[start];
    greatest = Math.max(greatest, range);
    total += range;
  }
  const perRange = imbalancePerRange(rules);
  const bounds = {
    worst: perRange * greatest,
    sum: perRange * total,
    unhappiness: starts.length > 0 ? 1 : 0,
  };

  const value = { worst: worstOf, sum: sumOf, unhappiness: unhappinessOf }[objective](
    groups,
    sorted,
    order,
    rules,
  );
  if (objective === 'sum') swapForSum(groups, swapBudget);
  else swapForWorst(groups, value.ofGame, swapBudget);
  const reached = value.ofAll();
  return {
    players: groups.seated(),
    imbalances: groups.imbalances,
    objective: reached,
    // The sums are rounded; a bound may not be.
    lowerBound: Math.min(reached, bounds[objective] * (1 - 1e-12)),
    leftOver: leftOut(order, starts, size),
  };
}

/**
 * The first places of the ⌊n / size⌋ disjoint windows of consecutive players with the least greatest, or least total, range,
 * ascending. Dynamic programming over how many players were left out so far.
 */
function narrowestGroups(sorted: Float64Array, size: number, bySum: boolean): Int32Array {
  const n = sorted.length;
  const spare = n % size;
  const games = (n - spare) / size;
  const starts = new Int32Array(games);
  if (spare === 0) {
    for (let g = 0; g < games; g++) starts[g] = g * size;
    return starts;
  }
  // value[g][s]: of the first g windows with s players left out before their ends.
  const columns = spare + 1;
  const takesWindow = new Uint8Array((games + 1) * columns);
  let previous = new Float64Array(columns);
  for (let g = 1; g <= games; g++) {
    const value = new Float64Array(columns);
    for (let s = 0; s <= spare; s++) {
      const end = g * size + s;
      const range = sorted[end - 1] - sorted[end - size];
      const taken = bySum ? previous[s] + range : Math.max(previous[s], range);
      const skipped = s > 0 ? value[s - 1] : Number.POSITIVE_INFINITY;
      value[s] = Math.min(taken, skipped);
      takesWindow[g * columns + s] = taken <= skipped ? 1 : 0;
    }
    previous = value;
  }
  for (let g = games, s = spare; g > 0; ) {
    if (takesWindow[g * columns + s] === 1) {
      g--;
      starts[g] = g * size + s;
    } else s--;
  }
  return starts;
}

/** The players in no window, ascending. */
function leftOut(order: Uint32Array, starts: Int32Array, size: number): number[] {
  const left: number[] = [];
  let at = 0;
  for (const start of starts) {
    while (at < start) left.push(order[at++]);
    at += size;
  }
  while (at < order.length) left.push(order[at++]);
  return left.sort((a, b) => a - b);
}

/** The value of one game, and of all. */
interface Value {
  ofGame(group: number): number;
  ofAll(): number;
}

function worstOf(groups: Groups): Value {
  const ofGame = (group: number) => groups.imbalances[group];
  return { ofGame, ofAll: () => greatestOf(groups.imbalances) };
}

function greatestOf(values: Float64Array): number {
  let greatest = 0;
  for (let i = 0; i < values.length; i++) greatest = Math.max(greatest, values[i]);
  return greatest;
}

function sumOf(groups: Groups): Value {
  const ofGame = (group: number) => groups.imbalances[group];
  return { ofGame, ofAll: () => groups.imbalances.reduce((sum, f) => sum + f, 0) };
}

/** Unhappiness needs the best game that each player could have had: a query of the game queue each. */
function unhappinessOf(groups: Groups, sorted: Float64Array, order: Uint32Array, rules: GameRules): Value {
  const queue = new SoloQueue(rules);
  queue.load(sorted);
  const best = new Float64Array(sorted.length);
  for (let i = 0; i < sorted.length; i++) best[order[i]] = queue.bestWith(i)?.imbalance ?? 0;
  const ofGame = (group: number) => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < groups.size; i++)
      least = Math.min(least, best[groups.players[group * groups.size + i]]);
    const f = groups.imbalances[group];
    return f === 0 ? 1 : Math.max(1, f / least);
  };
  return {
    ofGame,
    ofAll: () => groups.imbalances.reduce((worst, _, group) => Math.max(worst, ofGame(group)), 0),
  };
}

/**
 * Exchanges players between the worst game and its neighbours as long as both become better than the worst was.
 * `budget` counts the games tried out.
 */
function swapForWorst(groups: Groups, gameValue: (group: number) => number, budget: number): void {
  const games = groups.imbalances.length;
  if (games < 2 || budget <= 0) return;
  // The worst on top: keys are negated values.
  const keys = new Float64Array(games);
  const heap = new KeyHeap();
  const place = (group: number) => {
    keys[group] = -gameValue(group);
    heap.push(keys[group], group);
  };
  for (let g = 0; g < games; g++) place(g);
  let left = budget;
  while (left > 0) {
    while (keys[heap.topId] !== heap.topKey) heap.pop();
    const worst = heap.topId;
    let improved = false;
    for (let distance = 1; distance <= neighbours && !improved && left > 0; distance++) {
      for (const other of [worst - distance, worst + distance]) {
        if (other < 0 || other >= games || improved) continue;
        const before = Math.max(gameValue(worst), gameValue(other));
        left -= 2 * groups.size ** 2;
        improved = bestSwap(groups, worst, other, () => Math.max(gameValue(worst), gameValue(other)), before);
        if (!improved) continue;
        place(worst);
        place(other);
      }
    }
    if (!improved) return;
  }
}

/** Exchanges players between neighbouring games as long as the sum of the two falls, game after game. */
function swapForSum(groups: Groups, budget: number): void {
  let left = budget;
  for (let improved = true; improved && left > 0; ) {
    improved = false;
    for (let g = 0; g + 1 < groups.imbalances.length && left > 0; g++) {
      const sum = () => groups.imbalances[g] + groups.imbalances[g + 1];
      left -= 2 * groups.size ** 2;
      if (bestSwap(groups, g, g + 1, sum, sum())) improved = true;
    }
  }
}

/** How many games to each side the worst game looks for a partner. */
const neighbours = 4;

/** Makes the exchange of one player each that lowers the value most below `before`; whether there was one. */
function bestSwap(groups: Groups, a: number, b: number, value: () => number, before: number): boolean {
  let best = before - 1e-12 * Math.abs(before);
  let swap: [number, number] | undefined;
  const fromA = a * groups.size;
  const fromB = b * groups.size;
  for (let i = fromA; i < fromA + groups.size; i++) {
    for (let j = fromB; j < fromB + groups.size; j++) {
      if (groups.skills[i] === groups.skills[j]) continue;
      groups.swap(i, j);
      groups.update(a);
      groups.update(b);
      const now = value();
      if (now < best) {
        best = now;
        swap = [i, j];
      }
      groups.swap(i, j);
    }
  }
  if (swap) groups.swap(...swap);
  groups.update(a);
  groups.update(b);
  return swap !== undefined;
}

/** The games in the making: who is in each, and what its best halving is worth. */
class Groups {
  readonly size: number;
  readonly players: Int32Array;
  readonly skills: Float64Array;
  readonly imbalances: Float64Array;
  /** The seats of team 0. */
  readonly #firstSize: number;
  readonly #divisions: Uint16Array;
  readonly #alpha: number;
  readonly #sign: number;
  readonly #divider: SoloDivider;
  readonly #values: Float64Array;

  constructor(rules: GameRules, sorted: Float64Array, order: Uint32Array, starts: Int32Array) {
    const { seats, teamSizes } = shapeOf(rules);
    this.size = seats;
    this.#firstSize = teamSizes[0];
    this.players = new Int32Array(starts.length * this.size);
    this.skills = new Float64Array(this.players.length);
    this.imbalances = new Float64Array(starts.length);
    this.#divisions = new Uint16Array(starts.length);
    this.#alpha = rules.alpha;
    this.#sign = rules.p === Number.POSITIVE_INFINITY ? -1 : 1;
    this.#divider = new SoloDivider(rules);
    this.#values = new Float64Array(this.size);
    for (let g = 0; g < starts.length; g++) {
      for (let i = 0; i < this.size; i++) {
        this.players[g * this.size + i] = order[starts[g] + i];
        this.skills[g * this.size + i] = sorted[starts[g] + i];
      }
      this.update(g);
    }
  }

  /** Exchanges two players, by their places. The games' numbers are right again after `update`. */
  swap(a: number, b: number): void {
    const player = this.players[a];
    const skill = this.skills[a];
    this.players[a] = this.players[b];
    this.skills[a] = this.skills[b];
    this.players[b] = player;
    this.skills[b] = skill;
  }

  /** Halves a game anew. */
  update(group: number): void {
    const from = group * this.size;
    const origin = this.skills[from];
    for (let i = 0; i < this.size; i++) this.#values[i] = this.#sign * (this.skills[from + i] - origin);
    const d = this.#divider.divide(this.#values, this.#sign * origin);
    this.#divisions[group] = this.#divider.division;
    this.imbalances[group] = this.#alpha * d + this.#divider.skillSpread(this.#values);
  }

  /** The players game by game, in each the first team first. */
  seated(): Int32Array {
    const seated = new Int32Array(this.players.length);
    for (let g = 0; g < this.imbalances.length; g++) {
      let first = g * this.size;
      let second = first + this.#firstSize;
      for (let i = 0; i < this.size; i++) {
        const place = teamOf(this.#divisions[g], i) === 0 ? first++ : second++;
        seated[place] = this.players[g * this.size + i];
      }
    }
    return seated;
  }
}
