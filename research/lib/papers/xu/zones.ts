import type { RandomSource } from 'muster/simulation';
import { type Choice, type ChoiceRates, ChoiceTimes, type ChoiceWaits, choiceArrivals } from './choices.ts';

/** (19) to (22): players for zone A, for zone B, and for both. At most one player waits in a zone. */
export function zonesWaits({ a, b, c }: ChoiceRates): ChoiceWaits {
  const total = a + b + c;
  // (35) to (39) sum to 1.
  const empty =
    1 /
    (1 + a / (a + c) + b / (b + c) + (a * b) / ((a + c) * total) + (a * b) / ((b + c) * total) + c / total);
  const common = empty / ((a + c) * (b + c) * total);
  const waits = {
    a: (2 * a * b + a * c + 2 * b ** 2 + 4 * b * c + c ** 2) * common,
    b: (2 * a * b + b * c + 2 * a ** 2 + 4 * a * c + c ** 2) * common,
    c: empty / total,
  };
  return { ...waits, all: (a * waits.a + b * waits.b + c * waits.c) / total };
}

/** (23): E[T_C]/E[T_B]. */
export function zonesImprovement({ a, b, c }: ChoiceRates): number {
  return ((a + c) * (b + c)) / (2 * a ** 2 + 2 * a * b + 4 * a * c + b * c + c ** 2);
}

/** (24): (23) when λ_A = λ_B. */
export function zonesImprovementBalanced(b: number, c: number): number {
  return (b + c) / (4 * b + c);
}

/** (25): (23) for the first choice-free player, at λ = 1. */
export function zonesImprovementOfFirst(a: number): number {
  return 0.5 * (1 - a);
}

/** Waits in two zones of 1v1; a choice-free player plays with the one who arrived first (section V-A). */
export function simulateZones(rates: ChoiceRates, players: number, random: RandomSource): ChoiceTimes {
  const waits = new ChoiceTimes(rates, players);
  const waiting: { kind: Choice; since: number }[] = [];
  for (const { kind, now } of choiceArrivals(rates, players, random)) {
    const found = waiting.findIndex((other) => other.kind === kind || other.kind === 'c' || kind === 'c');
    if (found === -1) {
      waiting.push({ kind, since: now });
      continue;
    }
    const [partner] = waiting.splice(found, 1);
    waits.addGame(partner.kind, now - partner.since, kind);
  }
  return waits;
}
