import type { MusterEvent } from '../../contract/events.ts';
import { type Change, toEvent } from './publish.ts';

/** The ids that the logs of all functions use for tickets and matches. They contain no data of players. */
export interface Subject {
  readonly queue: string;
  readonly ticketIds: readonly string[];
  readonly matchId?: string;
}

/** The log fields of an event of a ticket or a match. */
export interface Trace extends Subject {
  readonly event: MusterEvent['type'];
  readonly eventId: string;
  readonly status: string;
  readonly reasonCode?: string;
}

/** The log fields of a change that is an event; undefined for every other change. */
export function traceOf(change: Change): Trace | undefined {
  const event = toEvent(change);
  if (event === undefined) return undefined;
  const { status, reasonCode } = 'match' in event ? event.match : event.ticket;
  return {
    event: event.type,
    eventId: event.eventId,
    ...subjectOf(event),
    status,
    ...(reasonCode !== undefined && { reasonCode }),
  };
}

/** The ids of the tickets of an event, and of its match. */
export function subjectOf(event: MusterEvent): Subject {
  const { queue } = event;
  if ('match' in event) {
    const { matchId, teams } = event.match;
    return { queue, matchId, ticketIds: ticketsIn(teams) };
  }
  const { ticketId, matchId } = event.ticket;
  return { queue, ticketIds: [ticketId], ...(matchId !== undefined && { matchId }) };
}

/** The ids of the tickets of some teams, each once. Bots have none. */
export function ticketsIn(
  teams: readonly { readonly players: readonly { readonly ticketId?: string | undefined }[] }[],
): string[] {
  return [...new Set(teams.flatMap(({ players }) => players.flatMap(({ ticketId }) => ticketId ?? [])))];
}
