import { dryRunWithTime } from '../../contract/dry-run.ts';
import { gameJson, type MatchResult } from '../../contract/match.ts';
import { parseWith } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Ticket } from '../../engine/types.ts';
import { type Backfill, type Filling, planTick } from '../../policies/plan.ts';
import type { SearchEffort } from '../../policies/search-effort.ts';
import { parseTicketsFile } from '../tickets/parse-tickets.ts';
import { limitedEffort } from './limited-effort.ts';

/**
 * Runs one tick over given tickets without storing anything, for `muster match` and dry runs. Tickets past their
 * time-out are searched like the others.
 * @param nowMs @default the time the last ticket was enqueued, so that equal input gives equal output
 * @param effort @default no limits
 * @param backfills the running matches that ask for players; the result then says what becomes of them
 */
export function matchOffline(
  definition: QueueDefinition,
  tickets: readonly Ticket[],
  nowMs?: number,
  effort?: SearchEffort,
  backfills?: readonly Backfill[],
): MatchResult {
  const plan = planTick({
    rules: definition,
    tickets,
    backfills,
    nowMs: nowMs ?? latestArrivalMs(tickets),
    timeouts: false,
    effort,
  });
  const result = { queue: definition.name, matches: plan.matches.map(gameJson), waiting: [...plan.waiting] };
  if (backfills === undefined) return result;
  return { ...result, backfilled: plan.fillings.map(fillingJson), unfilled: [...plan.unfilled] };
}

function fillingJson(filling: Filling): NonNullable<MatchResult['backfilled']>[number] {
  const { backfillId, ticketIds, increment } = filling;
  const game = gameJson({ ...filling, priority: filling.imbalance });
  return { backfillId, newTicketIds: [...ticketIds], ...game, increment };
}

/**
 * Searches the tickets of a request under a queue's definition. The result says if the search was cut short; up to
 * then it is that of `muster match`, but for bounds that would have taken long to prove.
 * @param isOver called before each step of the search, which takes half a second or so at most; true cuts it short
 * @throws Problem (400)
 */
export function dryRun(definition: QueueDefinition, body: unknown, isOver: () => boolean): MatchResult {
  const { tickets, nowMs } = readDryRun(definition, body);
  let cut = false;
  const effort = limitedEffort(definition, () => {
    cut ||= isOver();
    return cut;
  });
  const result = matchOffline(definition, tickets, nowMs, effort);
  return cut ? { ...result, cut } : result;
}

function readDryRun(
  definition: QueueDefinition,
  body: unknown,
): { tickets: Ticket[]; nowMs?: number | undefined } {
  if (Array.isArray(body)) return { tickets: parseTicketsFile(body, definition, 'The list of tickets') };
  const { tickets, now } = parseWith(dryRunWithTime, body, 'The dry run');
  return {
    tickets: parseTicketsFile(tickets, definition, 'The dry run', '#/tickets'),
    nowMs: now === undefined ? undefined : Date.parse(now),
  };
}

/** When the last ticket was enqueued, in milliseconds since the epoch. It is the default time of an offline search. */
export function latestArrivalMs(tickets: readonly Ticket[]): number {
  return tickets.reduce((latest, { enqueuedAtMs }) => Math.max(latest, enqueuedAtMs), 0);
}
