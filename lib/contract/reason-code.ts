/** Why a match FAILED. */
export const MATCH_REASON_CODES = [
  'DECLINED',
  'NOT_ACCEPTED',
  'PLACEMENT_REFUSED',
  'PLACEMENT_TIMED_OUT',
  'PLAYER_LEFT',
] as const;
export type MatchReasonCode = (typeof MATCH_REASON_CODES)[number];

/** Why a ticket ended without a match: reasons of its match, and reasons of its own. */
export const TICKET_REASON_CODES = [
  ...MATCH_REASON_CODES,
  'NO_MATCH_IN_TIME',
  'CANCELLED_BY_REQUEST',
  'REPLACED',
  'NO_LONGER_FITS',
  'MATCH_TOO_LARGE',
  'UNREADABLE',
  'QUEUE_DELETED',
] as const;
export type TicketReasonCode = (typeof TICKET_REASON_CODES)[number];

/** Why a ticket or match has ended: a sentence for people and a code for programs. */
export interface Why<Code extends TicketReasonCode = TicketReasonCode> {
  readonly reason: string;
  readonly reasonCode: Code;
}
