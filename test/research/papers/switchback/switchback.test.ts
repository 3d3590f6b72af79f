import { describe, expect, it } from 'vitest';
import {
  type BlockMeans,
  biasCorrected,
  differenceInMeans,
} from '../../../../lib/research/papers/switchback/estimators.ts';
import {
  bestDesigns,
  optimalPoints,
  worstRisk,
} from '../../../../lib/research/papers/switchback/minimax-design.ts';
import { reproduceSwitchback } from '../../../../lib/research/papers/switchback/switchback.ts';
import { seededRandom } from '../../../../lib/simulation/random.ts';

describe('switchback experiments', () => {
  it('the jackknife of a difference of means is the classical standard error, but for n − 1 of n', () => {
    const random = seededRandom(3);
    const blocks: BlockMeans[] = Array.from({ length: 40 }, (_, at) => ({
      treated: at % 2 === 0,
      burnIn: Number.NaN,
      rest: random.normal(at % 2 === 0 ? 5 : 3, 1),
    }));
    const squares = (treated: boolean) => {
      const values = blocks.filter((block) => block.treated === treated).map(({ rest }) => rest);
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

  it('the bias-corrected estimator uses a burn-in only after a block that was treated alike', () => {
    const blocks: BlockMeans[] = [true, true, false, false, true, false, false, true, true, false].map(
      (treated, at, all) => ({
        treated,
        rest: treated ? 3 : 1,
        burnIn: at > 0 && all[at - 1] === treated ? (treated ? 3 : 1) : 1000,
      }),
    );
    expect(biasCorrected(blocks, 0.5).effect).toBe(2);
  });

  it('the risk of one draw for all times is that of one coin', () => {
    // Treated or not, with a chance of a half each: the estimate is 2 or −2.
    expect(worstRisk(6, 2, [0])).toBe(4);
    // Without carryover and with a draw for each time: the mean of twelve such coins, (2² / 12).
    const each = Array.from({ length: 12 }, (_, time) => time);
    expect(worstRisk(12, 0, each)).toBeCloseTo(4 / 12, 12);
  });

  it('the design of Theorem 2 is the only one of least risk', () => {
    expect(bestDesigns(8, 2).designs).toEqual(['1 5']);
    expect(optimalPoints(8, 2)).toEqual([0, 4]);
  });

  it('reproduces both papers, with few runs', () => {
    const { sections, verdict } = reproduceSwitchback({ players: 40_000, seed: 5 });
    const failed = sections.flatMap(({ findings }) => findings.filter((one) => one.verdict === 'fails'));
    expect(failed).toEqual([]);
    expect(verdict).toBe('holds');
    expect(sections.map(({ findings }) => findings.length)).toEqual([22, 4]);
  });
});
