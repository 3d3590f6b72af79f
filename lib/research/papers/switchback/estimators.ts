/** What was measured in one block: the mean of its burn-in, and the mean of the rest. */
export interface BlockMeans {
  readonly treated: boolean;
  /** NaN without a burn-in. */
  readonly burnIn: number;
  readonly rest: number;
}

/** An estimated effect with the square of its standard error, by a jackknife over blocks. */
export interface Estimated {
  readonly effect: number;
  readonly variance: number;
}

/** Blocks that the jackknife of the bias-corrected estimator leaves out at a time: a block and the one that it affects. */
const LEFT_OUT = 2;

/** The difference of the means of treated and other blocks without their burn-ins. */
export function differenceInMeans(blocks: readonly BlockMeans[]): Estimated {
  const effect = differenceOf(blocks, ({ rest }) => rest);
  let squares = 0;
  blocks.forEach((_, out) => {
    const others = blocks.filter((_, at) => at !== out);
    squares += (differenceOf(others, ({ rest }) => rest) - effect) ** 2;
  });
  return { effect, variance: ((blocks.length - 1) / blocks.length) * squares };
}

/**
 * Hu & Wager's bias-corrected estimator: burn-ins count too, where the block before was treated alike, so that nothing carries over.
 * @param share of a block that is burn-in, in (0, 1)
 */
export function biasCorrected(blocks: readonly BlockMeans[], share: number): Estimated {
  const carried = blocks
    .slice(1)
    .map((block, at) => ({ ...block, alike: block.treated === blocks[at].treated }));
  const combine = (all: readonly BlockMeans[], burnIns: typeof carried) =>
    share *
      differenceOf(
        burnIns.filter(({ alike }) => alike),
        ({ burnIn }) => burnIn,
      ) +
    (1 - share) * differenceOf(all, ({ rest }) => rest);
  const effect = combine(blocks, carried);
  const parts = blocks.length - LEFT_OUT;
  let squares = 0;
  for (let from = 0; from < parts; from++) {
    const isOut = (at: number) => at >= from && at < from + LEFT_OUT;
    const left = combine(
      blocks.filter((_, at) => !isOut(at)),
      carried.filter((_, at) => !isOut(at)),
    );
    squares += (left - effect) ** 2;
  }
  return { effect, variance: ((parts - 1) ** 2 / (LEFT_OUT * parts ** 2)) * squares };
}

/** Mean of the treated less mean of the others; a side without blocks counts as 0, as in the paper's own code. */
function differenceOf<Of extends { readonly treated: boolean }>(
  blocks: readonly Of[],
  measure: (block: Of) => number,
): number {
  const sums = { treated: 0, others: 0 };
  const counts = { treated: 0, others: 0 };
  for (const block of blocks) {
    const side = block.treated ? 'treated' : 'others';
    sums[side] += measure(block);
    counts[side]++;
  }
  const mean = (side: 'treated' | 'others') => (counts[side] === 0 ? 0 : sums[side] / counts[side]);
  return mean('treated') - mean('others');
}
