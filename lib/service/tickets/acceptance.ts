import { acceptanceBody } from '../../contract/acceptance.ts';
import { conflict, Problem, parseWith } from '../../contract/problem.ts';
import type { MatchReasonCode, Why } from '../../contract/reason-code.ts';
import { type ReturnDeps, returnDissolved } from '../commits/return-tickets.ts';
import { PLAYER_LEFT, type PresenceDeps, vanishedTickets } from '../commits/vanished-tickets.ts';
import { type Answers, askedSeats, haveAllAccepted, seatsAtFault } from '../domain/answers.ts';
import { statusAfterAcceptance } from '../domain/match-status.ts';
import { isDissolving } from '../domain/returning.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { CurrentTicket, StoredTicket } from '../domain/stored-ticket.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { inMatch, unknownTicket, withMatchStatus } from './ticket-status.ts';

export interface AcceptanceDeps extends ReturnDeps, PresenceDeps {}

/**
 * A party, or some of its players, accept or decline their match. The request names the match, so a repetition after the end of
 * that match does not affect the next one.
 *
 *     answer   one conditional write to the answers beside the match, so exactly one of these happens: all accept, one declines,
 *              or the time is up (`deadline`). An accept adds seats to a set. A repeated request finds its own effect. A crash
 *              before it: nothing has changed, and the client has no response
 *     follow   when the answers are decided, the match advances or is dissolved by them: see {@link followAnswers}. A crash
 *              before it: the next answer, a repeated request or `deadline` does the same
 *
 * @param speaker the player in the token of the request. The request counts for this player only
 * @throws Problem 400, 403, 404, 409 the ticket's match is another one, or its answers are decided
 */
export async function answerMatch(
  deps: AcceptanceDeps,
  ticketId: string,
  body: unknown,
  nowMs: number,
  speaker?: string,
): Promise<CurrentTicket> {
  const { accepted, matchId, playerIds } = parseWith(acceptanceBody, body, 'The acceptance');
  const ticket = await deps.tickets.get(ticketId);
  if (ticket === undefined) throw unknownTicket(ticketId);
  checkPlayers(ticket, playerIds, speaker);
  if (ticket.matchId !== matchId) throw otherMatch(await withMatchStatus(deps, ticket), matchId);
  const match = await askingMatch(deps, matchId);
  const seats = match === undefined ? [] : seatsOf(match, ticket, playerIds, speaker);
  // An earlier request that crashed may have left tickets in the match.
  if (match !== undefined && isDissolving(match)) await returnDissolved(deps, match, nowMs);
  if (match?.status !== 'REQUIRES_ACCEPTANCE') {
    const now = await withMatchStatus(deps, (await deps.tickets.get(ticketId)) ?? ticket);
    return answered(now, await deps.matches.answers(matchId), seats, accepted);
  }
  const answers = await deps.matches.answer(match, accepted ? 'accept' : 'decline', seats, nowMs);
  if ((await followAnswers(deps, match, answers, nowMs)) === 'open')
    return inMatch(ticket, { ...match, accepted: answers.accepted });
  const now = await withMatchStatus(deps, (await deps.tickets.get(ticketId)) ?? ticket);
  return answered(now, answers, seats, accepted);
}

/**
 * The match of an answer. The seats of a match do not change while it asks, and its answers are closed when it does no longer, so
 * an eventual read suffices. It costs half: all players of a large match answer within a second, and each reads the whole match.
 */
async function askingMatch({ matches }: AcceptanceDeps, matchId: string): Promise<StoredMatch | undefined> {
  const match = await matches.get(matchId, 'eventual');
  return match?.status === 'REQUIRES_ACCEPTANCE' ? match : matches.get(matchId);
}

/** @throws Problem (409) the answers do not include that of these seats */
function answered(
  now: CurrentTicket,
  answers: Answers | undefined,
  seats: readonly number[],
  isAccept: boolean,
): CurrentTicket {
  if (answers !== undefined && hasAnswered(answers, seats, isAccept)) return now;
  throw conflict(
    'TICKET_NOT_ACCEPTING',
    `Ticket ${now.ticketId} is ${now.status}; only a ticket that REQUIRES_ACCEPTANCE can accept or decline.`,
    { ticketStatus: now.status },
  );
}

/**
 * Whether the answers include that of these seats. A player who has accepted and then declined has declined. A decline after the
 * time-out adds nothing, because the missing answer counts already.
 */
function hasAnswered(
  { status, accepted, declined = [] }: Answers,
  seats: readonly number[],
  isAccept: boolean,
): boolean {
  return seats.every((seat) => {
    const hasAccepted = accepted.includes(seat) && !declined.includes(seat);
    return isAccept ? hasAccepted : declined.includes(seat) || (status === 'EXPIRED' && !hasAccepted);
  });
}

/** @throws Problem 400 a player who is not in the ticket, 403 a player other than the caller */
function checkPlayers(
  { ticketId, players }: StoredTicket,
  playerIds: readonly string[] = [],
  speaker: string | undefined,
): void {
  if (speaker !== undefined && playerIds.some((playerId) => playerId !== speaker))
    throw new Problem(403, `Player ${speaker} answers for no other player: name nobody else in playerIds.`);
  const known = new Set(players.map(({ playerId }) => playerId));
  const at = playerIds.findIndex((playerId) => !known.has(playerId));
  if (at >= 0)
    throw invalidPlayers(
      `/${at}`,
      `Expected players of ticket ${ticketId}, got ${JSON.stringify(playerIds[at])}`,
    );
}

