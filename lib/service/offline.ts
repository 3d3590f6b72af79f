import * as z from 'zod';
import type { Game, Seat, Ticket } from '../engine/types.ts';
import { planTick } from '../policies/plan.ts';
import type { MatchResult } from './match.ts';
import { parseWith } from './problem.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { fileTicket, parseTicketsFile } from './ticket.ts';

/**
 * One tick over given tickets, nothing stored: `muster match` and dry runs. Tickets past their
 * time-out are searched like the others.
 * @param nowMs left out: the moment the last ticket was enqueued, so that equal input gives equal output
 */
export function matchOffline(
  definition: QueueDefinition,
  tickets: readonly Ticket[],
  nowMs?: number,
): MatchResult {
  const plan = planTick({
    rules: definition,
    tickets,
    nowMs: nowMs ?? Math.max(0, ...tickets.map(({ enqueuedAtMs }) => enqueuedAtMs)),
    timeouts: false,
  });
  return { queue: definition.name, matches: plan.matches.map(gameJson), waiting: [...plan.waiting] };
}

const dryRunWithTime = z.strictObject({
  tickets: z.array(z.unknown()),
  now: z.iso.datetime({ offset: true }).optional(),
});

/** What a dry run takes: the tickets of a tickets file, alone or with the moment to search at. */
export const dryRunBody = z
  .union([z.array(fileTicket), dryRunWithTime.extend({ tickets: z.array(fileTicket) })])
  .meta({ id: 'DryRun' });

/**
 * Searches tickets from outside under a queue's definition.
 * @throws Problem (400)
 */
export function dryRun(definition: QueueDefinition, body: unknown): MatchResult {
  if (Array.isArray(body)) return matchOffline(definition, parseTicketsFile(body, definition, 'The tickets'));
  const { tickets, now } = parseWith(dryRunWithTime, body, 'The dry run');
  const nowMs = now === undefined ? undefined : Date.parse(now);
  return matchOffline(definition, parseTicketsFile(tickets, definition, 'The dry run', '#/tickets'), nowMs);
}

/** A game in the form of `muster match`. */
export function gameJson(game: Game): MatchResult['matches'][number] {
  const { teams, imbalance, fairness, uniformity, priority, lowerBound } = game;
  return {
    teams: teams.map((players) => ({ players: players.map(seatJson) })),
    imbalance,
    fairness,
    uniformity,
    priority,
    lowerBound,
  };
}

/** A bot has no ticket: nobody asked for it. */
function seatJson(seat: Seat): Omit<Seat, 'ticketId'> & { ticketId?: string } {
  if (!seat.bot) return { ...seat };
  const { ticketId: _, ...bot } = seat;
  return bot;
}
