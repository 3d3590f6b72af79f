import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../lib/engine/types.ts';
import { estimatesOf, remember, type TickMemory } from '../../lib/policies/memory.ts';
import { seededRandom } from '../../lib/simulation/random.ts';

const EXPECTED_RATE = 0.1;

/** The memory after arrivals at this rate, with one tick per `everySeconds`. */
function watch(
  rate: number,
  { from = 0, seconds = 600, everySeconds = 1, memory = undefined as TickMemory | undefined, seed = 1 } = {},
): TickMemory {
  const random = seededRandom(seed);
  let came = from + random.exponential(rate);
  let number = 0;
  let after = memory;
  for (let now = from + everySeconds; now <= from + seconds; now += everySeconds) {
    const tickets: Ticket[] = [];
    for (; came <= now; came += random.exponential(rate)) {
      const player = { playerId: `p${number}`, skill: random.normal(1500, 350) };
      tickets.push({ ticketId: `t${number++}`, enqueuedAtMs: 1000 * came, players: [player] });
    }
    after = remember(after, tickets, 1000 * now);
  }
  return after!;
}

const rateOf = (memory: TickMemory) => estimatesOf(memory, EXPECTED_RATE).arrivalRate;

describe('the rate of arrivals', () => {
  it.each([0.2, 1, 5, 50])('is found when %d players a second come', (rate) => {
    const found = [1, 2, 3, 4].map((seed) => rateOf(watch(rate, { seed })) / rate);
    expect(found.reduce((sum, ratio) => sum + ratio) / 4).toBeGreaterThan(0.75);
    expect(found.reduce((sum, ratio) => sum + ratio) / 4).toBeLessThan(1.25);
  });

  it('is estimated correctly when ticks are late or skipped', () => {
    const sparse = rateOf(watch(5, { everySeconds: 17 }));
    expect(sparse).toBeGreaterThan(3.5);
    expect(sparse).toBeLessThan(6.5);
  });

  it('falls while no player arrives', () => {
    const memory = watch(5);
    const quiet = remember(memory, [], memory.tickedAtMs + 20_000);
    expect(rateOf(memory)).toBeGreaterThan(2);
    expect(rateOf(quiet)).toBeLessThanOrEqual(0.1);
  });

  it('recovers quickly after a night without ticks', () => {
    const evening = watch(5);
    const morning = watch(5, { memory: evening, from: 600 + 8 * 3600, seconds: 300, seed: 2 });
    expect(rateOf(morning)).toBeGreaterThan(2.5);
    expect(rateOf(morning)).toBeLessThan(7);
  });

  it('equals the expected rate before the first arrival', () => {
    expect(rateOf(remember(undefined, [], 1000))).toBeCloseTo(EXPECTED_RATE);
  });
});

it('the memory stays below 2 KB', () => {
  expect(JSON.stringify(watch(50)).length).toBeLessThan(2000);
});

it('a memory of another version, written by another release, is discarded', () => {
  const other = { version: 1, tickedAtMs: 5000, newestSeenMs: 5000, players: 7 } as unknown as TickMemory;
  const ticket = { ticketId: 't', enqueuedAtMs: 6000, players: [{ playerId: 'p', skill: 1500 }] };
  expect(remember(other, [ticket], 7000)).toEqual(remember(undefined, [ticket], 7000));
});
