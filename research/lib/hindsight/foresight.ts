import type { Instance, Part } from './instance.ts';

/** The law of arrivals, which a policy may know. Arrivals are a Poisson process, and skills are independent of it. */
export interface ArrivalLaw {
  /** Tickets per tick. */
  readonly perTick: number;
  /** The density of the skill of a ticket's first player, per unit of skill. */
  density(skill: number): number;
}

/** The form of the price of foresight. Any values give a bound; the best ones depend on the rules. */
export interface ForesightPrice {
  /** How near a newcomer must be to a waiting ticket, in units of √(waitCost/λ), where λ are the arrivals at its skill. */
  readonly reach: number;
  /** The share of the cost of a wait that is paid through this price, from 0 to 1. */
  readonly share: number;
  /** The price falls from the ticket's skill to the reach with this power of the distance that is left. */
  readonly power: number;
}

/**
 * Charges a schedule for what it knows in advance, so that a lower bound on its cost also holds for **policies**: no
 * policy that does not know the future has a lower expected cost.
 *
 * A waiting ticket pays a price h(d) when a newcomer arrives at distance d, and is paid back at every moment what this price
 * is expected to be. For a policy that does not know the next arrivals, this is a fair game: on average it neither gains nor
 * loses, whatever it does, because the tickets that wait are chosen before the newcomer is known. A schedule that
 * knows the arrivals would wait exactly where newcomers come, and this is where it pays. So the least cost of all schedules
 * **with** these payments, on average over arrivals, is at most the cost of the best policy. (Brown, Smith & Sun 2010,
 * "Information relaxations and duality in stochastic dynamic programs"; the payments are a martingale.)
 *
 * The payments belong to single tickets, so they are part of what their waits cost, and bounds on schedules apply. Since `share`
 * is at most 1, the cost of a wait never falls with time. After the last arrival of the instance there are no payments.
 */
export function withoutForesight(instance: Instance, law: ArrivalLaw, price: ForesightPrice): Instance {
  if (!(price.share >= 0 && price.share <= 1))
    throw new RangeError(`Expected a share from 0 to 1, got ${price.share}`);
  const { parts, waitCost, end } = instance;
  const { perTick } = law;
  const last = parts.reduce((latest, { arrived }) => Math.max(latest, arrived), 0);
  const skills = parts.map(({ ticket }) => ticket.players[0].skill);
  const priced = parts.map((part, i): Part => {
    const refund = price.share * waitCost * part.size;
    const reach = price.reach * Math.sqrt(waitCost / (perTick * law.density(skills[i])));
    const shape = (away: number) => Math.max(0, 1 - Math.abs(away) / reach) ** price.power;
    // The payments expected in a tick are the refund.
    const height =
      refund / (perTick * integral((away) => shape(away) * law.density(skills[i] + away), reach));
    const charges = new Float64Array(end - part.slot + 1);
    parts.forEach(({ arrived, slot }, j) => {
      if (arrived <= part.arrived || j === i) return;
      charges[Math.max(0, slot - part.slot)] += height * shape(skills[j] - skills[i]);
    });
    let paid = 0;
    for (let at = 0; at < charges.length; at++) {
      paid += charges[at];
      charges[at] = paid - refund * (Math.min(part.slot + at, last) - part.arrived);
    }
    return { ...part, charges };
  });
  return { ...instance, parts: priced };
}

/** Of a function on [−reach, reach], by Simpson's rule on both halves. */
function integral(of: (away: number) => number, reach: number): number {
  const step = reach / STEPS;
  let sum = 0;
  for (let i = -STEPS; i < STEPS; i += 2) {
    const at = i * step;
    sum += (step / 3) * (of(at) + 4 * of(at + step) + of(at + 2 * step));
  }
  return sum;
}
/** Even, so that the tip of the price is between two intervals. */
const STEPS = 200;
