/**
 * Whether a queue whose players choose sides or roles has a bounded wait at all, and what would mend it if
 * not. Pure arithmetic on rates; `muster simulate` warns with it.
 *
 * Xu, Yu & Wu, "Rule Designs for Optimal Online Game Matchmaking": with two sides the wait is bounded
 * exactly when λ_C > |λ_A − λ_B| (fact 3). The same holds for any places: for every set of places, those
 * who accept none outside it must arrive at a lower rate than games have such places (Hall's condition on
 * rates). Players' skill and parties are left out, so this is a necessary condition: a queue that fails it
 * piles up players under every policy.
 */

/** Players who accept the same places. */
export interface PreferenceRate {
  /** Sides or roles; empty means all of them. */
  readonly accepts: readonly string[];
  /** Players per second, 0 or more. */
  readonly rate: number;
}

export interface StabilityAdvice {
  readonly stable: boolean;
  /** The places for which the most players too many insist; empty when stable. */
  readonly overchosen: readonly string[];
  /** Players per second who pile up waiting for those places; 0 when stable, and on the very edge of it. */
  readonly surplusPerSecond: number;
  /**
   * Of the players who now insist, more than this many per second would have to become choice-free for the
   * wait to be bounded; 0 when stable.
   */
  readonly choiceFreeNeeded: number;
  /** `choiceFreeNeeded` as a share of all players. */
  readonly choiceFreeShare: number;
  /** One sentence for a person. */
  readonly message: string;
}

/**
 * @param places how many places of each side or role a game has: `{ attack: 5, defend: 5 }`,
 *   `{ tank: 2, healer: 2, damage: 6 }`; at most 16 kinds. Only the proportions matter
 * @param preferences rates by what is accepted; measured or assumed
 * @throws RangeError for a place a game does not have, a negative rate, or more than 16 kinds of places
 */
export function adviseStability(
  places: Readonly<Record<string, number>>,
  preferences: readonly PreferenceRate[],
): StabilityAdvice {
  const names = Object.keys(places);
  if (names.length < 1 || names.length > 16) {
    throw new RangeError(`Expected 1 to 16 kinds of places, got ${names.length}`);
  }
  const everywhere = 2 ** names.length - 1;
  const insisting = new Float64Array(everywhere + 1);
  let total = 0;
  for (const { accepts, rate } of preferences) {
    if (!(rate >= 0)) throw new RangeError(`Expected a rate from 0 up, got \`${rate}\``);
    insisting[acceptedSet(names, accepts) || everywhere] += rate;
    total += rate;
  }

  const seats = Object.values(places).reduce((sum, count) => sum + count, 0);
  let worst = 0;
  let surplus = Number.NEGATIVE_INFINITY;
  for (let set = 1; set < everywhere; set++) {
    let demand = 0;
    for (let part = set; part > 0; part = (part - 1) & set) demand += insisting[part];
    if (demand === 0) continue;
    const offered = names.reduce((sum, name, bit) => sum + (set & (1 << bit) ? places[name] : 0), 0) / seats;
    if (demand - offered * total > surplus) {
      worst = set;
      surplus = demand - offered * total;
    }
  }
  // Equal rates are not enough: the surplus is then a random walk, whose mean grows without bound.
  const stable = surplus < -1e-12 * total || total === 0;
  if (stable) {
    const message =
      'The wait is bounded: no sides or roles are chosen by more players than have place in games.';
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
      `The wait has no bound: players who accept only ${overchosen.join(' or ')} arrive faster than games have ` +
      `places for them. It would be bounded if more than ${round(needed)} of them per second ` +
      `(${round((100 * needed) / total)}% of all players) accepted any place.`,
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
