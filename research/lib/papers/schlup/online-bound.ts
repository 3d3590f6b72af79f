import { maximumWeightMatching, type WeightedEdge } from './maximum-weight-matching.ts';
import { expectedUntil, type MixedWorkload, rateAt, type Stretch, stretches } from './mixed-workload.ts';
import { type Arrival, gameCost, type Setting } from './model.ts';

/**
 * A random number whose mean is at most the mean cost of **every** online algorithm on the workload, even of one that is told
 * all the rates and the end in advance (k = 2, D = 1, with computer players, who join after τ_max).
 *
 * OPT is far below what online algorithms reach because it knows who comes next. Here, too, all arrivals are known, but waiting
 * has a charge that takes away what this knowledge gains: an information relaxation with a penalty (Brown, Smith & Sun,
 * "Information relaxations and duality in stochastic dynamic programs", 2010). While a player waits, every arrival nearby is
 * charged, and its expectation is refunded continuously. The charges of an online algorithm have mean 0, because whether a
 * player waits does not depend on what comes. So its mean cost is its mean cost with the charges, and the least cost with the
 * charges, over all sets of pairs and all times to release them, is no more than that. Any charges give a valid bound; those
 * of `Charges` are fitted.
 *
 * Exact up to 2⁻²⁶ per player by maximum-weight matching. Time is that of OPT and O(pairs within τ_max · arrivals within τ_max).
 *
 * @param arrivals drawn from the workload
 * @param strength a factor of all charges; 0 gives the cost of OPT
 */
export function onlineBound(
  setting: Setting,
  arrivals: readonly Arrival[],
  workload: MixedWorkload,
  strength = 1,
): number {
  const { longestWait } = setting;
  const charges = new Charges(setting, arrivals, workload, strength);
  const alone = arrivals.map(
    (arrival, at) =>
      gameCost(setting, [arrival], arrival.time + longestWait) +
      charges.until(at, arrival.time + longestWait),
  );
  const edges: WeightedEdge[] = [];
  for (let late = 1; late < arrivals.length; late++) {
    for (let early = late - 1; early >= 0; early--) {
      if (arrivals[late].time - arrivals[early].time > longestWait) break;
      const saved = alone[early] + alone[late] - leastCost(setting, arrivals, charges, early, late);
      if (saved > 0) edges.push([early, late, Math.round(saved * PARTS)]);
    }
  }
  const { weight, bound } = maximumWeightMatching(arrivals.length, edges);
  if (weight !== bound)
    throw new Error(`Expected a proven matching, got weight ${weight} under bound ${bound}`);
  return alone.reduce((sum, cost) => sum + cost, 0) - weight / PARTS;
}

const PARTS = 2 ** 26;

/**
 * At most the cost of a pair with its charges, at whatever time it is released. Between two arrivals, while the rate does not
 * jump, the waits cost at a constant rate and refunds come at most at the highest rate of arrivals.
 */
function leastCost(
  setting: Setting,
  arrivals: readonly Arrival[],
  charges: Charges,
  early: number,
  late: number,
): number {
  const pair = [arrivals[early], arrivals[late]];
  const waitCost = pair.length / setting.longestWait;
  const deadline = pair[0].time + setting.longestWait;
  let waited = gameCost(setting, pair, pair[1].time);
  let least = Number.POSITIVE_INFINITY;
  for (let at = late; at < arrivals.length && arrivals[at].time <= deadline; at++) {
    if (at > late) waited += waitCost * (arrivals[at].time - arrivals[at - 1].time);
    const refund = charges.refund(early, at) + charges.refund(late, at);
    let cost = waited + charges.after(early, at) + charges.after(late, at);
    for (const { from, to, expected, highest } of charges.silences[at]) {
      if (from >= deadline) break;
      const time = Math.min(to, deadline) - from;
      least = Math.min(least, cost + Math.min(0, (waitCost - refund * highest) * time));
      cost += waitCost * time - refund * expected;
    }
  }
  return least;
}

/**
 * What each waiting player is charged: 1.9·(ℓ − d) at an arrival in a distance d below ℓ, less its expectation between
 * arrivals. ℓ is the tolerance of a player who waits alone at the current rate, see `slack`.
 */
export class Charges {
  /** The time between an arrival and the next, or τ_max after the last, split where the rate jumps. */
  readonly silences: readonly (readonly Stretch[])[];
  readonly #arrivals: readonly Arrival[];
  readonly #workload: MixedWorkload;
  /** For each player what has been charged just after each arrival while it waits, the own one first. */
  readonly #charged: Float64Array[] = [];
  /** For each player the refund per expected arrival after each of those. */
  readonly #refunds: Float64Array[] = [];

  constructor(
    { longestWait }: Setting,
    arrivals: readonly Arrival[],
    workload: MixedWorkload,
    strength: number,
  ) {
    this.#arrivals = arrivals;
    this.#workload = workload;
    this.silences = arrivals.map(({ time }, at) =>
      stretches(
        workload,
        time,
        Math.min(arrivals[at + 1]?.time ?? Number.POSITIVE_INFINITY, time + longestWait),
      ),
    );
    const lengths = arrivals.map(({ time }) => naturalLength(workload, time, longestWait));
    const expected = arrivals.map(({ time }) => expectedUntil(workload, time));
    arrivals.forEach(({ time, criteria: [place] }, own) => {
      const charged: number[] = [];
      const refunds: number[] = [];
      let sum = 0;
      for (let at = own; at < arrivals.length && arrivals[at].time <= time + longestWait; at++) {
        if (at > own) {
          sum -= refunds[at - 1 - own] * (expected[at] - expected[at - 1]);
          sum += strength * chargeAt(Math.abs(arrivals[at].criteria[0] - place), lengths[at - 1]);
        }
        charged.push(sum);
        refunds.push(strength * meanCharge(place, lengths[at]));
      }
      this.#charged.push(Float64Array.from(charged));
      this.#refunds.push(Float64Array.from(refunds));
    });
  }

  /** What a player has been charged just after an arrival while it waits. */
  after(player: number, arrival: number): number {
    return this.#charged[player][arrival - player];
  }

  /** What is refunded to a player per expected arrival between this arrival and the next. */
  refund(player: number, arrival: number): number {
    return this.#refunds[player][arrival - player];
  }

  /** What a player has been charged until a time, at most τ_max after it came, and after the arrivals at that time. */
  until(player: number, time: number): number {
    let last = player + this.#charged[player].length - 1;
    while (last > player && this.#arrivals[last].time > time) last--;
    const silence =
      expectedUntil(this.#workload, time) - expectedUntil(this.#workload, this.#arrivals[last].time);
    return this.after(player, last) - this.refund(player, last) * silence;
  }
}

/** Fitted on workloads that the reproduction does not use. At 2 the refund far from the ends of the scale is the whole cost of the wait. */
const PER_LENGTH = 1.9;

function chargeAt(distance: number, length: number): number {
  return PER_LENGTH * Math.max(0, length - distance);
}

/** The mean of `chargeAt` over the place of the next arrival. */
function meanCharge(place: number, length: number): number {
  const side = (room: number) => Math.min(room, length) * (length - Math.min(room, length) / 2);
  return PER_LENGTH * (side(place) + side(1 - place));
}

/** ℓ = 1/√(2aτ_max) for the current rate a. */
function naturalLength(workload: MixedWorkload, time: number, longestWait: number): number {
  return 1 / Math.sqrt(2 * Math.max(rateAt(workload, time) * longestWait, FEWEST));
}

/** Players per τ_max below which ℓ does not grow: it is then as long as the scale. */
const FEWEST = 0.5;
