import { describe, expect, it } from 'vitest';
import { admit, cachedReceivers } from '../../../lib/service/events/receivers.ts';
import { memoryReceivers } from './memory-receivers.ts';

const url = 'https://game.example/';

/** Two execution environments on the same records, with a clock and the number of reads. */
function environments() {
  let nowMs = 0;
  let reads = 0;
  let isBroken = false;
  const records = memoryReceivers();
  const store = {
    ...records,
    get: async (one: string) => {
      reads += 1;
      if (isBroken) throw new Error('the store does not respond');
      return records.get(one);
    },
  };
  const environment = () => cachedReceivers(store, () => nowMs);
  return {
    one: environment(),
    other: environment(),
    passTime: (ms: number) => {
      nowMs += ms;
    },
    breakStore: (broken: boolean) => {
      isBroken = broken;
    },
    reads: () => reads,
  };
}

describe('recent receivers', () => {
  it('are read once a second for any number of concurrent deliveries', async () => {
    const { one, passTime, reads } = environments();
    await Promise.all(Array.from({ length: 10 }, () => one.get(url)));
    passTime(999);
    await one.get(url);
    expect(reads()).toBe(1);
    passTime(1);
    await one.get(url);
    expect(reads()).toBe(2);
  });

  it('include changes of the same environment immediately, and those of others within a second', async () => {
    const { one, other, passTime } = environments();
    expect(await one.get(url)).toBeUndefined();
    expect(await other.get(url)).toBeUndefined();
    await one.addFailure(url, 0);
    expect(await one.get(url)).toEqual({ failures: 1 });
    expect(await other.get(url)).toBeUndefined();
    passTime(1_000);
    expect(await other.get(url)).toEqual({ failures: 1 });
    expect(await other.markDown(url, 0, 9)).toBe(true);
    expect(await other.get(url)).toEqual({ failures: 1, downUntilMs: 9 });
    await other.markUp(url, 7, 7);
    expect(await other.get(url)).toEqual({ failures: 0, fastAtMs: 7 });
  });

  it('do not remember a read that failed', async () => {
    const { one, breakStore } = environments();
    breakStore(true);
    await expect(one.get(url)).rejects.toThrow('does not respond');
    breakStore(false);
    expect(await one.get(url)).toBeUndefined();
  });
});

it('a receiver that was down for long is asked again ten seconds after a crash while it was asked', async () => {
  const receivers = memoryReceivers();
  for (let failures = 0; failures < 100; failures++) await receivers.addFailure(url, 0);
  await receivers.markDown(url, 0, 60_000);
  const asked = async (nowMs: number) => (await admit(receivers, url, 'slow', nowMs)).outcome;
  expect(await asked(60_000)).toBe('post');
  expect(await asked(69_999)).toBe('down');
  expect(await asked(70_000)).toBe('post');
});