/**
 * The seats for which a request answers.
 * @throws Problem 400 it names players, but each ticket answers as a whole
 */
function seatsOf(
  match: StoredMatch,
  { ticketId, players }: StoredTicket,
  playerIds: readonly string[] | undefined,
  speaker: string | undefined,
): number[] {
  const own = askedSeats(match).filter((seat) => seat.ticketId === ticketId);
  if (match.byPlayer) {
    const named = playerIds ?? (speaker === undefined ? players.map(({ playerId }) => playerId) : [speaker]);
    return own.flatMap(({ seat, playerId }) => (named.includes(playerId) ? [seat] : []));
  }
  if (playerIds !== undefined)
    throw invalidPlayers(
      '',
      'Expected no playerIds, because one answer stands for the whole ticket in this match: omit them',
    );
  return own.map(({ seat }) => seat);
}

function invalidPlayers(at: string, detail: string): Problem {
  const errors = [{ pointer: `#/playerIds${at}`, detail }];
  return new Problem(400, `The acceptance is invalid. ${detail}.`, { errors });
}

function otherMatch({ ticketId, status, matchId }: CurrentTicket, requestedId: string): Problem {
  const its = matchId === undefined ? 'has no match' : `is in match ${matchId}`;
  return conflict(
    'TICKET_NOT_ACCEPTING',
    `Ticket ${ticketId} is ${status} and ${its}; the request is for match ${requestedId}.`,
    { ticketStatus: status },
  );
}

/** `open`: the answers are not decided. `lost-race`: another process has moved the match. */
export type Followed = 'open' | 'advanced' | 'dissolved' | 'lost-race';

/**
 * Advances or dissolves a match by its answers, once they are decided. When all have accepted, it advances. In a queue with
 * `presence` it is dissolved instead if a player has left: the ticket of this player is cancelled, and the others return. When a
 * player has declined, or the time is up, it is dissolved. Decided answers no longer change, so they alone determine who is at
 * fault.
 */
export async function followAnswers(
  deps: AcceptanceDeps,
  match: StoredMatch,
  answers: Answers,
  nowMs: number,
): Promise<Followed> {
  const { status, ...seats } = answers;
  const answered = { ...match, ...seats };
  if (status !== 'OPEN') {
    const why = whyNotAccepted(answered, status);
    const atFault = new Set(seatsAtFault({ ...answered, ...why }).map(({ ticketId }) => ticketId));
    return dissolveMatch(deps, answered, { cancelled: (id) => atFault.has(id), why, nowMs });
  }
  if (!haveAllAccepted(answered)) return 'open';
  const record = await deps.queues.get(match.queue, DEFINITION_AGE_MS);
  const vanished =
    record &&
    (await vanishedTickets(deps, record, match.ticketIds, () => Date.parse(match.createdAt), nowMs));
  if (vanished?.size)
    return dissolveMatch(deps, answered, { cancelled: (id) => vanished.has(id), why: PLAYER_LEFT, nowMs });
  const { status: next, ...change } = record
    ? statusAfterAcceptance(record.definition, nowMs)
    : { status: 'COMPLETED' as const };
  const isMoved = await deps.matches.advance(match.matchId, 'REQUIRES_ACCEPTANCE', next, change);
  return isMoved ? 'advanced' : 'lost-race';
}

function whyNotAccepted(match: StoredMatch, status: 'DECLINED' | 'EXPIRED'): Why<MatchReasonCode> {
  const { byPlayer, deadline, declined = [] } = match;
  if (status === 'EXPIRED') {
    const asked = byPlayer ? 'player' : 'ticket';
    return { reason: `not every ${asked} accepted by ${deadline}`, reasonCode: 'NOT_ACCEPTED' };
  }
  const declining = askedSeats(match).find(({ seat }) => declined.includes(seat));
  const who = byPlayer ? 'a player of ticket' : 'ticket';
  return { reason: `${who} ${declining?.ticketId} did not accept`, reasonCode: 'DECLINED' };
}

/**
 * Fails a match that was not accepted. It cancels the tickets of players who did not accept or have left, and returns the others
 * to the pool with the time they were first enqueued. `lost-race`: another process has moved the match.
 *
 *     dissolve   one conditional write fails the match, with its answers and the tickets that are cancelled. From then on every
 *                reader sees each ticket as CANCELLED or QUEUED. A crash before it changes nothing
 *     return     the tickets: see `commits/return-tickets.ts`
 *
 * @param match with its answers
 */
async function dissolveMatch(
  deps: AcceptanceDeps,
  match: StoredMatch,
  how: { cancelled: (ticketId: string) => boolean; why: Why<MatchReasonCode>; nowMs: number },
): Promise<'dissolved' | 'lost-race'> {
  const { accepted = [], declined } = match;
  const cancelled = match.ticketIds.filter(how.cancelled);
  const why = { ...how.why, accepted, ...(declined && { declined }) };
  const outcome = await deps.matches.dissolve(match, cancelled, why, how.nowMs);
  if (outcome === 'dissolved') {
    const deadline = new Date(how.nowMs).toISOString();
    await returnDissolved(deps, { ...match, status: 'FAILED', cancelled, ...why, deadline }, how.nowMs);
  }
  return outcome;
}
