import * as z from 'zod';
import { shapeOf, skillSpread } from '../engine/game-pool.ts';
import type { GameRules, Ticket } from '../engine/types.ts';
import {
  type Candidate,
  type CandidateSource,
  isLastChance,
  meanSkill,
  type Policy,
  type PoolFacts,
} from './policy.ts';

/**
 * Holds a game as long as the improvement that waiting promises is worth more than the wait.
 *
 * Every ticket brings a threshold θ = c·√(waitCost/λ), λ the estimated density of arrivals at its skill
 * (players per second and unit of skill): where many come, a little patience finds near-perfect company; in
 * the thin ends of the scale it never will. θ is where the imbalance still to be gained and the wait it takes
 * cost the same. It grows
 * - with the fourth power of the ticket's age: it is doubled at five times the wait that a typical θ is worth, and
 *   seventeen times as high at ten times, so that nobody waits without bound;
 * - when so little time is left to the time-out that few newcomers can still be expected.
 * To that comes what friends differ among themselves: no wait makes it smaller, and in a game of such parties alone
 * it is the imbalance. A game's limit is the mean over its players, so that each long waiter counts. It is made when
 * its imbalance is within its limit, and at the last tick before a time-out always.
 */
export const optionValueOptions = z.strictObject({
  policy: z.literal('option-value'),
  /**
   * How much imbalance one second of waiting of one player is worth: with 0.5, a player rather waits 10 s
   * than play a game whose imbalance is 5 higher. In the unit of skill.
   */
  waitCost: z.number().positive(),
});
export type OptionValueOptions = z.infer<typeof optionValueOptions>;

export function optionValue({ waitCost }: OptionValueOptions): Policy {
  return {
    candidates(pool, facts, nowMs) {
      const termsOf = limitTerms(waitCost, facts, nowMs);
      const isSolo = (ticket: Ticket) => ticket.players.length === 1 || !pool.isWaiting(ticket);
      const solos = facts.rules.roles === undefined && pool.bySkill.every(isSolo);
      return solos ? widestMargin(pool, facts, termsOf) : aroundLongestWaiters(pool, facts, termsOf);
    },
    release({ game, tickets }, facts, nowMs) {
      const termsOf = limitTerms(waitCost, facts, nowMs);
      const limit = limitOf(tickets, tickets.map(termsOf), facts.rules);
      if (game.imbalance <= limit) return { release: true };
      return {
        release: false,
        reason:
          `The best game around it has imbalance ${game.imbalance.toPrecision(4)}; at the rate players come, ` +
          `waiting is worth it down to ${limit.toPrecision(4)}.`,
      };
    },
    reason: () => 'A better game is worth the wait at the rate at which players of its skill come.',
  };
}

/**
 * c in θ = c·√(waitCost/λ).
 *
 * With ρ players waiting per unit of skill, neighbours are 1/ρ apart, so a game of them has imbalance f = v/ρ,
 * v that of players one unit apart; by Little's law they wait ρ/λ. So f·wait = v/λ, and f + waitCost·wait is
 * least where both are equal, at f = √(v·waitCost/λ). Games are chosen, not taken as they come, which lets the
 * threshold be lower. At three quarters their sum is least for pairs before a time-out, and in 5v5 within 2% of the least.
 */
function thresholdFactor(rules: GameRules): number {
  const apart = Float64Array.from({ length: shapeOf(rules).seats }, (_, at) => at);
  const unit = skillSpread(apart, rules.q) + (rules.teamSize === 1 ? rules.alpha : 0);
  return CHOSEN * Math.sqrt(unit);
}
const CHOSEN = 3 / 4;

/**
 * At the age at which waiting has cost this many typical thresholds, a ticket's own is doubled; how steeply it grows
 * from there. From these on, a shorter longest wait costs more and more imbalance: docs/policies.md has the measures.
 */
const THRESHOLDS_TO_DOUBLE = 5;
const AGE_EXPONENT = 4;
/** By how many times θ a threshold is higher when no newcomer can be expected any more before the time-out. */
const URGENCY_MAX = 2;

/** What a ticket brings into the limit of a game. */
interface LimitTerms {
  /** θ with its growth by age; the game's is the mean over its players. */
  readonly threshold: number;
  /** The skillSpread of its own players. */
  readonly apart: number;
  /** By which share the nearest time-out raises the limit of the game. */
  readonly urgency: number;
}

