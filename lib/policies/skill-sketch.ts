/**
 * A compact sketch of the skills of recent arrivals: groups of neighbours, each with its mean and its weight. Groups
 * are large in the middle and small at both ends. It is a t-digest (Dunning & Ertl 2019) whose weights decay.
 */
export interface SkillSketch {
  /** Ascending. */
  readonly means: readonly number[];
  /** Players in each group, after decay. */
  readonly weights: readonly number[];
}

export const EMPTY_SKETCH: SkillSketch = { means: [], weights: [] };

/** The maximum number of groups. A group in the middle holds about 5% of the players, which is finer than the kernels. */
const GROUPS_MAX = 64;

/**
 * Adds skills to a sketch.
 *
 * @param kept the share of its weight, in (0, 1], that each existing group keeps
 */
export function addSkills(sketch: SkillSketch, skills: readonly number[], kept: number): SkillSketch {
  if (skills.length === 0) return sketch;
  const means = new Float64Array(sketch.means.length + skills.length);
  const weights = new Float64Array(means.length);
  const sorted = Float64Array.from(skills).sort();
  for (let at = 0, group = 0, skill = 0; at < means.length; at++) {
    const mean = sketch.means[group] ?? Number.POSITIVE_INFINITY;
    const weight = (sketch.weights[group] ?? 0) * kept;
    const isGroup = skill === sorted.length || mean < sorted[skill] || (mean === sorted[skill] && weight < 1);
    means[at] = isGroup ? mean : sorted[skill];
    weights[at] = isGroup ? weight : 1;
    if (isGroup) group++;
    else skill++;
  }
  return grouped(means, weights);
}

/** Merges the sketches of several populations, each with its share of the whole. The shares need not add up to 1. */
export function mixedSkills(
  parts: readonly { readonly sketch: SkillSketch; readonly share: number }[],
): SkillSketch {
  const filled = parts.filter(({ sketch, share }) => sketch.means.length > 0 && share > 0);
  const shares = sum(filled.map(({ share }) => share));
  const total = sum(filled.map(({ sketch }) => sum(sketch.weights)));
  const groups = filled.flatMap(({ sketch, share }) => {
    const factor = (total * share) / (shares * sum(sketch.weights));
    return sketch.means.map((mean, at) => ({ mean, weight: factor * sketch.weights[at] }));
  });
  groups.sort((a, b) => a.mean - b.mean || a.weight - b.weight);
  return grouped(
    Float64Array.from(groups, ({ mean }) => mean),
    Float64Array.from(groups, ({ weight }) => weight),
  );
}

/** Merges neighbours into as few groups as the sketch may have. The means ascend. */
function grouped(means: Float64Array, weights: Float64Array): SkillSketch {
  if (means.length === 0) return EMPTY_SKETCH;
  const total = sum(weights);
  const merged: { mean: number; weight: number }[] = [];
  let last = { mean: means[0], weight: weights[0] };
  let below = 0;
  let from = scaled(0);
  for (let at = 1; at < means.length; at++) {
    const weight = weights[at];
    if (GROUPS_PER_SCALE * (scaled((below + last.weight + weight) / total) - from) <= 1) {
      last.weight += weight;
      last.mean += ((means[at] - last.mean) * weight) / last.weight;
    } else {
      merged.push(last);
      below += last.weight;
      from = scaled(below / total);
      last = { mean: means[at], weight };
    }
  }
  merged.push(last);
  return {
    means: merged.map(({ mean }) => rounded(mean)),
    weights: merged.map(({ weight }) => rounded(weight)),
  };
}

/** A scale of ranks on which all groups may have the same size: near ranks 0 and 1 few players fill one. */
function scaled(rank: number): number {
  return Math.asin(2 * Math.min(1, rank) - 1);
}
const GROUPS_PER_SCALE = GROUPS_MAX / (2 * Math.PI);

/** The distribution of skills over the players. */
export interface SkillDistribution {
  readonly mean: number;
  /** The share of players with a lower skill, plus half of those with an equal one. */
  rank(skill: number): number;
  /** The share of players per unit of skill; never 0. The first call takes longer than all other estimates. */
  density(skill: number): number;
  /** The mean of `density` over the players. */
  typicalDensity(): number;
}

