import { provedGap } from '../../../contract/proved-gap.ts';
import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import type { Ticket } from '../../../engine/types.ts';
import { planTick, type TickPlan } from '../../../policies/plan.ts';
import type { WaitingTicket } from './waiting.ts';

/** Why tickets wait, the most frequent reason first. */
export interface CountedReason {
  /** The reason. A number that differs from ticket to ticket is a range. */
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
  const kinds = Map.groupBy(
    plan.waiting.map(({ reason }) => reason.replace(/\bTicket t\d+\b/g, 'A ticket')),
    (reason) => reason.replace(NUMBER, '#'),
  );
  return Array.from(kinds.values(), (reasons) => ({
    reason: together(reasons),
    tickets: reasons.length,
  })).sort((a, b) => b.tickets - a.tickets);
}

const NUMBER = /(?<![\w#])-?\d[\d,]*(?:\.\d+)?/g;

/** Reasons that differ in their numbers as one: `… needs 4, 2 available` and `… needs 4, 3 available` are `… needs 4, 2 to 3 available`. */
function together(reasons: readonly string[]): string {
  const numbers = reasons.map((reason) => reason.match(NUMBER) ?? []);
  let place = 0;
  return reasons[0]!.replace(NUMBER, () => {
    const texts = numbers.map((some) => some[place]!);
    place += 1;
    const sorted = texts.toSorted((a, b) => numberOf(a) - numberOf(b));
    const [least, most] = [sorted[0]!, sorted.at(-1)!];
    return least === most ? least : `${least} to ${most}`;
  });
}

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''));
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
    provedShare: mean(matches.map((match) => (provedGap(match) === 0 ? 1 : 0))),
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