/** The imbalance up to which a game of these tickets is made. */
function limitOf(tickets: readonly Ticket[], terms: readonly LimitTerms[], rules: GameRules): number {
  const { seats } = shapeOf(rules);
  let threshold = 0;
  let apart = 0;
  let urgency = 0;
  tickets.forEach(({ players }, at) => {
    threshold += (players.length * terms[at].threshold) / seats;
    apart += (players.length * terms[at].apart) / seats;
    urgency = Math.max(urgency, terms[at].urgency);
  });
  return threshold * (1 + urgency) + apart;
}

function limitTerms(waitCost: number, facts: PoolFacts, nowMs: number): (ticket: Ticket) => LimitTerms {
  const { rules, arrivalRate, timeoutMs } = facts;
  const factor = thresholdFactor(rules);
  // The same scale of age for all: by its own, the thin ends of the scale would wait several times as long.
  const typical = factor * Math.sqrt(waitCost / facts.typicalDensity);
  const doubledAtSeconds = (THRESHOLDS_TO_DOUBLE * typical) / waitCost;
  return (ticket) => {
    const theta = factor * Math.sqrt(waitCost / facts.density(meanSkill(ticket)));
    const ageSeconds = (nowMs - ticket.enqueuedAtMs) / 1000;
    const leftSeconds = Math.max(0, timeoutMs / 1000 - ageSeconds);
    return {
      threshold: theta * (1 + (ageSeconds / doubledAtSeconds) ** AGE_EXPONENT),
      apart:
        ticket.players.length === 1
          ? 0
          : skillSpread(
              ticket.players.map(({ skill }) => skill),
              rules.q,
            ),
      // Each team that still comes makes it e times less.
      urgency: isLastChance(1000 * ageSeconds, facts)
        ? Number.POSITIVE_INFINITY
        : URGENCY_MAX * Math.exp((-arrivalRate * leftSeconds) / rules.teamSize),
    };
  };
}

/** Solos: all games of neighbours whose spread is within their limit, the widest margin first. */
function* widestMargin(
  pool: CandidateSource,
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
): Iterable<Candidate> {
  const { seats } = shapeOf(facts.rules);
  for (;;) {
    const sorted = pool.bySkill.filter((ticket) => pool.isWaiting(ticket));
    let released = false;
    for (const at of startsByMargin(sorted, facts, termsOf)) {
      const window = sorted.slice(at, at + seats);
      if (!window.every((ticket) => pool.isWaiting(ticket))) continue;
      const candidate = pool.gameAmong(window);
      if (candidate === undefined) continue;
      yield candidate;
      released ||= !pool.isWaiting(window[0]);
    }
    if (!released) return;
  }
}

/** Where the games of neighbours start that may be released, by limit − lower bound of the imbalance. */
function startsByMargin(
  sorted: readonly Ticket[],
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
): number[] {
  const { rules } = facts;
  const { seats } = shapeOf(rules);
  const skills = Float64Array.from(sorted, meanSkill);
  const terms = sorted.map(termsOf);
  const starts: { at: number; margin: number; least: number }[] = [];
  for (let at = 0; at + seats <= sorted.length; at++) {
    let threshold = 0;
    let urgency = 0;
    for (let i = at; i < at + seats; i++) {
      threshold += terms[i].threshold;
      urgency = Math.max(urgency, terms[i].urgency);
    }
    const limit = (threshold / seats) * (1 + urgency);
    // With one player per team the difference of the teams is known as well.
    const apart = rules.teamSize === 1 ? rules.alpha * (skills[at + 1] - skills[at]) : 0;
    const least = apart + skillSpread(skills.subarray(at, at + seats), rules.q);
    if (least <= limit) starts.push({ at, margin: limit - least, least });
  }
  // Margins are infinite at a last chance: there the most uniform game goes first.
  return starts
    .sort((a, b) => compare(b.margin, a.margin) || a.least - b.least || a.at - b.at)
    .map(({ at }) => at);
}

/** As a − b, but equal infinities are equal. */
const compare = (a: number, b: number) => (a === b ? 0 : a - b);

