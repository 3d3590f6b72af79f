import { dryRunWithTime } from '../../contract/dry-run.ts';
import { gameJson, type MatchResult } from '../../contract/match.ts';
import { parseWith } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Ticket } from '../../engine/types.ts';
import { type Backfill, type Filling, planTick } from '../../policies/plan.ts';
import { parseTicketsFile } from '../tickets/parse-tickets.ts';

/** The time limit of `muster match` and dry runs, in milliseconds, unless the command is given another one. */
export const OFFLINE_SEARCH_MS = 3_000;

/**
 * Runs one tick over given tickets without storing anything, for `muster match` and dry runs. Tickets past their time-out are
 * searched like the others.
 * @param nowMs @default the time the last ticket was enqueued, so that equal input gives equal output
 * @param isOver called during searches; when it returns true, the search ends within some tenths of a second with the matches
 * found so far, and the result says that it was cut short. @default never
 * @param backfills the running matches that request players. With it, the result has the filled and unfilled backfills
 */
export function matchOffline(
  definition: QueueDefinition,
  tickets: readonly Ticket[],
  nowMs?: number,
  isOver: () => boolean = () => false,
  backfills?: readonly Backfill[],
): MatchResult {
  let cut = false as boolean;
  const plan = planTick({
    rules: definition,
    tickets,
    backfills,
    nowMs: nowMs ?? latestArrivalMs(tickets),
    timeouts: false,
    outOfTime: () => {
      cut ||= isOver();
      return cut;
    },
  });
  return {
    queue: definition.name,
    matches: plan.matches.map(gameJson),
    waiting: [...plan.waiting],
    ...(backfills && { backfilled: plan.fillings.map(fillingJson), unfilled: [...plan.unfilled] }),
    ...(cut && { cut }),
  };
}

function fillingJson(filling: Filling): NonNullable<MatchResult['backfilled']>[number] {
  const { backfillId, ticketIds, increment } = filling;
  const game = gameJson({ ...filling, priority: filling.imbalance });
  return { backfillId, newTicketIds: [...ticketIds], ...game, increment };
}

/**
 * Searches the tickets of a request under a queue's definition, as `matchOffline`.
 * @throws Problem (400)
 */
export function dryRun(definition: QueueDefinition, body: unknown, isOver: () => boolean): MatchResult {
  const { tickets, nowMs } = readDryRun(definition, body);
  return matchOffline(definition, tickets, nowMs, isOver);
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
