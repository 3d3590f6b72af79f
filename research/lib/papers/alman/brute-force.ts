/**
 * The definitions of Alman & McKay, "Theoretical Foundations of Team Matchmaking", section 1.2, evaluated
 * exhaustively. Use it for small pools only. The engine is compared with it, so it shares no code
 * with the engine.
 */

/** k, α, p and q of the imbalance function; k is also the number of roles where there are roles. */
export interface Parameters {
  readonly k: number;
  readonly alpha: number;
  readonly p: number;
  readonly q: number;
}

/** A player of the role-restricted queue; bit r is set when the player accepts role r. */
export interface RolePlayer {
  readonly skill: number;
  readonly roles: number;
}

/** ρ = 2k^(1/q)(1 + α), the factor of theorems 3 and 5. */
export function approximationFactor({ k, alpha, q }: Parameters): number {
  return 2 * k ** (1 / q) * (1 + alpha);
}

/** Lemma 2: a best game lies within this many places of the order of skill, 4(1 + α)k^(1+1/q). */
export function windowOfBestGame({ k, alpha, q }: Parameters): number {
  return 4 * (1 + alpha) * k ** (1 + 1 / q);
}

/** f(X, Y) = α·d_p(X, Y) + v_q(X ∪ Y). */
export function imbalanceOf(x: readonly number[], y: readonly number[], { alpha, p, q }: Parameters): number {
  return alpha * Math.abs(norm(x, p) - norm(y, p)) + uniformityOf([...x, ...y], q);
}

/** v_q(Z). */
export function uniformityOf(skills: readonly number[], q: number): number {
  const mean = skills.reduce((sum, skill) => sum + skill, 0) / skills.length;
  const deviations = skills.map((skill) => Math.abs(skill - mean));
  return norm(deviations, q) / skills.length ** (1 / q);
}

/** The least imbalance into which 2k players can be divided. */
export function bestSplitOf(skills: readonly number[], parameters: Parameters): number {
  let best = Number.POSITIVE_INFINITY;
  for (const [x, y] of splits(skills)) best = Math.min(best, imbalanceOf(x, y, parameters));
  return best;
}

export interface BestGame {
  readonly imbalance: number;
  /** Places in the given order of players, ascending. */
  readonly places: readonly number[];
}

/** The least imbalance of any game in a pool, and its players' places. */
export function bestGameOf(skills: readonly number[], parameters: Parameters): BestGame {
  let best: BestGame = { imbalance: Number.POSITIVE_INFINITY, places: [] };
  for (const places of subsets(skills.length, 2 * parameters.k)) {
    const imbalance = bestSplitOf(
      places.map((place) => skills[place]),
      parameters,
    );
    if (imbalance < best.imbalance) best = { imbalance, places };
  }
  return best;
}

/** The least f + β·min t_r of any game in a pool (section 1.2.5). */
export function bestTimeSensitiveOf(
  skills: readonly number[],
  insertedAt: readonly number[],
  beta: number,
  parameters: Parameters,
): number {
  let best = Number.POSITIVE_INFINITY;
  for (const places of subsets(skills.length, 2 * parameters.k)) {
    const imbalance = bestSplitOf(
      places.map((place) => skills[place]),
      parameters,
    );
    best = Math.min(best, imbalance + beta * Math.min(...places.map((place) => insertedAt[place])));
  }
  return best;
}

/** The least imbalance of any game in which each team has one player in each of k roles; ∞ when none. */
export function bestRoleGameOf(pool: readonly RolePlayer[], parameters: Parameters): number {
  let best = Number.POSITIVE_INFINITY;
  for (const places of subsets(pool.length, 2 * parameters.k)) {
    for (const [x, y] of splits(places.map((place) => pool[place]))) {
      if (!fillsRoles(x) || !fillsRoles(y)) continue;
      const imbalance = imbalanceOf(
        x.map(({ skill }) => skill),
        y.map(({ skill }) => skill),
        parameters,
      );
      best = Math.min(best, imbalance);
    }
  }
  return best;
}

/** The least imbalance of any game in which no party is split; ∞ when there is none. */
export function bestPartyGameOf(parties: readonly (readonly number[])[], parameters: Parameters): number {
  const { k } = parameters;
  const leastFrom = (at: number, x: readonly number[], y: readonly number[]): number => {
    if (x.length > k || y.length > k) return Number.POSITIVE_INFINITY;
    if (x.length === k && y.length === k) return imbalanceOf(x, y, parameters);
    if (at === parties.length) return Number.POSITIVE_INFINITY;
    return Math.min(
      leastFrom(at + 1, x, y),
      leastFrom(at + 1, [...x, ...parties[at]], y),
      leastFrom(at + 1, x, [...y, ...parties[at]]),
    );
  };
  return leastFrom(0, [], []);
}

/** The least value that the worst group can have when all players are put into groups of 2k. */
export function bestPartitionOf(
  skills: readonly number[],
  groupSize: number,
  value: (group: readonly number[]) => number,
): number {
  if (skills.length === 0) return 0;
  // The first player is in some group: try all, and divide the rest at its best.
  let best = Number.POSITIVE_INFINITY;
  for (const others of subsets(skills.length - 1, groupSize - 1)) {
    const members = new Set([0, ...others.map((other) => other + 1)]);
    const worst = value(skills.filter((_, at) => members.has(at)));
    if (worst >= best) continue;
    const rest = skills.filter((_, at) => !members.has(at));
    best = Math.min(best, Math.max(worst, bestPartitionOf(rest, groupSize, value)));
  }
  return best;
}

/** All subsets of `size` elements of 0 … `count` − 1, each ascending. */
export function* subsets(count: number, size: number, from = 0): Generator<number[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let first = from; first <= count - size; first++) {
    for (const rest of subsets(count, size - 1, first + 1)) yield [first, ...rest];
  }
}

/** The least value of any game of two teams of k in a pool; ∞ when none has one. */
export function leastOverGames<T>(
  pool: readonly T[],
  k: number,
  value: (x: readonly T[], y: readonly T[]) => number,
): number {
  let least = Number.POSITIVE_INFINITY;
  for (const places of subsets(pool.length, 2 * k)) {
    for (const [x, y] of splits(places.map((place) => pool[place]))) least = Math.min(least, value(x, y));
  }
  return least;
}

/** All divisions into two halves, each once. */
function* splits<T>(members: readonly T[]): Generator<[T[], T[]]> {
  for (const mates of subsets(members.length - 1, members.length / 2 - 1)) {
    const first = new Set([0, ...mates.map((mate) => mate + 1)]);
    yield [members.filter((_, at) => first.has(at)), members.filter((_, at) => !first.has(at))];
  }
}

/** Whether a team can take one role each. */
function fillsRoles(team: readonly RolePlayer[], taken = 0): boolean {
  if (team.length === 0) return true;
  const [{ roles }, ...others] = team;
  for (let role = 1; role <= roles; role <<= 1) {
    if (roles & role & ~taken && fillsRoles(others, taken | role)) return true;
  }
  return false;
}

/** The p-norm. */
function norm(values: readonly number[], p: number): number {
  if (p === Number.POSITIVE_INFINITY) return Math.max(...values);
  return values.reduce((sum, value) => sum + value ** p, 0) ** (1 / p);
}
