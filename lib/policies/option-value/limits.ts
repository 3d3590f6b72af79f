import { isFreeForAll, shapeOf, skillSpread } from '../../engine/game-pool.ts';
import type { GameRules, Ticket } from '../../engine/types.ts';
import { isLastChance, meanSkill, type PoolFacts } from '../policy.ts';

/**
 * A ticket's threshold is doubled at the age at which waiting has cost this many typical thresholds, and grows with
 * this exponent. A shorter longest wait than these values give costs ever more imbalance: see research/docs/option-value.md.
 */
const THRESHOLDS_TO_DOUBLE = 5;
const AGE_EXPONENT = 4;
/**
 * With a longest wait, thresholds are doubled at this share of it at the latest. A ticket whose threshold has grown often gets
 * a good game before it is overdue. At 0.6 and at 0.85 results are nearly the same.
 */
const DOUBLED_AT_SHARE = 0.7;
/**
 * How often the spread within a party counts. The imbalance of a game is a root mean square over its parties, the limit a
 * mean. So parties of unequal spread have an imbalance above their mean spread, which waiting cannot reduce either.
 */
const PARTY_SPREAD = 1.1;
/** A lower load counts as this one, so that every ticket allows more than 0. With 0.1 and 0.5 results are the same. */
const LOAD_MIN = 0.7;
/** By how many times θ a threshold is raised when no newcomer can be expected before the time-out. */
const URGENCY_MAX = 2;

/** The parameters of `option-value` that limits depend on. */
export interface LimitOptions {
  /** Imbalance per second of a player's wait. */
  readonly waitCost: number;
  /** At this age a ticket gets a game whatever its imbalance. @default only the time-out counts */
  readonly longestWaitSeconds?: number | undefined;
}

/** What a ticket contributes to the limit of a game. */
export interface LimitTerms {
  /** θ without its growth by age. */
  readonly theta: number;
  /** θ with its growth by age. The game's limit uses the mean over its players. */
  readonly threshold: number;
  /** The part that does not grow: what the skillSpread of its own players adds. */
  readonly fixed: number;
  /**
   * The share by which the ticket's time-out raises the game's limit; infinite when the ticket must get a game now. The
   * largest in a game counts.
   */
  readonly urgency: number;
  /** Whether the ticket will be older than the longest wait at the next tick. Its urgency is then infinite. */
  readonly isOverdue: boolean;
}

/**
 * The largest imbalance with which a game of these tickets is released.
 *
 * @param loads of their seats: see `seatLoads`. @default 1 for a ticket that is not among them
 */
export function limitOf(
  tickets: readonly Ticket[],
  terms: readonly LimitTerms[],
  loads: ReadonlyMap<Ticket, number>,
): number {
  let players = 0;
  for (const ticket of tickets) players += ticket.players.length;
  let threshold = 0;
  let fixed = 0;
  let urgency = 0;
  tickets.forEach((ticket, at) => {
    const size = ticket.players.length;
    threshold += (size * terms[at].threshold) / players;
    fixed += (size * (terms[at].fixed + forLoad(terms[at].theta, loads.get(ticket) ?? 1))) / players;
    urgency = Math.max(urgency, terms[at].urgency);
  });
  // Not computed from the threshold, which may be 0.
  return urgency === Number.POSITIVE_INFINITY ? urgency : threshold * (1 + urgency) + fixed;
}

/** What the load of its seats adds to what a ticket allows; below 0 for a load below 1. */
export function forLoad(theta: number, load: number): number {
  return theta * (Math.max(LOAD_MIN, load) - 1);
}

export function limitTerms(
  options: LimitOptions,
  facts: PoolFacts,
  nowMs: number,
): (ticket: Ticket) => LimitTerms {
  const { waitCost, longestWaitSeconds = Number.POSITIVE_INFINITY } = options;
  const { rules, arrivalRate, timeoutMs, tickMs } = facts;
  const factor = thresholdFactor(rules);
  const growth = growthByAge(options, facts);
  return (ticket) => {
    const theta = factor * Math.sqrt(waitCost / facts.density(meanSkill(ticket)));
    const ageSeconds = (nowMs - ticket.enqueuedAtMs) / 1000;
    const leftSeconds = Math.max(0, timeoutMs / 1000 - ageSeconds);
    const isOverdue = ageSeconds + tickMs / 1000 > longestWaitSeconds;
    return {
      theta,
      threshold: theta * growth(ageSeconds),
      fixed:
        ticket.players.length === 1
          ? 0
          : PARTY_SPREAD *
            skillSpread(
              ticket.players.map(({ skill }) => skill),
              rules.q,
            ),
      // Each further team of expected newcomers lowers the urgency by a factor of e.
      urgency:
        isOverdue || isLastChance(1000 * ageSeconds, facts)
          ? Number.POSITIVE_INFINITY
          : URGENCY_MAX * Math.exp((-arrivalRate * leftSeconds) / rules.teamSize),
      isOverdue,
    };
  };
}

/** By how many times the threshold of a ticket of this age exceeds θ. */
export function growthByAge(
  { waitCost, longestWaitSeconds = Number.POSITIVE_INFINITY }: LimitOptions,
  facts: PoolFacts,
): (ageSeconds: number) => number {
  // One time scale for all tickets. With their own, tickets at the sparse ends would wait several times as long.
  const typical = thresholdFactor(facts.rules) * Math.sqrt(waitCost / facts.typicalDensity());
  const doubledAtSeconds = Math.min(
    (THRESHOLDS_TO_DOUBLE * typical) / waitCost,
    DOUBLED_AT_SHARE * longestWaitSeconds,
  );
  return (ageSeconds) => 1 + (ageSeconds / doubledAtSeconds) ** AGE_EXPONENT;
}

/**
 * c in θ = c·√(waitCost/λ).
 *
 * With ρ players waiting per unit of skill, neighbours are 1/ρ apart. A game of neighbours then has imbalance
 * f = v/ρ, where v is the imbalance of players one unit apart. By Little's law they wait ρ/λ. So f·wait = v/λ, and
 * f + waitCost·wait is least where both terms are equal, at f = √(v·waitCost/λ). Games are chosen from several
 * possible ones, so the threshold can be lower. At three quarters of it the sum is least for pairs with a time-out,
 * and within 2% of the least for 5v5.
 */
function thresholdFactor(rules: GameRules): number {
  const places = Float64Array.from({ length: shapeOf(rules).seats }, (_, at) => at);
  const unit = skillSpread(places, rules.q) + (isFreeForAll(rules) ? rules.alpha * (places.length - 1) : 0);
  return CHOSEN * Math.sqrt(unit);
}
const CHOSEN = 3 / 4;
