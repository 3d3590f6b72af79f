import { dryRunWithTime } from '../../contract/dry-run.ts';
import { gameJson, type MatchResult } from '../../contract/match.ts';
import { parseWith } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Ticket } from '../../engine/types.ts';
import { planTick } from '../../policies/plan.ts';
import { parseTicketsFile } from '../tickets/read-tickets.ts';

/**
 * Runs one tick over given tickets without storing anything, for `muster match` and dry runs. Tickets past their
 * time-out are searched like the others.
 * @param nowMs @default the time the last ticket was enqueued, so that equal input gives equal output
 */
export function matchOffline(
  definition: QueueDefinition,
  tickets: readonly Ticket[],
  nowMs?: number,
): MatchResult {
  const plan = planTick({
    rules: definition,
    tickets,
    nowMs: nowMs ?? latestArrivalMs(tickets),
    timeouts: false,
  });
  return { queue: definition.name, matches: plan.matches.map(gameJson), waiting: [...plan.waiting] };
}

/**
 * Searches the tickets of a request under a queue's definition.
 * @throws Problem (400)
 */
export function dryRun(definition: QueueDefinition, body: unknown): MatchResult {
  if (Array.isArray(body)) return matchOffline(definition, parseTicketsFile(body, definition, 'The tickets'));
  const { tickets, now } = parseWith(dryRunWithTime, body, 'The dry run');
  const nowMs = now === undefined ? undefined : Date.parse(now);
  return matchOffline(definition, parseTicketsFile(tickets, definition, 'The dry run', '#/tickets'), nowMs);
}

/** When the last ticket was enqueued, in milliseconds since the epoch. It is the default time of an offline search. */
export function latestArrivalMs(tickets: readonly Ticket[]): number {
  return tickets.reduce((latest, { enqueuedAtMs }) => Math.max(latest, enqueuedAtMs), 0);
}
