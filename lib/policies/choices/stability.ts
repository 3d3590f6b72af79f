/**
 * Whether the wait of a queue whose players choose sides or roles is bounded, and what would make it bounded. Pure
 * arithmetic on rates. `muster simulate` and the statistics of a queue warn with it.
 *
 * Xu, Yu & Wu, "Rule Designs for Optimal Online Game Matchmaking": with two sides the wait is bounded exactly when
 * λ_C > |λ_A − λ_B| (fact 3). The same holds for any seats: for every set of roles, the players who accept no other role
 * must arrive at a lower rate than matches have seats of these roles (Hall's condition on rates). Where matches have a
 * region, it must hold for every set of regions, among the players who can play there. Skill and parties are not
 * considered, so the condition is only necessary: in a queue that fails it, waiting players accumulate under every policy.
 */

/** Players who accept the same sides or roles. */
export interface PreferenceRate {
  /** Empty means all of them. */
  readonly accepts: readonly string[];
  /** The regions where they can play. @default all */
  readonly regions?: readonly string[] | undefined;
  /** Players per second, 0 or more. */
  readonly rate: number;
}

export interface StabilityAdvice {
  readonly stable: boolean;
  /** The sides or roles that have the largest surplus of players who accept no other; empty when stable. */
  readonly overchosen: readonly string[];
  /** The regions outside which these players cannot play; absent when the surplus is that of all players. */
  readonly regions?: readonly string[];
  /** Players per second who accumulate for them; 0 when stable, and exactly at the limit of stability. */
  readonly surplusPerSecond: number;
  /**
   * The wait is bounded if more than this many of them per second accept every side or role; 0 when stable.
   */
  readonly choiceFreeNeeded: number;
  /** `choiceFreeNeeded` as a share of all players. */
  readonly choiceFreeShare: number;
  /** The result in one sentence. */
  readonly message: string;
}

/** The maximum of sets of regions that are checked. They are all the sets that matter if there are up to 8 regions. */
const REGION_SETS_MAX = 256;

/**
 * @param seats how many seats of each side or role a match has: `{ attack: 5, defend: 5 }`,
 *   `{ tank: 2, healer: 2, damage: 6 }`; at most 16 kinds. Only the proportions matter
 * @param preferences rates by accepted sides or roles, measured or assumed
 * @param leastRate regions that fewer players per second can reach are not judged apart
 * @throws RangeError for a side or role without seats, a negative rate, or more than 16 kinds
 */
export function adviseStability(
  seats: Readonly<Record<string, number>>,
  preferences: readonly PreferenceRate[],
  leastRate = 0,
): StabilityAdvice {
  const names = Object.keys(seats);
  if (names.length < 1 || names.length > 16) {
    throw new RangeError(`Expected 1 to 16 kinds of seats, got ${names.length}`);
  }
  const everywhere = 2 ** names.length - 1;
  const groups = preferences.map(({ accepts, regions, rate }): Group => {
    if (!(rate >= 0)) throw new RangeError(`Expected a rate from 0 up, got \`${rate}\``);
    return { accepted: acceptedSet(names, accepts) || everywhere, regions, rate };
  });
  const total = rateOf(groups);
  const seatsInAll = Object.values(seats).reduce((sum, count) => sum + count, 0);
  const offered = (set: number) =>
    names.reduce((sum, name, bit) => sum + (set & (1 << bit) ? seats[name] : 0), 0) / seatsInAll;

  let worst: { set: number; regions: readonly string[] | undefined } | undefined;
  let surplus = Number.NEGATIVE_INFINITY;
  for (const regions of regionSets(groups)) {
    const reaching = groups.filter((group) => reaches(group, regions));
    if (regions !== undefined && rateOf(reaching) < leastRate) continue;
    const bound = reaching.filter((group) => isWithin(group, regions) && group.accepted !== everywhere);
    for (const set of unionsOf(bound.map(({ accepted }) => accepted))) {
      if (set === everywhere) continue;
      const demand = rateOf(bound.filter(({ accepted }) => isPart(accepted, set)));
      const others = rateOf(reaching.filter(({ accepted }) => !isPart(accepted, set)));
      const ownSurplus = demand - offered(set) * (demand + others);
      if (ownSurplus > surplus) {
        worst = { set, regions };
        surplus = ownSurplus;
      }
    }
  }
  // Equal rates do not suffice: the surplus is then a random walk, whose mean grows without bound.
  if (worst === undefined || surplus < -1e-12 * total || total === 0) {
    const message =
      'The wait is bounded: no side or role is chosen by more players than matches have seats for.';
    return {
      stable: true,
      overchosen: [],
      surplusPerSecond: 0,
      choiceFreeNeeded: 0,
      choiceFreeShare: 0,
      message,
    };
  }
  const { set, regions } = worst;
  const overchosen = names.filter((_, bit) => set & (1 << bit));
  const needed = Math.max(0, surplus);
  const where = regions === undefined ? '' : ` in ${regions.join(' or ')}`;
  return {
    stable: false,
    overchosen,
    ...(regions && { regions }),
    surplusPerSecond: needed,
    choiceFreeNeeded: needed,
    choiceFreeShare: needed / total,
    message:
      `The wait has no bound: players${where} who accept only ${overchosen.join(' or ')} arrive faster than ` +
      `matches have seats for them. It is bounded if more than ${round(needed)} of them per second ` +
      `(${round((100 * needed) / total)}% of all players) accepted any side or role.`,
  };
}

/** Players with the same preferences; sides or roles as a bit set. */
interface Group {
  readonly accepted: number;
  readonly regions: readonly string[] | undefined;
  readonly rate: number;
}

function rateOf(groups: readonly Group[]): number {
  return groups.reduce((sum, { rate }) => sum + rate, 0);
}

/** All regions first, as undefined, then unions of the regions of some groups. */
function regionSets(groups: readonly Group[]): (readonly string[] | undefined)[] {
  const all = new Set(groups.flatMap(({ regions = [] }) => regions)).size;
  const found = new Map<string, readonly string[]>();
  for (const { regions = [] } of groups) {
    for (const other of [[], ...found.values()]) {
      if (found.size === REGION_SETS_MAX) break;
      const together = [...new Set([...other, ...regions])].sort();
      if (together.length > 0 && together.length < all) found.set(JSON.stringify(together), together);
    }
  }
  return [undefined, ...found.values()];
}

/** Whether players can play in one of the regions. Players without any region play nowhere. */
function reaches({ regions }: Group, some: readonly string[] | undefined): boolean {
  if (regions === undefined) return true;
  return some === undefined ? regions.length > 0 : regions.some((region) => some.includes(region));
}

function isWithin({ regions }: Group, some: readonly string[] | undefined): boolean {
  return some === undefined || regions?.every((region) => some.includes(region)) === true;
}

/** The unions of one or more of these bit sets, ascending. Other sets have more seats for the same players. */
function unionsOf(sets: readonly number[]): number[] {
  const unions = new Set<number>();
  for (const set of new Set(sets)) {
    for (const other of [0, ...unions]) unions.add(set | other);
  }
  return [...unions].sort((a, b) => a - b);
}

function isPart(set: number, of: number): boolean {
  return (set & ~of) === 0;
}

function acceptedSet(names: readonly string[], accepts: readonly string[]): number {
  return accepts.reduce((set, name) => {
    const bit = names.indexOf(name);
    if (bit === -1) throw new RangeError(`Expected one of ${names.join(', ')}, got \`${name}\``);
    return set | (1 << bit);
  }, 0);
}

function round(value: number): string {
  return Number(value.toPrecision(3)).toString();
}
