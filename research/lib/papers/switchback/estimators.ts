/** What was measured in one block, without its burn-in. */
export interface BlockMean {
  readonly treated: boolean;
  readonly mean: number;
}

/** An estimated effect with the square of its standard error, by a jackknife over blocks. */
export interface Estimated {
  readonly effect: number;
  readonly variance: number;
}

/** The difference of the means of treated and other blocks. */
export function differenceInMeans(blocks: readonly BlockMean[]): Estimated {
  const effect = differenceOf(blocks);
  let squares = 0;
  blocks.forEach((_, out) => {
    squares += (differenceOf(blocks.filter((_, at) => at !== out)) - effect) ** 2;
  });
  return { effect, variance: ((blocks.length - 1) / blocks.length) * squares };
}

/** Mean of the treated less mean of the others; a side without blocks counts as 0, as in the paper's own code. */
function differenceOf(blocks: readonly BlockMean[]): number {
  const sums = { treated: 0, others: 0 };
  const counts = { treated: 0, others: 0 };
  for (const { treated, mean } of blocks) {
    const side = treated ? 'treated' : 'others';
    sums[side] += mean;
    counts[side]++;
  }
  const meanOf = (side: 'treated' | 'others') => (counts[side] === 0 ? 0 : sums[side] / counts[side]);
  return meanOf('treated') - meanOf('others');
}
