import type { Ticket } from 'muster/engine';
import { type RandomSource, simulate } from 'muster/simulation';
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

/**
 * The waits when a choice-free player who finds a player in each zone plays with either, by chance. The states are those of
 * (35) to (39), where AB and BA are one.
 */
export function zonesWaitsByChance({ a, b, c }: ChoiceRates): ChoiceWaits {
  const total = a + b + c;
  // Stationary probabilities, relative to that of the empty state.
  const both = (2 * a * b) / (c ** 2 + 2 * a * b + (3 / 2) * c * (a + b));
  const inA = (a + (b + c / 2) * both) / total;
  const inB = (b + (a + c / 2) * both) / total;
  const empty = 1 / (1 + inA + inB + both + c / total);
  // Little's law.
  const waits = { a: ((inA + both) / a) * empty, b: ((inB + both) / b) * empty, c: empty / total };
  return { ...waits, all: (a * waits.a + b * waits.b + c * waits.c) / total };
}

/**
 * The same in two queues of Muster's simulator, where the ticket of a choice-free player waits in both. The queues are searched
 * once after each arrival: the simulator's clock counts arrivals, and their times are kept beside it.
 */
export function simulateLinkedZones(rates: ChoiceRates, players: number, random: RandomSource): ChoiceTimes {
  const waits = new ChoiceTimes(rates, players);
  const times: number[] = [];
  const zone = {
    rules: {
      teamSize: 1,
      imbalance: { alpha: 1, p: 1, q: 2 },
      release: { policy: 'fifo' as const },
      tickSeconds: 1,
      timeoutSeconds: players,
    },
    observers: [
      {
        matched(_: unknown, tickets: readonly Ticket[], nowMs: number) {
          for (const { ticketId, enqueuedAtMs } of tickets) {
            const wait = times[nowMs / 1000]! - times[enqueuedAtMs / 1000]!;
            waits[ticketId[0] as Choice].add(wait);
            waits.all.add(wait);
          }
        },
        joined() {},
        timedOut() {},
        cancelled() {},
        ticked() {},
      },
    ],
  };
  function* arrivals() {
    for (const { kind, now } of choiceArrivals(rates, players, random)) {
      const ticketId = `${kind}${times.length}`;
      const ticket = {
        ticketId,
        enqueuedAtMs: 1000 * times.length,
        players: [{ playerId: ticketId, skill: 0 }],
      };
      times.push(now);
      const inQueues = [kind === 'b' ? undefined : ticket, kind === 'a' ? undefined : ticket];
      yield { ticket, patienceMs: Number.POSITIVE_INFINITY, inQueues };
    }
  }
  for (const _ of simulate({ ...zone, also: [zone], arrivals: arrivals(), atEnd: 'stop' }));
  return waits;
}
