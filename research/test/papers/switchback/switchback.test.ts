import { seededRandom } from 'muster/simulation';
import { describe, expect, it } from 'vitest';
import { type BlockMean, differenceInMeans } from '../../../lib/papers/switchback/estimators.ts';
import { reproduceSwitchback } from '../../../lib/papers/switchback/switchback.ts';

describe('switchback experiments', () => {
  it('the jackknife of a difference of means is the classical standard error, but for n − 1 of n', () => {
    const random = seededRandom(3);
    const blocks: BlockMean[] = Array.from({ length: 40 }, (_, at) => ({
      treated: at % 2 === 0,
      mean: random.normal(at % 2 === 0 ? 5 : 3, 1),
    }));
    const squares = (treated: boolean) => {
      const values = blocks.filter((block) => block.treated === treated).map(({ mean }) => mean);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return (
        values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1) / values.length
      );
    };
    const { effect, variance } = differenceInMeans(blocks);
    expect(effect).toBeCloseTo(2, 0);
    // Leaving out one of n values of a mean moves it by its deviation over n − 1.
    expect(variance).toBeCloseTo((39 / 40) * (20 / 19) * (squares(true) + squares(false)), 10);
  });

  it('reproduces the table, with few runs', () => {
    const { sections, verdict } = reproduceSwitchback({ players: 40_000, seed: 5 });
    const failed = sections.flatMap(({ findings }) => findings.filter((one) => one.verdict === 'fails'));
    expect(failed).toEqual([]);
    expect(verdict).toBe('holds');
    expect(sections.map(({ findings }) => findings.length)).toEqual([13]);
  });
});
