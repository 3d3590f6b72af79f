import type { Ticket } from '../../engine/types.ts';
import type { CandidateSource, PoolFacts } from '../policy.ts';
import { growthByAge, type LimitOptions } from './limits.ts';

/** Whether a search around the ticket may find what searches at earlier ticks did not. */
export type IsDue = (ticket: Ticket) => boolean;

/**
 * A ticket is due when it is new, and then each time its threshold has grown by another step. A game that was above its limit
 * is within it only when one of its tickets is new, has a higher threshold, becomes urgent or has waited long enough for
 * teams that start short. All tickets are due in a tick without new ones, because the estimated rate falls in a silence, which
 * raises all thresholds. The loads of seats change with the neighbours; searching a ticket each time its own has risen gives
 * the same results.
 */
export function dueAt(options: LimitOptions, pool: CandidateSource, facts: PoolFacts, nowMs: number): IsDue {
  const { searchedAtMs } = facts;
  const newest = pool.byAge.at(-1);
  if (searchedAtMs === undefined || newest === undefined || newest.enqueuedAtMs <= searchedAtMs)
    return () => true;
  const growth = growthByAge(options, facts);
  const steps = (grown: number) => Math.floor(Math.log(grown) / Math.log(GROWTH_STEP));
  const shortAfterMs = 1000 * (facts.rules.short?.afterSeconds ?? Number.POSITIVE_INFINITY);
  return ({ enqueuedAtMs }) => {
    if (enqueuedAtMs > searchedAtMs) return true;
    if (enqueuedAtMs + shortAfterMs > searchedAtMs && enqueuedAtMs + shortAfterMs <= nowMs) return true;
    const grown = growth((nowMs - enqueuedAtMs) / 1000);
    return grown >= GROWTH_STEP && steps(growth((searchedAtMs - enqueuedAtMs) / 1000)) < steps(grown);
  };
}

/** The steps in which a growing threshold makes a ticket due. With steps of 10% results are the same. */
const GROWTH_STEP = 1.2;
