import { isDeepStrictEqual } from 'node:util';
import { newBackfill, skilledBackfill } from '../../contract/backfill.ts';
import { conflict, invalid, Problem, parseWith } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { currentBackfill, type StoredBackfill } from '../domain/stored-backfill.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { getMatch, unknownMatch } from '../placement/assign-match.ts';
import type { BackfillStore } from '../ports/backfill-store.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { openQueue } from '../queues/read-queues.ts';
import { playerProblems } from '../tickets/misfits.ts';
import { type SkillDeps, withRatedSkills } from '../tickets/rated-skills.ts';
import { seatProblems } from './seat-problems.ts';

export interface BackfillDeps extends SkillDeps {
  readonly backfills: BackfillStore;
  readonly matches: SingleMatchStore;
  readonly queues: QueueStore;
}

/**
 * Requests players for the empty seats of a match.
 *
 *     read match, queue   a crash before or after changes nothing
 *     read ratings        only in a queue with `ladder`: see rated-skills.ts
 *     put backfill        in one transaction with the match, which names its newest backfill. From then on it is accepted, and an
 *                         older one is replaced
 *
 * A repeated request returns the current state of the backfill and replaces none. The next tick with waiting tickets finds it.
 * @throws Problem 400 invalid, 404 no such match, 409 the match is over, not yet placed or has newcomers that the request does
 * not know, its queue takes no backfills, or the id belongs to another backfill
 */
export async function requestBackfill(
  deps: BackfillDeps,
  matchId: string,
  body: unknown,
  nowMs: number,
): Promise<{ created: boolean; backfill: StoredBackfill }> {
  parseWith(newBackfill, body, 'The backfill');
  const match = await getMatch(deps, matchId);
  const { definition } = await openQueue(deps.queues, match.queue, DEFINITION_AGE_MS);
  if (definition.backfill === undefined)
    throw conflict(
      'NO_BACKFILL',
      `Queue ${match.queue} takes no backfills: its definition has no "backfill".`,
    );
  const skilled = await withRatedSkills(deps, definition, body, 'The backfill');
  const { backfillId, players, region, roster } = parseWith(skilledBackfill, skilled, 'The backfill');
  const problems = [...playerProblems(players, definition), ...seatProblems(players, definition)];
  if (problems.length > 0) throw invalid('The backfill', problems);
  const asked = region ?? match.region;
  const backfill: StoredBackfill = {
    backfillId,
    matchId,
    queue: match.queue,
    status: 'QUEUED',
    enqueuedAt: new Date(nowMs).toISOString(),
    timesOutAt: new Date(nowMs + 1000 * definition.timeoutSeconds).toISOString(),
    players: players.map((player) => ({ ...player, ...ticketOf(player.playerId, match) })),
    ...(asked !== undefined && { region: asked }),
  };
  const known = roster ?? knownRoster(players, match);
  const result = await deps.backfills.create(backfill, known === 1 ? undefined : known);
  if (result.outcome === 'created') return { created: true, backfill };
  if (result.outcome === 'refused') throw refusal(matchId, known, await deps.matches.get(matchId));
  assertSame(result.existing, backfill, definition);
  return { created: false, backfill: currentBackfill(result.existing, match, nowMs) };
}

/** @throws Problem (404) */
export async function getBackfill(
  deps: BackfillDeps,
  backfillId: string,
  nowMs: number,
): Promise<StoredBackfill> {
  const backfill = await deps.backfills.get(backfillId);
  if (backfill === undefined) throw unknownBackfill(backfillId);
  return withMatch(deps, backfill, nowMs);
}

/**
 * Cancels a backfill. Repeating it returns the same. Cancelling and filling both require that the backfill is QUEUED, so only one
 * of them happens.
 * @throws Problem 404, 409 it is COMPLETED or TIMED_OUT
 */
