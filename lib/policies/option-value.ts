import * as z from 'zod';
import {
  imbalancePerRange,
  isPaperShape,
  shapeOf,
  skillSpread,
  type TicketLimits,
} from '../engine/game-pool.ts';
import type { GameRules, Ticket } from '../engine/types.ts';
import { leastSpreadAround } from './least-spread.ts';
import {
  type Candidate,
  type CandidateSource,
  isLastChance,
  meanSkill,
  type Policy,
  type PoolFacts,
  takesAnyone,
} from './policy.ts';

/**
 * Holds a game as long as the expected improvement is worth more than the wait.
 *
 * Each ticket has a threshold θ = c·√(waitCost/λ), where λ is the estimated density of arrivals at its skill
 * (players per second and unit of skill). Where arrivals are dense, a short wait finds near-perfect opponents; at
 * the sparse ends of the scale no wait does. At θ, the imbalance that waiting can still save and the wait it
 * takes cost the same. The threshold grows
 * - with the fourth power of the ticket's age: it is doubled at five times the wait that a typical θ is worth, and
 *   seventeen times as high at ten times, so that the wait is bounded;
 * - when so little time is left before the time-out that few newcomers can be expected.
 * The skill spread within a party is added, because waiting cannot reduce it; a game of such parties alone has at
 * least that imbalance. A game's limit is the mean over its players, so that each long wait counts. A game is
 * released when its imbalance is within its limit, and always at the last tick before a time-out.
 */
export const optionValueOptions = z.strictObject({
  policy: z.literal('option-value'),
  /**
   * How much imbalance one second of one player's wait is worth, in the unit of skill. With 0.5, a wait of 10 s
   * costs as much as an imbalance that is 5 higher.
   */
  waitCost: z.number().positive(),
});
export type OptionValueOptions = z.infer<typeof optionValueOptions>;

export function optionValue({ waitCost }: OptionValueOptions): Policy {
  return {
    candidates(pool, facts, nowMs) {
      const termsOf = limitTerms(waitCost, facts, nowMs);
      const isSolo = (ticket: Ticket) => ticket.players.length === 1 || !pool.isWaiting(ticket);
      const solos = takesAnyone(facts.rules) && !pool.hasRules && pool.bySkill.every(isSolo);
      if (solos && shapeOf(facts.rules).seats <= SEATS_AMONG_NEIGHBOURS)
        return widestMargin(pool, facts, termsOf);
      // The neighbours of a ticket often lack a side, and a search around each ticket is slow with many seats.
      if (!isPaperShape(facts.rules)) return pool.bestFirst();
      if (pool.hasRules) return aroundLongestWaiters(pool, facts, termsOf);
      return aroundDueTickets(pool, facts, termsOf, dueAt(waitCost, pool, facts, nowMs));
    },
    release({ game, tickets }, facts, nowMs) {
      const termsOf = limitTerms(waitCost, facts, nowMs);
      const limit = limitOf(tickets, tickets.map(termsOf), facts.rules);
      if (game.imbalance <= limit) return { release: true };
      return {
        release: false,
        reason:
          `The best match near its skill has imbalance ${game.imbalance.toPrecision(4)}. At the current arrival rate, ` +
          `waiting for one with at most ${limit.toPrecision(4)} is worthwhile.`,
      };
    },
    reason: () => 'At the current arrival rate of players near its skill, a better match is worth the wait.',
  };
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
  const apart = Float64Array.from({ length: shapeOf(rules).seats }, (_, at) => at);
  const unit = skillSpread(apart, rules.q) + (isFreeForAll(rules) ? rules.alpha * (apart.length - 1) : 0);
  return CHOSEN * Math.sqrt(unit);
}
const CHOSEN = 3 / 4;

/** Whether all teams have one player: teamGap is then the range of skills. */
function isFreeForAll(rules: GameRules): boolean {
  return shapeOf(rules).teamSizes.every((size) => size === 1);
}

/** Games of at most this many seats are searched among neighbours, larger ones best first. */
const SEATS_AMONG_NEIGHBOURS = 16;

