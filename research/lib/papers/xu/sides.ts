import type { RandomSource } from 'muster/simulation';
import { type Choice, type ChoiceRates, ChoiceTimes, type ChoiceWaits, choiceArrivals } from './choices.ts';

/** (12): with sides to choose, the wait is bounded exactly when λ_C > |λ_A − λ_B|. */
export function sidesAreStable({ a, b, c }: ChoiceRates): boolean {
  return c > Math.abs(a - b);
}

/** (13) to (15), and their average as in (34). Infinity where the queue is not stable. */
export function sidesWaits(rates: ChoiceRates): ChoiceWaits {
  if (!sidesAreStable(rates)) {
    const never = Number.POSITIVE_INFINITY;
    return { a: never, b: never, c: never, all: never };
  }
  const { a, b, c } = rates;
  const total = a + b + c;
  const empty = 1 / (a / (b + c - a) + b / (a + c - b) + c / total + 1);
  const waits = {
    a: ((b + c) * empty) / (b + c - a) ** 2,
    b: ((a + c) * empty) / (a + c - b) ** 2,
    c: empty / total,
  };
  return { ...waits, all: (a * waits.a + b * waits.b + c * waits.c) / total };
}

/** (16) as printed: E[T] over all players in one expression. */
export function printedSidesWait({ a, b, c }: ChoiceRates): number {
  return (
    1 / (2 * (a + c - b)) +
    1 / (2 * (b + c - a)) +
    1 / (a + b + c) -
    1 / (2 * c) -
    (a + b + 2 * c) / (2 * (2 * a * b + a * c + b * c + c ** 2))
  );
}

/** (17): E[T_C]/E[T_B] = (λ − 2λ_B)²/(λ(λ − λ_B)), λ the total. */
export function sidesImprovement({ a, b, c }: ChoiceRates): number {
  const total = a + b + c;
  return (total - 2 * b) ** 2 / (total * (total - b));
}

/** (18): the derivative of (17) by λ_B at λ = 1. */
export function sidesImprovementSlope(b: number): number {
  return 1 / (1 - b) ** 2 - 4;
}

/**
 * The average number of waiting players after this many arrivals, from an empty queue: the chain of figure 8,
 * stepped from arrival to arrival. It also works in the unstable region, where the number grows without bound.
 */
export function expectedPile({ a, b, c }: ChoiceRates, players: number): number {
  const total = a + b + c;
  const drift = Math.abs(a - b) > c ? players : 0;
  // Beyond ten standard deviations of a random walk the probability is negligible.
  const reach = Math.min(players, Math.ceil(drift + 10 * Math.sqrt(players)));
  // At reach + i: i players of A wait, −i of B; one choice-free player is kept apart.
  let chance = new Float64Array(2 * reach + 1);
  chance[reach] = 1;
  let free = 0;
  for (let count = 0; count < players; count++) {
    const next = new Float64Array(2 * reach + 1);
    const nextFree = (chance[reach] * c) / total;
    next[reach] += free;
    for (let at = Math.max(0, reach - count); at <= Math.min(2 * reach, reach + count); at++) {
      const up = at < reach ? a + c : a;
      const down = at > reach ? b + c : b;
      next[Math.min(2 * reach, at + 1)] += (chance[at] * up) / total;
      next[Math.max(0, at - 1)] += (chance[at] * down) / total;
    }
    chance = next;
    free = nextFree;
  }
  return chance.reduce((sum, probability, at) => sum + probability * Math.abs(at - reach), free);
}

/** Waits in a 1v1 with two sides, in order of arrival (section IV-B). */
export function simulateSides(
  rates: ChoiceRates,
  players: number,
  random: RandomSource,
): { waits: ChoiceTimes; waiting: number } {
  const waits = new ChoiceTimes(rates, players);
  // Only players of one kind ever wait, and they are in order of arrival from `first` on.
  const since: number[] = [];
  let first = 0;
  let waited: Choice = 'c';
  for (const { kind, now } of choiceArrivals(rates, players, random)) {
    if (first === since.length) waited = kind;
    if (first === since.length || (kind === waited && waited !== 'c')) {
      since.push(now);
      continue;
    }
    waits.addGame(waited, now - since[first++], kind);
    if (first === since.length) {
      since.length = 0;
      first = 0;
    }
  }
  return { waits, waiting: since.length - first };
}
