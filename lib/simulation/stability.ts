/**
 * Whether the wait of a queue whose players choose sides or roles is bounded, and what would make it bounded. Pure
 * arithmetic on rates; `muster simulate` warns with it.
 *
 * Xu, Yu & Wu, "Rule Designs for Optimal Online Game Matchmaking": with two sides the wait is bounded exactly when
 * λ_C > |λ_A − λ_B| (fact 3). The same holds for any seats: for every set of roles, the players who accept no other role
 * must arrive at a lower rate than matches have seats of these roles (Hall's condition on rates). Skill and parties are
 * not considered, so the condition is only necessary: in a queue that fails it, waiting players accumulate under every policy.
 */

/** Players who accept the same sides or roles. */
export interface PreferenceRate {
  /** Empty means all of them. */
  readonly accepts: readonly string[];
  /** Players per second, 0 or more. */
  readonly rate: number;
}

export interface StabilityAdvice {
  readonly stable: boolean;
  /** The sides or roles that have the largest surplus of players who accept no other; empty when stable. */
  readonly overchosen: readonly string[];
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

/**
 * @param seats how many seats of each side or role a match has: `{ attack: 5, defend: 5 }`,
 *   `{ tank: 2, healer: 2, damage: 6 }`; at most 16 kinds. Only the proportions matter
 * @param preferences rates by accepted sides or roles, measured or assumed
 * @throws RangeError for a side or role without seats, a negative rate, or more than 16 kinds
 */
export function adviseStability(
  seats: Readonly<Record<string, number>>,
  preferences: readonly PreferenceRate[],
): StabilityAdvice {
  const names = Object.keys(seats);
  if (names.length < 1 || names.length > 16) {
    throw new RangeError(`Expected 1 to 16 kinds of seats, got ${names.length}`);
  }
  const everywhere = 2 ** names.length - 1;
  const insisting = new Float64Array(everywhere + 1);
  let total = 0;
  for (const { accepts, rate } of preferences) {
    if (!(rate >= 0)) throw new RangeError(`Expected a rate from 0 up, got \`${rate}\``);
    insisting[acceptedSet(names, accepts) || everywhere] += rate;
    total += rate;
  }

  const seatsInAll = Object.values(seats).reduce((sum, count) => sum + count, 0);
  let worst = 0;
  let surplus = Number.NEGATIVE_INFINITY;
  for (let set = 1; set < everywhere; set++) {
    let demand = 0;
    for (let part = set; part > 0; part = (part - 1) & set) demand += insisting[part];
    if (demand === 0) continue;
    const offered =
      names.reduce((sum, name, bit) => sum + (set & (1 << bit) ? seats[name] : 0), 0) / seatsInAll;
    if (demand - offered * total > surplus) {
      worst = set;
      surplus = demand - offered * total;
    }
  }
  // Equal rates do not suffice: the surplus is then a random walk, whose mean grows without bound.
  const stable = surplus < -1e-12 * total || total === 0;
  if (stable) {
    const message =
      'The wait is bounded: no side or role is chosen by more players than matches have seats for.';
    return { stable, overchosen: [], surplusPerSecond: 0, choiceFreeNeeded: 0, choiceFreeShare: 0, message };
  }
  const overchosen = names.filter((_, bit) => worst & (1 << bit));
  const needed = Math.max(0, surplus);
  return {
    stable,
    overchosen,
    surplusPerSecond: needed,
    choiceFreeNeeded: needed,
    choiceFreeShare: needed / total,
    message:
      `The wait has no bound: players who accept only ${overchosen.join(' or ')} arrive faster than matches have ` +
      `seats for them. It is bounded if more than ${round(needed)} of them per second ` +
      `(${round((100 * needed) / total)}% of all players) accepted any side or role.`,
  };
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
