import { beforeEach, describe, expect, it } from 'vitest';
import { learn, NEW_SLOPE } from '../../../lib/ratings/odds-slope.ts';
import type { StoredOdds } from '../../../lib/service/domain/stored-rating.ts';
import type { RatingStore } from '../../../lib/service/ports/rating-store.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { OddsLearner, type RatedMatch } from '../../../lib/service/ratings/odds-learner.ts';

const WON: RatedMatch = { raw: [0.8, 0.2], expected: undefined, shares: [1, 0] };

describe('what is learnt of the odds of a ladder', () => {
  let stored: StoredOdds | undefined;
  let writes: number;
  /** What happens just before a write. */
  let meanwhile: () => void;
  let pausesMs: number[];
  const store: Pick<RatingStore, 'odds' | 'learn'> = {
    odds: async () => stored,
    learn: async (_, read, learnt) => {
      meanwhile();
      if (read?.writeId !== stored?.writeId) return false;
      stored = { ...learnt, writeId: `write-${++writes}` };
      return true;
    },
  };
  const learner = () =>
    new OddsLearner(store, {
      now: () => 0,
      sleep: async (ms) => {
        pausesMs.push(ms);
      },
    });
  beforeEach(() => {
    stored = undefined;
    writes = 0;
    meanwhile = () => {};
    pausesMs = [];
  });
  /** Another instance that learns from one more result. */
  const other = () => {
    const { slope, information, sums } = stored!;
    stored = {
      ...learn({ slope, information }, WON.raw, WON.shares),
      sums: { ...sums, results: sums.results + 1 },
      writeId: `other-${++writes}`,
    };
  };

  it('is the same as of a replay, result by result', async () => {
    const one = learner();
    let slope = NEW_SLOPE;
    for (let results = 1; results <= 5; results++) {
      await one.learn('l', WON);
      slope = learn(slope, WON.raw, WON.shares);
      expect(stored).toMatchObject({ ...slope, sums: { results } });
    }
  });

  it('is written together for results that come during a write', async () => {
    const one = learner();
    await Promise.all(Array.from({ length: 20 }, () => one.learn('l', WON)));
    expect(stored!.sums.results).toBe(20);
    expect(writes).toBeLessThan(5);
  });

  it('counts every result once when another instance learns too', async () => {
    const one = learner();
    await one.learn('l', WON);
    let times = 5;
    meanwhile = () => {
      if (times-- > 0) other();
    };
    await one.learn('l', WON);
    expect(stored!.sums.results).toBe(7);
    expect(pausesMs).toHaveLength(5);
  });

  it('skips a result that keeps losing, and continues with the next', async () => {
    const one = learner();
    await one.learn('l', WON);
    meanwhile = other;
    await one.learn('l', WON);
    const others = pausesMs.length;
    expect(stored!.sums.results).toBe(1 + others);
    meanwhile = () => {};
    await one.learn('l', WON);
    expect(stored!.sums.results).toBe(2 + others);
  });

  it('is learnt from the next result after the store was busy', async () => {
    const one = learner();
    meanwhile = () => {
      throw new StoreBusy('busy');
    };
    await expect(one.learn('l', WON)).rejects.toThrow(StoreBusy);
    meanwhile = () => {};
    await one.learn('l', WON);
    expect(stored!.sums.results).toBe(1);
  });
});
