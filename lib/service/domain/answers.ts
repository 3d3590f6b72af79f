import type { MatchView } from '../../contract/match.ts';
import type { TicketView } from '../../contract/ticket.ts';
import type { AnswersStatus } from './statuses.ts';

/** The answers to a match that requires acceptance: a small item beside it, because a write to the match costs its whole size. */
export interface Answers {
  readonly status: AnswersStatus;
  /** The seats that have accepted, in ascending order. */
  readonly accepted: readonly number[];
  /** The seats that have declined, when the status is DECLINED. */
  readonly declined?: readonly number[];
}

/** More players of a match are ready, as the stream reports it. */
export interface AnswersChange {
  /** The same for every delivery of this change by the stream. */
  readonly changeId: string;
  readonly atMs: number;
  readonly matchId: string;
  readonly queue: string;
  /** How many players are asked, how many are ready, and how many were ready before. */
  readonly of: number;
  readonly ready: number;
  readonly before: number;
}

/** What a stored match says about the answers to it. */
export interface AnsweredMatch extends Pick<MatchView, 'teams' | 'status' | 'reasonCode'> {
  /** When the acceptance or placement fails if it is not complete; ISO 8601. */
  readonly deadline?: string;
  /** Of a match that was not accepted: the deadline that it had. */
  readonly acceptBy?: string;
  /**
   * The seats that have accepted, in ascending order: while REQUIRES_ACCEPTANCE as its answers say, afterwards of a match that was not
   * accepted, with those that have declined it.
   */
  readonly accepted?: readonly number[];
  readonly declined?: readonly number[];
}

/** A seat whose player is asked. */
export interface AskedSeat {
  /** Its place among all seats of the match, from 0. No seat moves while a match requires acceptance. */
  readonly seat: number;
  readonly playerId: string;
  readonly ticketId: string;
}

/** The seats of a match whose players are asked: all but those of bots. */
export function askedSeats({ teams }: Pick<AnsweredMatch, 'teams'>): AskedSeat[] {
  return teams
    .flatMap(({ players }) => players)
    .flatMap(({ playerId, ticketId, bot }, seat) =>
      bot || ticketId === undefined ? [] : [{ seat, playerId, ticketId }],
    );
}

/** Whether every player who is asked has accepted. */
export function haveAllAccepted(match: Pick<AnsweredMatch, 'teams' | 'accepted'>): boolean {
  const accepted = new Set(match.accepted);
  return askedSeats(match).every(({ seat }) => accepted.has(seat));
}

/**
 * The seats because of which a match was not accepted: those that have declined, or else those that did not answer in time. None of a
 * match that has failed for another reason, such as a player who has left.
 */
export function seatsAtFault(match: AnsweredMatch): AskedSeat[] {
  const { reasonCode, accepted = [], declined = [] } = match;
  if (reasonCode === 'DECLINED') return askedSeats(match).filter(({ seat }) => declined.includes(seat));
  if (reasonCode !== 'NOT_ACCEPTED') return [];
  return askedSeats(match).filter(({ seat }) => !accepted.includes(seat));
}

/** The answers to a match that requires acceptance, or that has failed for the lack of it, as backends see them. */
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

/** How far a match is that a ticket has to accept, and who of its own party is ready. Undefined when it requires no acceptance. */
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