/**
 * A ticket's threshold is doubled at the age at which waiting has cost this many typical thresholds, and grows with
 * this exponent. A shorter longest wait than these values give costs ever more imbalance: see docs/policies.md.
 */
const THRESHOLDS_TO_DOUBLE = 5;
const AGE_EXPONENT = 4;
/** By how many times θ a threshold is raised when no newcomer can be expected before the time-out. */
const URGENCY_MAX = 2;

/** What a ticket contributes to the limit of a game. */
interface LimitTerms {
  /** θ without its growth by age. */
  readonly theta: number;
  /** θ with its growth by age. The game's limit uses the mean over its players. */
  readonly threshold: number;
  /** The skillSpread of its own players. */
  readonly apart: number;
  /** The share by which the ticket's time-out raises the game's limit. The largest in a game counts. */
  readonly urgency: number;
}

/** The largest imbalance with which a game of these tickets is released. */
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
  const growth = growthByAge(waitCost, facts);
  return (ticket) => {
    const theta = factor * Math.sqrt(waitCost / facts.density(meanSkill(ticket)));
    const ageSeconds = (nowMs - ticket.enqueuedAtMs) / 1000;
    const leftSeconds = Math.max(0, timeoutMs / 1000 - ageSeconds);
    return {
      theta,
      threshold: theta * growth(ageSeconds),
      apart:
        ticket.players.length === 1
          ? 0
          : skillSpread(
              ticket.players.map(({ skill }) => skill),
              rules.q,
            ),
      // Each further team of expected newcomers lowers the urgency by a factor of e.
      urgency: isLastChance(1000 * ageSeconds, facts)
        ? Number.POSITIVE_INFINITY
        : URGENCY_MAX * Math.exp((-arrivalRate * leftSeconds) / rules.teamSize),
    };
  };
}

/** By how many times the threshold of a ticket of this age exceeds θ. */
function growthByAge(waitCost: number, facts: PoolFacts): (ageSeconds: number) => number {
  // One time scale for all tickets. With their own, tickets at the sparse ends would wait several times as long.
  const typical = thresholdFactor(facts.rules) * Math.sqrt(waitCost / facts.typicalDensity);
  const doubledAtSeconds = (THRESHOLDS_TO_DOUBLE * typical) / waitCost;
  return (ageSeconds) => 1 + (ageSeconds / doubledAtSeconds) ** AGE_EXPONENT;
}

/**
 * For solos: all games of neighbours whose spread is within their limit, the widest margin first. At a last chance the best
 * game of all that wait, as far as a candidate's node budget finds it.
 */
function* widestMargin(
  pool: CandidateSource,
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
): Iterable<Candidate> {
  const { seats } = shapeOf(facts.rules);
  for (;;) {
    const sorted = pool.bySkill.filter((ticket) => pool.isWaiting(ticket));
    let released = false;
    for (const { at, isLastChance } of startsByMargin(sorted, facts, termsOf)) {
      const window = sorted.slice(at, at + seats);
      if (!window.every((ticket) => pool.isWaiting(ticket))) continue;
      const ofNeighbours = pool.gameAmong(window);
      if (ofNeighbours === undefined) continue;
      const best = isLastChance
        ? bestAtLastChance(pool, sorted, window, ofNeighbours, facts, termsOf)
        : undefined;
      const candidate = best ?? ofNeighbours;
      yield candidate;
      released ||= candidate.tickets.some((ticket) => !pool.isWaiting(ticket));
    }
    if (!released) return;
  }
}

/**
 * The best game among all waiting tickets for the longest-waiting ticket of a window that is at its last chance. Undefined
 * when its best game is that of the window. By Lemma 6 no ticket out of reach is in a better game.
 */
function bestAtLastChance(
  pool: CandidateSource,
  sorted: readonly Ticket[],
  window: readonly Ticket[],
  ofNeighbours: Candidate,
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
): Candidate | undefined {
  const urgent = window.filter((ticket) => termsOf(ticket).urgency === Number.POSITIVE_INFINITY);
  const anchor = urgent.reduce((a, b) => (a.enqueuedAtMs <= b.enqueuedAtMs ? a : b));
  const skill = meanSkill(anchor);
  const reach = ofNeighbours.game.imbalance / imbalancePerRange(facts.rules);
  const near = sorted.filter(
    (ticket) => Math.abs(meanSkill(ticket) - skill) <= reach && pool.isWaiting(ticket),
  );
  if (near.length <= window.length) return undefined;
  const best = pool.gameAmong(near, anchor);
  return best && best.game.imbalance < ofNeighbours.game.imbalance ? best : undefined;
}

