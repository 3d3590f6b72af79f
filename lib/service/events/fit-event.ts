import type { MusterEvent } from '../../contract/events.ts';
import type { MatchView } from '../../contract/match.ts';
import type { TicketView } from '../../contract/ticket.ts';
import { messageText } from './message-text.ts';

/**
 * The maximum size of an event, as the text of a message in UTF-8. EventBridge and SQS documented 256 KB for an entry and a
 * message; the difference leaves room for their envelopes and the webhook's URL.
 */
export const EVENT_BYTES_MAX = 240 * 1024;

/** The maximum of letters of a `reason` in the short form. */
const REASON_MAX = 1_000;

/**
 * The event itself if it fits into a message, otherwise its short form: every player, team and id, but no field of unlimited
 * size. `truncated` tells receivers to read the whole match or ticket from the API.
 *
 * The short form always fits: 200 seats with ids of 128 bytes and roles of 32 letters, their tickets twice, and 100 names of
 * teams are below 200 KB.
 */
export function fitted(event: MusterEvent): MusterEvent {
  if (Buffer.byteLength(messageText(event)) <= EVENT_BYTES_MAX) return event;
  return 'ticket' in event
    ? { ...event, truncated: true, ticket: shortTicket(event.ticket) }
    : { ...event, truncated: true, match: shortMatch(event.match) };
}

/** A ticket without its fields of unlimited size. */
export function shortTicket({ reason, ...ticket }: TicketView): TicketView {
  const players = ticket.players.map(({ playerId, skill }) => ({ playerId, skill }));
  return { ...ticket, ...shortReason(reason), players };
}

/** A match without its fields of unlimited size. */
export function shortMatch({ reason, rules: _, assignment, ...match }: MatchView): MatchView {
  const teams = match.teams.map(({ players, ...team }) => ({
    ...team,
    players: players.map(({ attributes: _, ...seat }) => seat),
  }));
  const { tokens: __, ...server } = assignment ?? {};
  return {
    ...match,
    teams,
    ...shortReason(reason),
    ...(assignment !== undefined && { assignment: { ...server, address: assignment.address } }),
  };
}

function shortReason(reason: string | undefined) {
  return reason === undefined ? {} : { reason: reason.slice(0, REASON_MAX) };
}