/**
 * The least density, as a share of the typical one. Too few players are beyond the ends of the scale to estimate
 * it there. It keeps thresholds within √300 = 17 times the typical one.
 */
const DENSITY_MIN = 1 / 300;
/** A kernel is 0 beyond this many widths. */
const KERNEL_REACH = 5;

/** @returns undefined for an empty sketch */
export function distributionOf({ means, weights }: SkillSketch): SkillDistribution | undefined {
  if (means.length === 0) return undefined;
  const total = sum(weights);
  const mean = sum(means.map((skill, at) => skill * weights[at])) / total;
  const ranks: number[] = [];
  let below = 0;
  for (const weight of weights) {
    ranks.push((below + weight / 2) / total);
    below += weight;
  }
  let densities: ReturnType<typeof densitiesOf> | undefined;
  const known = () => {
    densities ??= densitiesOf({ means, weights }, ranks);
    return densities;
  };
  return {
    mean,
    rank: (skill) => interpolate(means, ranks, skill) ?? (skill < means[0] ? 0 : 1),
    density: (skill) => known().density(skill),
    typicalDensity: () => known().typical,
  };
}

/**
 * Estimates the densities behind a sketch, with a normal kernel on each group. A kernel's width follows Silverman's rule
 * for the number of players, or is the distance to the nearest group if that is larger.
 */
function densitiesOf({ means, weights }: SkillSketch, ranks: readonly number[]) {
  const total = sum(weights);
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
  const typical = sum(densities.map((density, at) => density * weights[at])) / total;

  // Between close groups, linear interpolation is as accurate as the sum of kernels, and faster.
  const isBetweenNear = (skill: number): boolean => {
    const above = lowerBound(means, skill);
    return above > 0 && above < means.length && means[above] - means[above - 1] <= widths[above];
  };

  return {
    density(skill: number): number {
      const density = isBetweenNear(skill) ? interpolate(means, densities, skill)! : exactDensity(skill);
      return Math.max(density, DENSITY_MIN * typical);
    },
    typical,
  };
}

/** The shortest interval that holds half of a normal distribution is this many standard deviations long. */
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
  // A long tail or a distant second peak must not blur the dense part: the shortest half ignores both.
  const half = Math.min(...means.map((skill, at) => skillAt(ranks[at] + 0.5) - skill)) / NORMAL_HALF;
  const scale = half > 0 ? Math.min(deviation, half) : deviation;
  // While all skills are equal, nothing is known about other skills.
  const least = scale > 0 ? 1.06 * scale * total ** -0.2 : Math.max(1, Math.abs(mean));
  return means.map((skill, at) => {
    const toBelow = at === 0 ? Number.POSITIVE_INFINITY : skill - means[at - 1];
    const toAbove = at === means.length - 1 ? Number.POSITIVE_INFINITY : means[at + 1] - skill;
    const nearest = Math.min(toBelow, toAbove);
    return Number.isFinite(nearest) ? Math.max(least, nearest) : least;
  });
}

/** Interpolates linearly between the points (xs, ys) at x; undefined outside. `xs` is ascending. */
function interpolate(xs: readonly number[], ys: readonly number[], x: number): number | undefined {
  const above = lowerBound(xs, x);
  if (above === xs.length) return undefined;
  if (xs[above] === x) return ys[above];
  if (above === 0) return undefined;
  const part = (x - xs[above - 1]) / (xs[above] - xs[above - 1]);
  return ys[above - 1] + part * (ys[above] - ys[above - 1]);
}

/** How many of the sorted values are lower. */
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

function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}

/** To six digits. Where the rounding of the product could decide, it is left to the slow conversion. */
function rounded(value: number): number {
  if (!(value >= 1 && value < 1e6)) return Number(value.toPrecision(6));
  let scale = 1e5;
  for (let ten = 10; value >= ten; ten *= 10) scale /= 10;
  const scaled = value * scale;
  const whole = Math.round(scaled);
  // Both numbers are whole and small, so their quotient is the number nearest to the decimal fraction.
  return Math.abs(Math.abs(scaled - whole) - 0.5) < 1e-6 ? Number(value.toPrecision(6)) : whole / scale;
}
