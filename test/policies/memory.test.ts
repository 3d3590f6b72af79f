import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../lib/engine/types.ts';
import { choicesOf } from '../../lib/policies/choices/choices.ts';
import { estimatesOf, remember, type TickMemory } from '../../lib/policies/memory.ts';
import { seededRandom } from '../../lib/simulation/random.ts';

const EXPECTED_RATE = 0.1;

/** The memory after arrivals at this rate, with one tick per `everySeconds`. */
function watch(
  rate: number,
  { from = 0, seconds = 600, everySeconds = 1, memory = undefined as TickMemory | undefined, seed = 1 } = {},
): TickMemory {
  const tickets = arrivals(rate, seconds, { from, seed });
  let at = 0;
  let after = memory;
  for (let now = from + everySeconds; now <= from + seconds; now += everySeconds) {
    const first = at;
    while (at < tickets.length && tickets[at]!.enqueuedAtMs <= 1000 * now) at++;
    after = remember(after, tickets.slice(first, at), 1000 * now);
  }
  return after!;
}

/** Tickets of single players that arrive at this rate, in order. */
function arrivals(rate: number, seconds: number, { from = 0, seed = 1 } = {}): Ticket[] {
  const random = seededRandom(seed);
  const tickets: Ticket[] = [];
  for (let at = from + random.exponential(rate); at <= from + seconds; at += random.exponential(rate)) {
    const player = { playerId: `p${tickets.length}`, skill: random.normal(1500, 350) };
    tickets.push({ ticketId: `t${tickets.length}`, enqueuedAtMs: 1000 * at, players: [player] });
  }
  return tickets;
}

it('the choices of a thousand of many newcomers are looked at', () => {
  const looked = new Set<number>();
  const tickets = Array.from({ length: 5000 }, (_, i) => {
    const player = { playerId: `p${i}`, skill: 1500 };
    const roles = () => {
      looked.add(i);
      return ['healer'];
    };
    Object.defineProperty(player, 'roles', { get: roles });
    return { ticketId: `t${i}`, enqueuedAtMs: 1000, players: [player] };
  });
  const choices = choicesOf({ roles: { healer: 1, damage: 4 } });
  const memory = remember(undefined, tickets, 2000, undefined, choices);
  expect(memory.choices?.[0]?.counts).toEqual([{ accepts: ['healer'], players: 5000 }]);
  expect(looked.size).toBe(1000);
});

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

  it('does not fall in the silences that a steady rate has', () => {
    const memory = watch(5);
    const silentMs = (arrivals: number) =>
      memory.newestSeenMs + 1000 * (arrivals / rateOf(memory)) - memory.tickedAtMs;
    const rateAfter = (arrivals: number) =>
      rateOf({ ...memory, tickedAtMs: memory.tickedAtMs + silentMs(arrivals) });
    expect(rateAfter(3)).toBe(rateAfter(0));
    expect(rateAfter(6)).toBeLessThan(0.5 * rateAfter(0));
  });

  it('is not capped by the time that storing and reading a ticket takes', () => {
    const memory = watch(300);
    const read = remember(memory, [], memory.newestSeenMs + 40);
    expect(rateOf(read)).toBeGreaterThan(250);
  });

  it('is the same when another tick removes tickets in between', () => {
    const all = watch(20, { seconds: 120 });
    let memory: TickMemory | undefined;
    const tickets = arrivals(20, 120);
    for (let second = 2; second <= 120; second += 2) {
      const nowMs = 1_000 * second;
      const left = tickets.filter(
        ({ enqueuedAtMs }) => enqueuedAtMs > nowMs - 1_000 && enqueuedAtMs <= nowMs,
      );
      memory = remember(memory, left, nowMs, { sinceMs: nowMs - 1_000, share: 1 });
    }
    expect(rateOf(memory!) / rateOf(all)).toBeGreaterThan(0.85);
    expect(rateOf(memory!) / rateOf(all)).toBeLessThan(1.15);
  });

  it('estimates the whole bucket from a part of it', () => {
    let memory: TickMemory | undefined;
    const tickets = arrivals(20, 120);
    for (let second = 1; second <= 120; second++) {
      const nowMs = 1_000 * second;
      // Every other ticket is in the part that is read.
      const part = tickets.filter(
        ({ enqueuedAtMs }, i) =>
          i % 2 === second % 2 && enqueuedAtMs <= nowMs && enqueuedAtMs > nowMs - 5_000,
      );
      memory = remember(memory, part, nowMs, { sinceMs: nowMs - 1_000, share: 0.5 });
    }
    expect(rateOf(memory!)).toBeGreaterThan(16);
    expect(rateOf(memory!)).toBeLessThan(24);
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

it('a memory of another version is discarded', () => {
  const other = { version: 1, tickedAtMs: 5000, newestSeenMs: 5000, players: 7 } as unknown as TickMemory;
  const ticket = { ticketId: 't', enqueuedAtMs: 6000, players: [{ playerId: 'p', skill: 1500 }] };
  expect(remember(other, [ticket], 7000)).toEqual(remember(undefined, [ticket], 7000));
});
