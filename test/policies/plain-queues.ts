import type { Ticket } from '../../lib/engine/types.ts';
import { planTick, type QueueRules, type TickMemory } from '../../lib/policies/plan.ts';
import { poissonArrivals } from '../../lib/simulation/arrivals.ts';
import { seededRandom } from '../../lib/simulation/random.ts';

/** The time of the ticks of these tests. */
export const NOW_MS = 600_000;

/** A queue of two teams without roles and parties, with a tick a second. */
export function queue(teamSize: number, release: QueueRules['release'], timeoutSeconds = 300): QueueRules {
  return { teamSize, imbalance: { alpha: 1, p: 1, q: 2 }, release, tickSeconds: 1, timeoutSeconds };
}

/** A ticket of one player. */
export function solo(ticketId: string, skill: number, enqueuedAtMs: number): Ticket {
  return { ticketId, enqueuedAtMs, players: [{ playerId: `player of ${ticketId}`, skill }] };
}

/** The memory of a bucket in which `rate` normally distributed players per second have arrived for ten minutes. */
export function memoryOf(rate: number): TickMemory {
  const tickets = Array.from(
    poissonArrivals(
      {
        population: { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } },
        rate: { kind: 'constant', perSecond: rate },
        players: 600 * rate,
      },
      seededRandom(7),
    ),
    ({ ticket }) => ticket,
  );
  return planTick({
    rules: queue(1, { policy: 'greedy' }),
    tickets: [...tickets].slice(-600),
    nowMs: NOW_MS - 1000,
  }).memory;
}
