import { shapeOf } from '../../engine/game-pool.ts';
import type { Ticket } from '../../engine/types.ts';
import { leastSpreadAround } from '../least-spread.ts';
import { type Candidate, type CandidateSource, meanSkill, type PoolFacts } from '../policy.ts';
import type { LimitTerms } from './limits.ts';
import { type Neighbours, PLACES_BESIDE_PARTIES } from './waiting-line.ts';

/**
 * For parties and roles under rules: for each ticket, longest wait first, the best game among its neighbours. Neighbours of
 * its own kind are tried first. Imbalance is a root mean square, so a party with a wide spread adds less to a game of
 * other such parties than to a game of solos.
 */
export function* aroundLongestWaiters(
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
    if (pool.isOver()) return;
    const middle = place.get(anchor);
    if (middle === undefined) continue;
    for (const neighbours of searched) {
      if (!pool.isWaiting(anchor)) break;
      const near = nearest(middle, neighbours);
      if (near === undefined || leastExcess(near, middle) > highestLimit(near.map((at) => terms[at])))
        continue;
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
    while (players < enough && (below >= 0 || above < sorted.length) && !pool.isOver()) {
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
}

/** An upper bound on the limit of any game among tickets of these terms, without the spread within parties. */
function highestLimit(terms: readonly LimitTerms[]): number {
  const threshold = Math.max(...terms.map((one) => one.threshold));
  const urgency = Math.max(...terms.map((one) => one.urgency));
  return threshold * (1 + urgency);
}
