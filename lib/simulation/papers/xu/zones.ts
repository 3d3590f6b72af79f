import type { RandomSource } from '../../random.ts';
import type { ChoiceRates, ChoiceWaits } from './sides.ts';
import { WaitingTimes } from './waiting.ts';

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

/** Waits in two zones of 1v1; a choice-free player meets who came first (section V-A). */
export function simulateZones(
  { a, b, c }: ChoiceRates,
  players: number,
  random: RandomSource,
): Record<'a' | 'b' | 'c' | 'all', WaitingTimes> {
  const total = a + b + c;
  const waits = {
    a: new WaitingTimes((players * a) / total),
    b: new WaitingTimes((players * b) / total),
    c: new WaitingTimes((players * c) / total),
    all: new WaitingTimes(players),
  };
  const waiting: { kind: 'a' | 'b' | 'c'; since: number }[] = [];
  let now = 0;
  for (let count = 0; count < players; count++) {
    now += random.exponential(total);
    const draw = random.uniform() * total;
    const newcomer = draw < a ? 'a' : draw < a + b ? 'b' : 'c';
    const found = waiting.findIndex(({ kind }) => kind === newcomer || kind === 'c' || newcomer === 'c');
    if (found === -1) {
      waiting.push({ kind: newcomer, since: now });
      continue;
    }
    const [partner] = waiting.splice(found, 1);
    const wait = now - partner.since;
    waits[partner.kind].add(wait);
    waits.all.add(wait);
    waits[newcomer].add(0);
    waits.all.add(0);
  }
  return waits;
}