export async function cancelBackfill(
  deps: BackfillDeps,
  backfillId: string,
  nowMs: number,
): Promise<StoredBackfill> {
  const now = await getBackfill(deps, backfillId, nowMs);
  if (now.status === 'CANCELLED') return now;
  if (now.status === 'QUEUED') {
    const result = await deps.backfills.end(backfillId, 'CANCELLED', 'cancelled by a request', nowMs);
    if (result === undefined) throw unknownBackfill(backfillId);
    if (result.backfill.status === 'CANCELLED') return result.backfill;
    return notCancelled(result.backfill);
  }
  return notCancelled(now);
}

async function withMatch(
  deps: BackfillDeps,
  backfill: StoredBackfill,
  nowMs: number,
): Promise<StoredBackfill> {
  if (backfill.status !== 'QUEUED') return backfill;
  const now = currentBackfill(backfill, await deps.matches.get(backfill.matchId), nowMs);
  if (now.status === 'QUEUED') return now;
  // It may have been filled between the two reads: its own end takes precedence over that of its match.
  const again = await deps.backfills.get(backfill.backfillId);
  return again === undefined || again.status === 'QUEUED' ? now : again;
}

function notCancelled({ backfillId, status }: StoredBackfill): never {
  throw conflict('BACKFILL_ENDED', `Backfill ${backfillId} cannot be cancelled: it is ${status}.`, {
    backfillStatus: status,
  });
}

/** The ticket with which a player came into the match. */
function ticketOf(playerId: string, { teams }: StoredMatch): { ticketId?: string } {
  for (const { players } of teams)
    for (const seat of players)
      if (seat.playerId === playerId && !seat.bot && seat.ticketId !== undefined)
        return { ticketId: seat.ticketId };
  return {};
}

/**
 * The roster that a server knows when its request does not say so. A request with a newcomer of the newest roster knows that
 * roster. A request without any counts as one about the first roster, because it would take the seats of newcomers that the
 * server does not know of.
 */
function knownRoster(players: readonly { readonly playerId: string }[], match: StoredMatch): number {
  const { roster = 1, newTicketIds = [], teams } = match;
  const newcomers = teams.flatMap((team) =>
    team.players.flatMap(({ playerId, ticketId = '' }) => (newTicketIds.includes(ticketId) ? playerId : [])),
  );
  return players.some(({ playerId }) => newcomers.includes(playerId)) ? roster : 1;
}

function refusal(matchId: string, known: number, match: StoredMatch | undefined): Problem {
  if (match === undefined) return unknownMatch(matchId);
  const { status, endedAt, roster = 1 } = match;
  const isOpen = endedAt === undefined && (status === 'PLACING' || status === 'COMPLETED');
  if (isOpen && roster !== known) {
    const advice = `Read the match, and send "roster": ${roster} with the players who are there.`;
    return conflict('ROSTER_CHANGED', `Match ${matchId} has roster ${roster}, not ${known}. ${advice}`, {
      matchStatus: status,
    });
  }
  const why = match.endedAt === undefined ? `it is ${match.status}` : 'it has ended';
  return conflict('MATCH_STATUS', `Match ${matchId} cannot get players: ${why}.`, {
    matchStatus: match.status,
  });
}

function assertSame(existing: StoredBackfill, posted: StoredBackfill, { ladder }: QueueDefinition): void {
  // Normalizes −0 as the store does. Ticket ids and ladder skills, which Muster has added, are those of the first post.
  const asPosted = ({ matchId, players }: StoredBackfill) => {
    const written = players.map(({ ticketId: _, skill, ...player }) =>
      ladder === undefined ? { skill, ...player } : player,
    );
    return JSON.parse(JSON.stringify({ matchId, players: written }));
  };
  if (isDeepStrictEqual(asPosted(existing), asPosted(posted)) && existing.region === posted.region) return;
  throw conflict(
    'BACKFILL_ID_TAKEN',
    `Backfill ${posted.backfillId} already exists with another body. Use a new backfillId for a new backfill.`,
  );
}

function unknownBackfill(backfillId: string): Problem {
  return new Problem(
    404,
    `There is no backfill ${JSON.stringify(backfillId)}. Backfills are kept for a day.`,
  );
}
