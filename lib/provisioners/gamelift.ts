import { type Assignment, assignment, type MatchView } from '../contract/match.ts';
import type { ProvisionerOptions, QueueDefinition } from '../contract/queue-definition.ts';
import { seatsOf } from '../contract/team-kinds.ts';
import { placementSecondsOf } from '../service/domain/match-status.ts';
import { type StoredMatch, toMatchView } from '../service/domain/stored-match.ts';
import type { StoredTicket } from '../service/domain/stored-ticket.ts';
import {
  type GameSessionFailure,
  type GameSessionPlacement,
  type GameSessionRequest,
  type GameSessions,
  SESSION_DATA_LENGTH_MAX,
} from '../service/ports/game-sessions.ts';
import type { Provision, Provisioner, Release } from '../service/ports/provisioner.ts';
import type { TicketStore } from '../service/ports/ticket-store.ts';
import { ATTEMPTS_MAX, attemptOf, pauseMs, placementIdOf } from './placement-attempts.ts';

export interface GameLiftDeps {
  readonly sessions: GameSessions;
  /** The latencies of the players are in the tickets of the match. */
  readonly tickets: Pick<TicketStore, 'getMany'>;
  readonly clock: { now(): number };
}

/**
 * Places a match with a queue of Amazon GameLift Servers.
 *
 *     first half of the time    starts the placement; an event reports its end
 *     second half               polls the placement, because the event may be lost
 *     the placement has ended   starts another one under the next id, after a pause
 *     the match has ended       stops the placement, or terminates the game session that it has started
 *
 * The ids of placements are derived from the match, and GameLift accepts an id once. So a repetition finds the placement of the
 * first call, and a match has one placement at a time: see `placement-attempts.ts`.
 */
export function gameLiftProvisioner(
  { sessions, tickets, clock }: GameLiftDeps,
  options: ProvisionerOptions & { type: 'gamelift' },
): Provisioner {
  const queue = options.gameSessionQueue;
  const timeoutMs = placementSecondsOf(options) * 1_000;

  const start = async (match: StoredMatch, definition: QueueDefinition, attempt: number): Promise<Step> => {
    const stored = [...(await tickets.getMany(match.ticketIds)).values()];
    const request = requestOf(match, definition, options, stored);
    const started = await sessions.start({ ...request, placementId: placementIdOf(match.matchId, attempt) });
    if (started.outcome !== 'invalid') return started;
    // The usual reason is that this placement was started by an earlier call.
    const found = await sessions.describe(placementIdOf(match.matchId, attempt), queue);
    return found.outcome === 'unknown' ? { outcome: 'refused', why: started.why } : found;
  };
  const findOrStart = async (match: StoredMatch, definition: QueueDefinition, attempt: number) => {
    const found = await sessions.describe(placementIdOf(match.matchId, attempt), queue);
    return found.outcome === 'unknown' ? start(match, definition, attempt) : found;
  };
  /** The delay until GameLift is polled: at half of the time, and then after each tenth of it. */
  const untilNextPollMs = (match: StoredMatch) => {
    const untilHalfMs = leftMs(match, clock.now()) - timeoutMs / 2;
    return untilHalfMs > 0 ? untilHalfMs : Math.max(POLL_MS_MIN, timeoutMs / 10);
  };

  return {
    async place(match, definition, news): Promise<Provision> {
      let attempt = news === undefined ? 1 : attemptOf(news.placementId).attempt;
      let step: Step;
      if (news !== undefined && isComplete(news, match)) step = { outcome: 'found', placement: news };
      else if (news === undefined && leftMs(match, clock.now()) > timeoutMs / 2)
        step = await start(match, definition, attempt);
      else step = await findOrStart(match, definition, attempt);
      for (;;) {
        if (step.outcome !== 'found') return failure(step);
        const { placement } = step;
        if (placement.status === 'pending')
          return { outcome: 'pending', why: 'GameLift is placing it', afterMs: untilNextPollMs(match) };
        if (placement.status === 'fulfilled') return fulfilled(placement, match);
        if (attempt === ATTEMPTS_MAX)
          return { outcome: 'refused', why: `GameLift ended every placement: ${placement.why}` };
        const afterMs = (placement.endedAtMs ?? 0) + pauseMs(attempt, timeoutMs) - clock.now();
        if (afterMs > 0) return { outcome: 'pending', why: `GameLift: ${placement.why}`, afterMs };
        attempt += 1;
        step = await findOrStart(match, definition, attempt);
      }
    },

    async release(match): Promise<Release> {
      if (isPlayedOnOwnSession(match)) return { outcome: 'released' };
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const placementId = placementIdOf(match.matchId, attempt);
        let step = await sessions.stop(placementId, queue);
        // It has already ended, or has started a game session.
        if (step.outcome === 'invalid') step = await sessions.describe(placementId, queue);
        if (step.outcome === 'unknown') break;
        if (step.outcome !== 'found') return { outcome: 'retry', why: step.why };
        const { status, session } = step.placement;
        if (status === 'pending') return { outcome: 'retry', why: 'GameLift is stopping the placement' };
        if (status === 'ended') continue;
        if (session?.arn === undefined)
          return { outcome: 'retry', why: 'GameLift has not reported the game session that it has started' };
        if (session.arn === match.assignment?.sessionId) break;
        const ended = await sessions.terminate(session.arn, queue);
        return ended.outcome === 'done' || ended.outcome === 'unknown'
          ? { outcome: 'released' }
          : { outcome: 'retry', why: ended.why };
      }
      return { outcome: 'released' };
    },
  };
}

