/**
 * The skills of those who came of late, in little space: groups of neighbours, each by its mean and its weight,
 * wide in the middle and fine at both ends. A t-digest (Dunning & Ertl 2019) whose weights fade.
 */
export interface SkillSketch {
  /** Ascending. */
  readonly means: readonly number[];
  /** Players in each group, faded. */
  readonly weights: readonly number[];
}

export const EMPTY_SKETCH: SkillSketch = { means: [], weights: [] };

/** At most so many groups. In the middle one holds some 5% of the players, which is finer than the kernels. */
const GROUPS_MAX = 64;

/**
 * The sketch with more skills in it.
 *
 * @param kept the share of its weight, in (0, 1], that each group keeps
 */
export function addSkills(sketch: SkillSketch, skills: readonly number[], kept: number): SkillSketch {
  if (skills.length === 0) return sketch;
  const groups = sketch.means.map((mean, at) => ({ mean, weight: sketch.weights[at] * kept }));
  for (const skill of skills) groups.push({ mean: skill, weight: 1 });
  groups.sort((a, b) => a.mean - b.mean || a.weight - b.weight);
  const total = sum(groups.map(({ weight }) => weight));

  const merged: { mean: number; weight: number }[] = [];
  let below = 0;
  for (const next of groups) {
    const last = merged.at(-1);
    if (last === undefined) merged.push(next);
    else if (sizeOf(below / total, (below + last.weight + next.weight) / total) <= 1) {
      last.weight += next.weight;
      last.mean += ((next.mean - last.mean) * next.weight) / last.weight;
    } else {
      below += last.weight;
      merged.push(next);
    }
  }
  return {
    means: merged.map(({ mean }) => rounded(mean)),
    weights: merged.map(({ weight }) => rounded(weight)),
  };
}

/** How large a group of the players between two ranks is, of the largest it may be: near 0 and 1 few make it full. */
function sizeOf(from: number, to: number): number {
  const scale = (rank: number) => Math.asin(2 * Math.min(1, rank) - 1);
  return (GROUPS_MAX / (2 * Math.PI)) * (scale(to) - scale(from));
}

/** How skills are spread over the players. */
export interface SkillSpread {
  readonly mean: number;
  /** The share of the players below, half of those of equal skill among them. */
  rank(skill: number): number;
  /** Share of the players per unit of skill; never 0. */
  density(skill: number): number;
  /** The mean of `density` over the players. */
  readonly typicalDensity: number;
}

/**
 * Beyond the ends of the scale density counts as this part of the typical one: players so far out are so few that
 * nothing is known, and their thresholds stay within √300 = 17 times the typical one.
 */
const DENSITY_MIN = 1 / 300;
/** Beyond so many widths a kernel is 0. */
const KERNEL_REACH = 5;

/**
 * The spread behind a sketch, by a normal kernel on each group. Its width is that of Silverman's rule for so many
 * players, or the distance to the nearest group where groups are farther apart.
 *
 * @returns undefined for an empty sketch
 */
export function spreadOf({ means, weights }: SkillSketch): SkillSpread | undefined {
  if (means.length === 0) return undefined;
  const total = sum(weights);
  const mean = sum(means.map((skill, at) => skill * weights[at])) / total;
  const ranks: number[] = [];
  let below = 0;
  for (const weight of weights) {
    ranks.push((below + weight / 2) / total);
    below += weight;
  }

  const widths = kernelWidths(means, weights, ranks);
  const exactDensity = (skill: number): number => {
    let density = 0;
    for (let at = 0; at < means.length; at++) {
      const away = (skill - means[at]) / widths[at];
      if (Math.abs(away) > KERNEL_REACH) continue;
      density += (weights[at] / widths[at]) * Math.exp(-(away ** 2) / 2);
    }
    return density / (total * Math.sqrt(2 * Math.PI));
  };
  const densities = means.map(exactDensity);
  const typicalDensity = sum(densities.map((density, at) => density * weights[at])) / total;

  // Where groups are near each other, the lines between them are as good as the sum of kernels, and faster.
  const isBetweenNear = (skill: number): boolean => {
    const above = lowerBound(means, skill);
    return above > 0 && above < means.length && means[above] - means[above - 1] <= widths[above];
  };

  return {
    mean,
    rank: (skill) => interpolate(means, ranks, skill) ?? (skill < means[0] ? 0 : 1),
    density(skill) {
      const density = isBetweenNear(skill) ? interpolate(means, densities, skill)! : exactDensity(skill);
      return Math.max(density, DENSITY_MIN * typicalDensity);
    },
    typicalDensity,
  };
}

/** Half of all normal values lie within so many standard deviations. */
const NORMAL_HALF = 1.349;

function kernelWidths(
  means: readonly number[],
  weights: readonly number[],
  ranks: readonly number[],
): number[] {
  const total = sum(weights);
  const mean = sum(means.map((skill, at) => skill * weights[at])) / total;
  const deviation = Math.sqrt(sum(means.map((skill, at) => (skill - mean) ** 2 * weights[at])) / total);
  const skillAt = (rank: number) => interpolate(ranks, means, rank) ?? Number.POSITIVE_INFINITY;
  // Neither a long tail nor a second crowd far away may blur what is dense: the shortest half does not see them.
  const half = Math.min(...means.map((skill, at) => skillAt(ranks[at] + 0.5) - skill)) / NORMAL_HALF;
  const scale = half > 0 ? Math.min(deviation, half) : deviation;
  // As long as all are equal, of what other skills there are nothing is known.
  const least = scale > 0 ? 1.06 * scale * total ** -0.2 : Math.max(1, Math.abs(mean));
  return means.map((skill, at) => {
    const toBelow = at === 0 ? Number.POSITIVE_INFINITY : skill - means[at - 1];
    const toAbove = at === means.length - 1 ? Number.POSITIVE_INFINITY : means[at + 1] - skill;
    const nearest = Math.min(toBelow, toAbove);
    return Number.isFinite(nearest) ? Math.max(least, nearest) : least;
  });
}

/** The value at x of the lines through (xs, ys); undefined outside. xs ascending. */
function interpolate(xs: readonly number[], ys: readonly number[], x: number): number | undefined {
  const above = lowerBound(xs, x);
  if (above === xs.length) return undefined;
  if (xs[above] === x) return ys[above];
  if (above === 0) return undefined;
  const part = (x - xs[above - 1]) / (xs[above] - xs[above - 1]);
  return ys[above - 1] + part * (ys[above] - ys[above - 1]);
}

/** How many of the sorted values are below. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

const rounded = (value: number) => Number(value.toPrecision(6));
