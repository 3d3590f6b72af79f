import { describe, expect, it } from 'vitest';
import { block, blockAt, blocksOf, countedIn, endMs, type Schedule } from '../../lib/experiments/schedule.ts';

const schedule: Schedule = {
  seed: 12,
  startMs: 1_000_000,
  blockMs: 1200_000,
  burnInMs: 300_000,
  variants: 2,
  rounds: 252,
};

describe('a schedule', () => {
  it('gives every variant one block of every round', () => {
    for (const variants of [2, 3, 4]) {
      const of = { ...schedule, variants };
      for (let round = 0; round < of.rounds; round++) {
        const blocks = Array.from({ length: variants }, (_, at) => block(of, round * variants + at));
        expect(blocks.map((one) => one.variant).sort()).toEqual([0, 1, 2, 3].slice(0, variants));
        expect(new Set(blocks.map((one) => one.round))).toEqual(new Set([round]));
      }
    }
  });

  it('draws every order of a round equally often, whatever the last one was', () => {
    const orders = new Map<string, number>();
    for (let seed = 0; seed < 300; seed++) {
      for (let round = 0; round < 20; round++) {
        const first = block({ ...schedule, seed, variants: 3 }, 3 * round).variant;
        const second = block({ ...schedule, seed, variants: 3 }, 3 * round + 1).variant;
        const next = block({ ...schedule, seed, variants: 3 }, 3 * round + 3).variant;
        const key = `${first}${second} ${next}`;
        orders.set(key, (orders.get(key) ?? 0) + 1);
      }
    }
    // 18 kinds of 6,000 draws: 333 each, with a standard error of 18.
    expect(orders.size).toBe(18);
    for (const count of orders.values()) expect(Math.abs(count - 333)).toBeLessThan(80);
  });

  it('covers the time without gaps, and none before and after it', () => {
    expect(blockAt(schedule, schedule.startMs - 1)).toBeUndefined();
    expect(blockAt(schedule, schedule.startMs)).toMatchObject({ number: 0, round: 0 });
    expect(blockAt(schedule, schedule.startMs + schedule.blockMs - 1)).toMatchObject({ number: 0 });
    expect(blockAt(schedule, schedule.startMs + schedule.blockMs)).toMatchObject({ number: 1 });
    expect(blockAt(schedule, endMs(schedule) - 1)).toMatchObject({ number: blocksOf(schedule) - 1 });
    expect(blockAt(schedule, endMs(schedule))).toBeUndefined();
  });

  it('counts tickets that are enqueued away from both ends of a block', () => {
    const { fromMs, untilMs } = block(schedule, 5);
    expect(countedIn(schedule, untilMs - schedule.burnInMs)).toMatchObject({ number: 5 });
    expect(countedIn(schedule, untilMs - schedule.burnInMs + 1)).toBeUndefined();
    expect(countedIn(schedule, fromMs)).toBeUndefined();
    expect(countedIn(schedule, fromMs + schedule.burnInMs - 1)).toBeUndefined();
    expect(countedIn(schedule, fromMs + schedule.burnInMs)).toMatchObject({ number: 5 });
    expect(countedIn({ ...schedule, burnInMs: 0 }, fromMs)).toMatchObject({ number: 5 });
  });

  it('gives each hour of the day to each variant equally often', () => {
    const minutes = Array.from({ length: 24 }, () => [0, 0]);
    for (let number = 0; number < blocksOf(schedule); number++)
      minutes[Math.floor(number / 3) % 24][block(schedule, number).variant] += 20;
    // Seven days: 420 minutes for each hour, of which a variant has 210, and at most 7 half rounds more or less.
    for (const [control, variant] of minutes) {
      expect(control + variant).toBe(420);
      expect(Math.abs(control - variant)).toBeLessThanOrEqual(7 * 20);
    }
  });
});