/**
 * Whether the assignment of a match is the game session of one of its placements. The ARN of such a session usually ends in the
 * placement's id, which saves a request to GameLift.
 */
function isPlayedOnOwnSession({ matchId, assignment: assigned }: StoredMatch): boolean {
  return attemptOf(assigned?.sessionId?.split('/').at(-1) ?? '').matchId === matchId;
}

/** The minimum interval between two polls of a placement. Milliseconds. */
const POLL_MS_MIN = 5_000;

/** The placement, or why it could not be read. */
type Step = { readonly outcome: 'found'; readonly placement: GameSessionPlacement } | GameSessionFailure;

function leftMs({ deadline }: StoredMatch, nowMs: number): number {
  return deadline === undefined ? 0 : Date.parse(deadline) - nowMs;
}

function failure({ outcome, why }: GameSessionFailure): Provision {
  return outcome === 'busy'
    ? { outcome: 'retry', why }
    : { outcome: 'refused', why: 'GameLift rejected it', detail: why };
}

function requestOf(
  match: StoredMatch,
  definition: QueueDefinition,
  options: ProvisionerOptions & { type: 'gamelift' },
  stored: readonly StoredTicket[],
): Omit<GameSessionRequest, 'placementId'> {
  const players = stored.flatMap((ticket) => ticket.players);
  return {
    gameSessionQueue: options.gameSessionQueue,
    // Empty seats of a match that starts short are filled later.
    playersMax: Math.max(seatsOf(definition), playerIdsOf(match).length),
    playerIds: playerIdsOf(match),
    latenciesMs: Object.fromEntries(
      players.flatMap(({ playerId, latencyMs }) => (latencyMs ? [[playerId, latencyMs]] : [])),
    ),
    properties: options.gameProperties ?? {},
    data: sessionData(toMatchView(match)),
  };
}

/** The ids of the players of a match without its bots, which need no player session. */
function playerIdsOf({ teams }: StoredMatch): string[] {
  return teams.flatMap(({ players }) => players.flatMap(({ playerId, bot }) => (bot ? [] : [playerId])));
}

/** The match as text for the game server. A match that is too long loses its attributes and gets the mark `cut`. */
export function sessionData(match: MatchView): string {
  const whole = JSON.stringify(match);
  if (whole.length <= SESSION_DATA_LENGTH_MAX) return whole;
  const { rules: _, ...rest } = match;
  const teams = match.teams.map(({ players, ...team }) => ({
    ...team,
    players: players.map(({ attributes: _attributes, ...player }) => player),
  }));
  return JSON.stringify({ ...rest, teams, cut: true });
}

/** Whether an event has everything, so that GameLift need not be polled. */
function isComplete(news: GameSessionPlacement, match: StoredMatch): boolean {
  return news.status === 'ended' || (news.status === 'fulfilled' && assignmentOf(news, match) !== undefined);
}

function fulfilled(placement: GameSessionPlacement, match: StoredMatch): Provision {
  const found = assignmentOf(placement, match);
  return found === undefined
    ? { outcome: 'retry', why: 'GameLift has not reported the address and every player session yet' }
    : { outcome: 'assigned', assignment: found };
}

/** The assignment of a fulfilled placement; undefined while a field of it is missing. */
function assignmentOf({ session }: GameSessionPlacement, match: StoredMatch): Assignment | undefined {
  if (session?.arn === undefined || session.port === undefined) return undefined;
  const { arn, address, port, playerSessions } = session;
  const missing = playerIdsOf(match).some((playerId) => !Object.hasOwn(playerSessions, playerId));
  if (missing) return undefined;
  return assignment.safeParse({ address, port, sessionId: arn, tokens: playerSessions }).data;
}
