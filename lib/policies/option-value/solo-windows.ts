import { imbalancePerRange } from '../../engine/game-pool.ts';
import type { Ticket } from '../../engine/types.ts';
import { type Candidate, type CandidateSource, meanSkill, type PoolFacts } from '../policy.ts';
import type { LimitTerms } from './limits.ts';
import { overdueSolos } from './overdue-solos.ts';
import { SoloLine, type Start } from './solo-line.ts';

/**
 * For solos: games of overdue tickets, then the games of last chances, each the best of all that wait as far as a candidate's
 * node budget finds it. Then all games of neighbours whose spread is within their limit, the widest margin first.
 *
 * A release makes others neighbours, so the line is gone through again as long as there are releases. Neighbours that have
 * been offered are not offered again.
 */
export function* soloWindows(
  pool: CandidateSource,
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
): Iterable<Candidate> {
  const isLastChance = (ticket: Ticket) =>
    pool.isWaiting(ticket) && termsOf(ticket).urgency === Number.POSITIVE_INFINITY;
  const last = pool.byAge.filter(isLastChance);
  pool.lastChances(last);
  yield* overdueSolos(pool, facts, termsOf);
  if (last.some(isLastChance)) {
    yield* ofNeighbours(pool, facts, termsOf, (start) => start.margin === Number.POSITIVE_INFINITY);
    // Neighbours that share a player form no game.
    for (const ticket of last) {
      const any = isLastChance(ticket) ? pool.gameWith(ticket) : undefined;
      if (any !== undefined) yield any;
    }
  }
  yield* ofNeighbours(pool, facts, termsOf, () => true);
}

/** The games of neighbours that are wanted. */
function* ofNeighbours(
  pool: CandidateSource,
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
  isWanted: (start: Start) => boolean,
): Iterable<Candidate> {
  const isWaiting = (ticket: Ticket) => pool.isWaiting(ticket);
  const sorted = pool.bySkill.filter(isWaiting);
  const line = new SoloLine(sorted, facts, termsOf);
  for (;;) {
    let released = false;
    for (const start of line.starts().filter(isWanted)) {
      const window = line.window(start);
      const nearest = window && pool.gameAmong(window);
      if (nearest === undefined) continue;
      const best =
        start.margin === Number.POSITIVE_INFINITY
          ? bestAtLastChance(pool, sorted, window!, nearest, facts, termsOf)
          : undefined;
      const candidate = best ?? nearest;
      yield candidate;
      if (candidate.tickets.every(isWaiting)) continue;
      released = true;
      if (best === undefined) line.removeWindow(start);
      else line.removeUnless(isWaiting);
    }
    if (!released) return;
    line.close();
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
