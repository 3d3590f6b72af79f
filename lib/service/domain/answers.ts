import type { MatchView } from '../../contract/match.ts';
import type { TicketView } from '../../contract/ticket.ts';
import type { AnswersStatus } from './statuses.ts';

/**
 * The answers to a match that requires acceptance. They are a separate small item, because a write to the match costs its whole
 * size.
 */
export interface Answers {
  readonly status: AnswersStatus;
  /** The seats that have accepted, in ascending order. */
  readonly accepted: readonly number[];
  /** The seats that have declined, when the status is DECLINED. */
  readonly declined?: readonly number[];
}

/** A change of the answers to a match, as the stream reports it. */
export interface AnswersChange {
  /** Every delivery of this change by the stream has this id. */
  readonly changeId: string;
  readonly atMs: number;
  readonly matchId: string;
  readonly queue: string;
  /** The number of players who are asked, of those who are ready, and of those who were ready before. */
  readonly of: number;
  readonly ready: number;
  readonly before: number;
}

/** The fields of a stored match that concern its acceptance. */
export interface AnsweredMatch extends Pick<MatchView, 'teams' | 'status' | 'reasonCode'> {
  /** When the acceptance or placement fails unless it is complete; ISO 8601. */
  readonly deadline?: string;
  /** The former deadline of a match that was not accepted. */
  readonly acceptBy?: string;
  /**
   * The seats that have accepted, in ascending order. While REQUIRES_ACCEPTANCE they are those of the answers. Later only a match
   * that was not accepted has them, with those that have declined.
   */
  readonly accepted?: readonly number[];
  readonly declined?: readonly number[];
}

/** A seat whose player has to answer. */
export interface AskedSeat {
  /** Its index among all seats of the match, from 0. No seat moves while a match requires acceptance. */
  readonly seat: number;
  readonly playerId: string;
  readonly ticketId: string;
}

/** The seats of a match whose players have to answer: all but those of bots. */
export function askedSeats({ teams }: Pick<AnsweredMatch, 'teams'>): AskedSeat[] {
  return teams
    .flatMap(({ players }) => players)
    .flatMap(({ playerId, ticketId, bot }, seat) =>
      bot || ticketId === undefined ? [] : [{ seat, playerId, ticketId }],
    );
}

/** Whether every player who has to answer has accepted. */
export function haveAllAccepted(match: Pick<AnsweredMatch, 'teams' | 'accepted'>): boolean {
  const accepted = new Set(match.accepted);
  return askedSeats(match).every(({ seat }) => accepted.has(seat));
}

/**
 * The seats at fault that a match was not accepted: those that have declined, otherwise those that did not answer in time. None
 * for a match that failed for another reason, such as a player who has left.
 */
export function seatsAtFault(match: AnsweredMatch): AskedSeat[] {
  const { reasonCode, accepted = [], declined = [] } = match;
  if (reasonCode === 'DECLINED') return askedSeats(match).filter(({ seat }) => declined.includes(seat));
  if (reasonCode !== 'NOT_ACCEPTED') return [];
  return askedSeats(match).filter(({ seat }) => !accepted.includes(seat));
}

/** The answers in the format for backends, of a match that requires acceptance or failed without it. */
export function acceptanceOf(match: AnsweredMatch): MatchView['acceptance'] {
  const { status, deadline, acceptBy, accepted = [], declined = [] } = match;
  const seats = askedSeats(match);
  const idsOf = (isOne: (seat: number) => boolean) =>
    seats.flatMap(({ seat, playerId }) => (isOne(seat) ? [playerId] : [])).sort();
  const ready = idsOf((seat) => accepted.includes(seat) && !declined.includes(seat));
  if (status === 'REQUIRES_ACCEPTANCE' && deadline !== undefined) return { deadline, accepted: ready };
  if (acceptBy === undefined) return undefined;
  return {
    deadline: acceptBy,
    accepted: ready,
    declined: idsOf((seat) => declined.includes(seat)),
    unanswered: idsOf((seat) => !accepted.includes(seat) && !declined.includes(seat)),
  };
}

/**
 * The progress of a match that a ticket has to accept, and the ready players of its own party. Undefined when the match requires
 * no acceptance.
 */
export function progressOf(match: AnsweredMatch, ticketId: string): TicketView['acceptance'] {
  const { status, deadline, accepted = [] } = match;
  if (status !== 'REQUIRES_ACCEPTANCE' || deadline === undefined) return undefined;
  const seats = askedSeats(match);
  const ready = seats.filter(({ seat }) => accepted.includes(seat));
  const own = ready.filter((one) => one.ticketId === ticketId);
  return {
    deadline,
    ready: ready.length,
    of: seats.length,
    players: own.map(({ playerId }) => playerId).sort(),
  };
}

/**
 * Whether a change of the number of ready players is reported. Up to 20 players each change is; with more, each twentieth part of
 * them and the last four answers, so that the reports of a large match do not grow with the square of its players.
 */
export function isProgress(
  before: number,
  { ready, of }: Pick<NonNullable<TicketView['acceptance']>, 'ready' | 'of'>,
): boolean {
  const step = Math.ceil(of / 20);
  return ready !== before && (ready > of - 4 || Math.floor(ready / step) !== Math.floor(before / step));
}