/** Which of the tickets near it a ticket is offered for a game. */
type Company = 'of its kind' | 'of all';
/** Two parties of one player less than a team need somebody each. */
const PLACES_BESIDE_PARTIES = 2;

/**
 * Parties and roles: for each ticket, longest waiter first, the best game it has among its neighbours. First among
 * those of its kind: the imbalance of a game is a root mean square, so a party costs less in a game of parties, whose
 * friends differ anyway, than it costs people who have come alone.
 */
function* aroundLongestWaiters(
  pool: CandidateSource,
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
): Iterable<Candidate> {
  const { rules } = facts;
  const sorted = pool.bySkill.filter((ticket) => pool.isWaiting(ticket));
  const place = new Map(sorted.map((ticket, at) => [ticket, at]));
  const skills = Float64Array.from(sorted, meanSkill);
  const terms = sorted.map(termsOf);
  const { seats } = shapeOf(rules);
  // Parties may not pack into two teams and roles may be missing, so the engine chooses among more.
  const enough = (rules.roles === undefined ? 3 : 6) * seats;
  const isParty = sorted.map(({ players }) => players.length > 1);
  const companies: Company[] = isParty.includes(true) ? ['of its kind', 'of all'] : ['of all'];

  for (const anchor of pool.byAge) {
    const middle = place.get(anchor);
    if (middle === undefined) continue;
    for (const company of companies) {
      if (!pool.isWaiting(anchor)) break;
      const near = nearest(middle, company);
      if (near === undefined || leastExcess(near, middle) > highestLimit(near)) continue;
      const candidate = pool.gameAmong(
        near.map((at) => sorted[at]),
        anchor,
      );
      if (candidate !== undefined) yield candidate;
    }
  }

  /** Places of the waiting tickets around one, ascending; undefined when they are too few for a game. */
  function nearest(middle: number, company: Company): number[] | undefined {
    const near = [middle];
    let players = sorted[middle].players.length;
    let placesLeft =
      company === 'of all' ? Number.POSITIVE_INFINITY : isParty[middle] ? PLACES_BESIDE_PARTIES : 0;
    let below = middle - 1;
    let above = middle + 1;
    while (players < enough && (below >= 0 || above < sorted.length)) {
      const toBelow = below < 0 ? Number.POSITIVE_INFINITY : skills[middle] - skills[below];
      const toAbove = above === sorted.length ? Number.POSITIVE_INFINITY : skills[above] - skills[middle];
      const next = toBelow <= toAbove ? below-- : above++;
      if (!pool.isWaiting(sorted[next])) continue;
      if (isParty[next] !== isParty[middle] && placesLeft-- <= 0) continue;
      near.push(next);
      players += sorted[next].players.length;
    }
    return players < seats ? undefined : near.sort((a, b) => a - b);
  }

  /**
   * A lower bound on what a game with the ticket at `middle` in it has in imbalance more than its friends differ: as
   * if every player had the mean skill of the ticket and parties could be split. Then the most uniform game is one of
   * neighbours. Friends add to it in the square for q = 2; for any q, no more than they differ can be left aside.
   */
  function leastExcess(near: readonly number[], middle: number): number {
    const apart = Math.max(...near.map((at) => terms[at].apart));
    const spread = leastSpread(near, middle);
    return rules.q === 2 ? Math.hypot(spread, apart) - apart : spread - apart;
  }

  function leastSpread(near: readonly number[], middle: number): number {
    const players: number[] = [];
    let first = 0;
    for (const at of near) {
      if (at === middle) first = players.length;
      for (const _ of sorted[at].players) players.push(skills[at]);
    }
    const all = Float64Array.from(players);
    const last = first + sorted[middle].players.length - 1;
    let least = Number.POSITIVE_INFINITY;
    for (let from = Math.max(0, last - seats + 1); from <= first && from + seats <= all.length; from++) {
      least = Math.min(least, skillSpread(all.subarray(from, from + seats), rules.q));
    }
    return least;
  }

  /** No game among these tickets has a higher limit, what friends differ left aside. */
  function highestLimit(near: readonly number[]): number {
    let threshold = 0;
    let urgency = 0;
    for (const at of near) {
      threshold = Math.max(threshold, terms[at].threshold);
      urgency = Math.max(urgency, terms[at].urgency);
    }
    return threshold * (1 + urgency);
  }
}
