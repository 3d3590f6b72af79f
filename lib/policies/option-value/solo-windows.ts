import { imbalancePerRange, shapeOf, skillSpread } from '../../engine/game-pool.ts';
import type { Ticket } from '../../engine/types.ts';
import { type Candidate, type CandidateSource, meanSkill, type PoolFacts } from '../policy.ts';
import { isFreeForAll, type LimitTerms } from './limits.ts';

/**
 * For solos: all games of neighbours whose spread is within their limit, the widest margin first. At a last chance the best
 * game of all that wait, as far as a candidate's node budget finds it.
 */
export function* soloWindows(
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
