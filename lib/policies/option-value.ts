import { shapeOf } from '../engine/game-pool.ts';
import type { Ticket } from '../engine/types.ts';
import type { OptionValueOptions } from '../vocabulary/release-options.ts';
import { aroundDueTickets, SEATS_AMONG_NEIGHBOURS } from './option-value/due-search.ts';
import { dueAt } from './option-value/due-tickets.ts';
import { type LimitTerms, limitOf, limitTerms } from './option-value/limits.ts';
import { soloWindows } from './option-value/solo-windows.ts';
import { lastChanceAfterMs, oldestAgeMs, type Policy, type PoolFacts, takesAnyone } from './policy.ts';

/**
 * Holds a game as long as the expected improvement is worth more than the wait.
 *
 * Each ticket has a threshold θ = c·√(waitCost/λ), where λ is the estimated density of arrivals at its skill
 * (players per second and unit of skill). Where arrivals are dense, a short wait finds near-perfect opponents; at
 * the sparse ends of the scale no wait does. At θ, the imbalance that waiting can still save and the wait it
 * takes cost the same. The threshold grows
 * - with the fourth power of the ticket's age: it is doubled at five times the wait that a typical θ is worth, and
 *   seventeen times as high at ten times, so that the wait is bounded;
 * - when so little time is left before the time-out that few newcomers can be expected;
 * - with roles or sides, when more players than there are seats wait near it who accept no others: see `seatLoads`.
 * The skill spread within a party is added, because waiting cannot reduce it; a game of these parties alone has at
 * least that imbalance. A game's limit is the mean over its players, so that each long wait counts. A game is
 * released when its imbalance is within its limit, and always at the last two ticks before a time-out or the
 * longest wait.
 */
export function optionValue(options: OptionValueOptions): Policy {
  let last: { facts: PoolFacts; nowMs: number; termsOf: (ticket: Ticket) => LimitTerms } | undefined;
  /** The loads of seats that the candidates of these facts were searched with. */
  let loads: { facts: PoolFacts; byTicket: ReadonlyMap<Ticket, number> } | undefined;
  /** The terms of one tick, prepared once. */
  const termsAt = (facts: PoolFacts, nowMs: number) => {
    if (last?.facts !== facts || last.nowMs !== nowMs)
      last = { facts, nowMs, termsOf: limitTerms(options, facts, nowMs) };
    return last.termsOf;
  };
  /** For how long at most: then one of the tickets is at its last chance, or has waited for the longest wait. */
  const atMost = (tickets: readonly Ticket[], facts: PoolFacts, nowMs: number): string => {
    const { longestWaitSeconds = Number.POSITIVE_INFINITY } = options;
    const endMs = Math.min(lastChanceAfterMs(facts), 1000 * longestWaitSeconds - facts.tickMs);
    const seconds = Math.floor((endMs - oldestAgeMs(tickets, nowMs)) / 1000) + 1;
    return seconds > 0 ? `, for ${seconds} s at most` : '';
  };
  return {
    candidates(pool, facts, nowMs) {
      const termsOf = termsAt(facts, nowMs);
      const isSolo = (ticket: Ticket) => ticket.players.length === 1 || !pool.isWaiting(ticket);
      const solos = takesAnyone(facts.rules) && !pool.hasRules && pool.bySkill.every(isSolo);
      const isSmall = shapeOf(facts.rules).seats <= SEATS_AMONG_NEIGHBOURS;
      if (solos && isSmall) return soloWindows(pool, facts, termsOf);
      const isDue = dueAt(options, pool, facts, nowMs);
      const byTicket = new Map<Ticket, number>();
      loads = { facts, byTicket };
      return aroundDueTickets(pool, facts, nowMs, termsOf, isDue, byTicket);
    },
    release({ game, tickets }, facts, nowMs) {
      const termsOf = termsAt(facts, nowMs);
      const byTicket = loads?.facts === facts ? loads.byTicket : NO_LOADS;
      const limit = limitOf(tickets, tickets.map(termsOf), byTicket);
      if (game.imbalance <= limit) return { release: true };
      return {
        release: false,
        reason:
          `The best match near its skill has imbalance ${game.imbalance.toPrecision(4)}. At the current arrival rate, ` +
          `waiting for one with at most ${limit.toPrecision(4)} is worthwhile${atMost(tickets, facts, nowMs)}.`,
      };
    },
    reason: (ticket, facts, nowMs) =>
      `At the current arrival rate of players near its skill, a better match is worth the wait${atMost([ticket], facts, nowMs)}.`,
  };
}

const NO_LOADS: ReadonlyMap<Ticket, number> = new Map();