/** Neighbours in the order of skill that may be released as a game. */
interface Start {
  /** The place of the first of them. */
  readonly at: number;
  /** Their limit − a lower bound on their imbalance: 0 or more, infinite at a last chance. */
  readonly margin: number;
  /** The lower bound on their imbalance. */
  readonly least: number;
  /** Whether one of them is at its last chance. */
  readonly isLastChance: boolean;
}

/** All neighbours that may be released as a game, descending by margin. */
function startsByMargin(
  sorted: readonly Ticket[],
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
): Start[] {
  const { rules } = facts;
  const { seats } = shapeOf(rules);
  const skills = Float64Array.from(sorted, meanSkill);
  const terms = sorted.map(termsOf);
  const starts: Start[] = [];
  for (let at = 0; at + seats <= sorted.length; at++) {
    let threshold = 0;
    let urgency = 0;
    for (let i = at; i < at + seats; i++) {
      threshold += terms[i].threshold;
      urgency = Math.max(urgency, terms[i].urgency);
    }
    const limit = (threshold / seats) * (1 + urgency);
    // With one player per team, the gap between the teams is known too.
    const apart = isFreeForAll(rules) ? rules.alpha * (skills[at + seats - 1] - skills[at]) : 0;
    const least = apart + skillSpread(skills.subarray(at, at + seats), rules.q);
    if (least <= limit)
      starts.push({ at, margin: limit - least, least, isLastChance: urgency === Number.POSITIVE_INFINITY });
  }
  // At a last chance margins are infinite, so the most uniform game goes first.
  return starts.sort((a, b) => compare(b.margin, a.margin) || a.least - b.least || a.at - b.at);
}

/** Like a − b, but 0 for equal infinities. */
const compare = (a: number, b: number) => (a === b ? 0 : a - b);

/** Which neighbours a game for a ticket is searched among: those of its kind (party or solo), or all. */
type Neighbours = 'of its kind' | 'all';
/** Two parties that are one player short of a team each need one solo. */
const PLACES_BESIDE_PARTIES = 2;

