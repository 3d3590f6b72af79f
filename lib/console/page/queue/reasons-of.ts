import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import type { Ticket } from '../../../engine/types.ts';
import { planTick, type TickPlan } from '../../../policies/plan.ts';
import type { WaitingTicket } from '../data/waiting.ts';

/** Why tickets wait, the most frequent reason first. */
export interface CountedReason {
  /** The reason, with its numbers replaced, because they differ from ticket to ticket. */
  readonly reason: string;
  readonly tickets: number;
}

/** The search is cut short after this many tickets: the nearest neighbours decide. */
const TICKETS_MAX = 300;

/**
 * Plans a tick over a sample of the waiting tickets, as the service does, and counts the reasons of those that would go on
 * waiting. The service's own tick also knows the arrivals so far, so its decisions may differ in single cases.
 */
export function reasonsOf(definition: QueueDefinition, waiting: readonly WaitingTicket[]): CountedReason[] {
  const plan = planOf(definition, waiting, true);
  const counts = new Map<string, number>();
  for (const { reason } of plan.waiting) {
    const kind = kindOf(reason);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return Array.from(counts, ([reason, count]) => ({ reason, tickets: count })).sort(
    (a, b) => b.tickets - a.tickets,
  );
}

/** `Ticket t4 accepts a skill distance of 120 …` becomes `A ticket accepts a skill distance of … …`. */
function kindOf(reason: string): string {
  return reason.replace(/\bTicket t\d+\b/g, 'A ticket').replace(/-?\d[\d,]*(?:\.\d+)?/g, '…');
}

/** The results of one search over a sample. */
export interface DryRunResult {
  readonly matches: number;
  readonly players: number;
  /** Tickets that go on waiting. */
  readonly waiting: number;
  /** The mean; NaN without matches, as the next. */
  readonly imbalance: number;
  readonly provedShare: number;
}

/** Searches once among the tickets of a sample. */
export function dryRunOf(definition: QueueDefinition, waiting: readonly WaitingTicket[]): DryRunResult {
  const { matches, waiting: left } = planOf(definition, waiting, false);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    matches: matches.length,
    players: matches.reduce((sum, { teams }) => sum + teams.flat().length, 0),
    waiting: left.length,
    imbalance: mean(matches.map(({ imbalance }) => imbalance)),
    provedShare: mean(matches.map(({ optimal }) => (optimal ? 1 : 0))),
  };
}

function planOf(definition: QueueDefinition, waiting: readonly WaitingTicket[], reasons: boolean): TickPlan {
  const nowMs = 1_000_000 * definition.timeoutSeconds;
  const step = Math.max(1, waiting.length / TICKETS_MAX);
  const tickets = Array.from({ length: Math.min(TICKETS_MAX, waiting.length) }, (_, at): Ticket => {
    const { skill, size, roles, ageSeconds } = waiting[Math.floor(at * step)]!;
    return {
      ticketId: `t${at}`,
      enqueuedAtMs: nowMs - 1_000 * ageSeconds,
      players: Array.from({ length: size }, (_, member) => ({
        playerId: `t${at}.${member}`,
        skill,
        ...(roles && { roles }),
      })),
    };
  });
  return planTick({ rules: definition, tickets, nowMs, timeouts: false, reasons });
}