/**
 * For parties and roles under rules: for each ticket, longest wait first, the best game among its neighbours. Neighbours of
 * its own kind are tried first. Imbalance is a root mean square, so a party with a wide spread adds less to a game of
 * other such parties than to a game of solos.
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
  // Parties may not fit into two teams and roles may be missing, so the engine gets more tickets than a game needs.
  const enough = (rules.roles === undefined && !pool.hasRules ? 3 : 6) * seats;
  const isParty = sorted.map(({ players }) => players.length > 1);
  const searched: Neighbours[] = isParty.includes(true) ? ['of its kind', 'all'] : ['all'];

  for (const anchor of pool.byAge) {
    const middle = place.get(anchor);
    if (middle === undefined) continue;
    for (const neighbours of searched) {
      if (!pool.isWaiting(anchor)) break;
      const near = nearest(middle, neighbours);
      if (near === undefined || leastExcess(near, middle) > highestLimit(near)) continue;
      let candidate = pool.gameAmong(
        near.map((at) => sorted[at]),
        anchor,
      );
      // Under rules the neighbours may form no game where others would.
      if (candidate === undefined && pool.hasRules && terms[middle].urgency === Number.POSITIVE_INFINITY)
        candidate = pool.gameAmong(
          sorted.filter((ticket) => pool.isWaiting(ticket)),
          anchor,
        );
      if (candidate !== undefined) yield candidate;
    }
  }

  /** The places of the waiting tickets nearest to `middle`, ascending; undefined when there are too few for a game. */
  function nearest(middle: number, neighbours: Neighbours): number[] | undefined {
    const near = [middle];
    let players = sorted[middle].players.length;
    let placesLeft =
      neighbours === 'all' ? Number.POSITIVE_INFINITY : isParty[middle] ? PLACES_BESIDE_PARTIES : 0;
    let below = middle - 1;
    let above = middle + 1;
    while (players < enough && (below >= 0 || above < sorted.length)) {
      const toBelow = below < 0 ? Number.POSITIVE_INFINITY : skills[middle] - skills[below];
      const toAbove = above === sorted.length ? Number.POSITIVE_INFINITY : skills[above] - skills[middle];
      const next = toBelow <= toAbove ? below-- : above++;
      if (!pool.isWaiting(sorted[next]) || !pool.mayMeet(sorted[middle], sorted[next])) continue;
      if (isParty[next] !== isParty[middle] && placesLeft-- <= 0) continue;
      near.push(next);
      players += sorted[next].players.length;
    }
    return players < seats ? undefined : near.sort((a, b) => a - b);
  }

  /**
   * A lower bound on the imbalance, in excess of the spread within parties, of a game that contains the ticket at
   * `middle`. It treats every player as having the mean skill of the ticket, and lets parties be split; then the most
   * uniform game is one of neighbours. For q = 2 the spread within parties adds in squares; for any q, it can be
   * subtracted.
   */
  function leastExcess(near: readonly number[], middle: number): number {
    const apart = Math.max(...near.map((at) => terms[at].apart));
    const spread = leastSpread(near, middle);
    return rules.q === 2 ? Math.hypot(spread, apart) - apart : spread - apart;
  }

  /** A lower bound on v_q of the ticket at `middle` with any of the others, where every player counts by itself. */
  function leastSpread(near: readonly number[], middle: number): number {
    const others: number[] = [];
    for (const at of near) {
      if (at === middle) continue;
      for (const _ of sorted[at].players) others.push(skills[at] - skills[middle]);
    }
    return leastSpreadAround(others, seats, sorted[middle].players.length, rules.q);
  }

  /** An upper bound on the limit of any game among these tickets, without the spread within parties. */
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

/** Whether a search around the ticket may find what searches at earlier ticks did not. */
type IsDue = (ticket: Ticket) => boolean;

/**
 * A ticket is due when it is new, and then each time its threshold has grown by another step. A game that was above its limit
 * is within it only when one of its tickets is new, has a higher threshold or becomes urgent. All tickets are due in a
 * tick without new ones, because the estimated rate falls in a silence, which raises all thresholds.
 */
function dueAt(waitCost: number, pool: CandidateSource, facts: PoolFacts, nowMs: number): IsDue {
  const { searchedAtMs } = facts;
  const newest = pool.byAge.at(-1);
  if (searchedAtMs === undefined || newest === undefined || newest.enqueuedAtMs <= searchedAtMs)
    return () => true;
  const growth = growthByAge(waitCost, facts);
  const steps = (ageMs: number) => Math.floor(Math.log(growth(ageMs / 1000)) / Math.log(GROWTH_STEP));
  return ({ enqueuedAtMs }) =>
    enqueuedAtMs > searchedAtMs || steps(searchedAtMs - enqueuedAtMs) < steps(nowMs - enqueuedAtMs);
}
/** The steps in which a growing threshold makes a ticket due. With steps of 10% results are the same. */
const GROWTH_STEP = 1.2;
/** A lower urgency is not considered in searches. A ticket with a higher one is due at every tick. */
const URGENCY_MIN = 0.01;

/**
 * For parties and roles without rules: for each ticket that is due, longest wait first, the game with the widest margin among
 * its neighbours. Neighbours of its own kind are tried first.
 *
 * The urgency of a game is that of its most urgent ticket, and that one is due. So a search considers the urgency of
 * its own ticket, and leaves out those that are more urgent. They have been searched before.
 */
function* aroundDueTickets(
  pool: CandidateSource,
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
  isDue: IsDue,
): Iterable<Candidate> {
  const { rules } = facts;
  const sorted = pool.bySkill.filter((ticket) => pool.isWaiting(ticket));
  const place = new Map(sorted.map((ticket, at) => [ticket, at]));
  const skills = Float64Array.from(sorted, meanSkill);
  const sizes = Uint8Array.from(sorted, ({ players }) => players.length);
  const terms = sorted.map(termsOf);
  const urgencies = Float64Array.from(terms, ({ urgency }) => (urgency < URGENCY_MIN ? 0 : urgency));
  const { seats } = shapeOf(rules);
  // Parties may not fit into two teams and roles may be missing, so the engine gets more tickets than a game needs.
  const enough = (rules.roles === undefined ? 3 : 6) * seats;
  const searched: Neighbours[] = sizes.some((size) => size > 1) ? ['of its kind', 'all'] : ['all'];
  // The waiting tickets as a linked list.
  const below = Int32Array.from(sorted, (_, at) => at - 1);
  const above = Int32Array.from(sorted, (_, at) => at + 1);

  for (const anchor of pool.byAge) {
    const middle = place.get(anchor);
    if (middle === undefined || !(urgencies[middle] > 0 || isDue(anchor))) continue;
    for (const neighbours of searched) {
      if (!pool.isWaiting(anchor)) break;
      const near = nearest(middle, neighbours);
      const candidate =
        urgencies[middle] === Number.POSITIVE_INFINITY
          ? bestOfAny(anchor, near, neighbours)
          : near && pool.gameWithin(ticketsAt(near), near.indexOf(middle), limitsOf(near, urgencies[middle]));
      if (candidate === undefined) continue;
      yield candidate;
      for (const ticket of candidate.tickets) if (!pool.isWaiting(ticket)) unlink(place.get(ticket)!);
    }
  }

  /** The best game at a last chance: among the neighbours, or among all waiting tickets when those form none. */
  function bestOfAny(
    anchor: Ticket,
    near: readonly number[] | undefined,
    neighbours: Neighbours,
  ): Candidate | undefined {
    const best = near && pool.gameAmong(ticketsAt(near), anchor);
    if (best !== undefined || neighbours !== 'all') return best;
    const waiting = sorted.filter((ticket) => pool.isWaiting(ticket));
    return waiting.length === near?.length ? undefined : pool.gameAmong(waiting, anchor);
  }

  function ticketsAt(places: readonly number[]): Ticket[] {
    return places.map((at) => sorted[at]);
  }

  function limitsOf(near: readonly number[], urgency: number): TicketLimits {
    const now = new Float64Array(near.length);
    const atFirst = new Float64Array(near.length);
    const apart = new Float64Array(near.length);
    for (let i = 0; i < near.length; i++) {
      const of = terms[near[i]];
      now[i] = of.threshold * (1 + urgency);
      atFirst[i] = of.theta;
      apart[i] = of.apart;
    }
    return { now, atFirst, apart };
  }

  /** The places of the waiting tickets nearest to `middle`, ascending; undefined when there are too few for a game. */
  function nearest(middle: number, neighbours: Neighbours): number[] | undefined {
    const isParty = sizes[middle] > 1;
    const belows: number[] = [];
    const aboves: number[] = [];
    let players = sizes[middle];
    let placesLeft = neighbours === 'all' ? Number.POSITIVE_INFINITY : isParty ? PLACES_BESIDE_PARTIES : 0;
    let low = below[middle];
    let high = above[middle];
    while (players < enough && (low >= 0 || high < sorted.length)) {
      const toLow = low < 0 ? Number.POSITIVE_INFINITY : skills[middle] - skills[low];
      const toHigh = high === sorted.length ? Number.POSITIVE_INFINITY : skills[high] - skills[middle];
      const isLow = toLow <= toHigh;
      const next = isLow ? low : high;
      if (isLow) low = below[low];
      else high = above[high];
      if (urgencies[next] > urgencies[middle]) continue;
      if (sizes[next] > 1 !== isParty && placesLeft-- <= 0) continue;
      (isLow ? belows : aboves).push(next);
      players += sizes[next];
    }
    if (players < seats) return undefined;
    belows.reverse();
    belows.push(middle);
    for (let i = 0; i < aboves.length; i++) belows.push(aboves[i]);
    return belows;
  }

  function unlink(at: number): void {
    if (below[at] >= 0) above[below[at]] = above[at];
    if (above[at] < sorted.length) below[above[at]] = below[at];
  }
}
