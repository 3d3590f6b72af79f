import type { Assignment } from '../../contract/match.ts';
import { PLAYER_LEFT, type PresenceDeps, vanishedTickets } from '../commits/vanished-tickets.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { GameSessionPlacement } from '../ports/game-sessions.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { Provision, Provisioner, Provisioners } from '../ports/provisioner.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { type CountDeps, type CountedQueue, countQueue } from '../queues/count-queue.ts';
import { failPlacement } from './fail-placement.ts';

export interface ProvisionDeps extends CountDeps, PresenceDeps {
  readonly queues: QueueStore;
  readonly matches: SingleMatchStore;
  readonly provisioners: Provisioners;
}

/**
 * What happens to the message of a match. `done`: it is deleted. `refused`: it is deleted, and `why` is logged. `retry`: a try
 * has failed, and the next one follows after a growing delay. `waiting`: nothing has failed, and the message is read again later.
 */
export type Provisioned =
  | { outcome: 'done' }
  | { outcome: 'refused'; why: string }
  | { outcome: 'retry'; why: string; withinMs?: number; counted?: CountedQueue }
  | { outcome: 'waiting'; why: string; afterMs: number };

/** When to check a match again whose deadline has just passed: `deadline` needs moments to fail it. Milliseconds. */
const ENDED_MS = 15_000;

/**
 * Requests an assignment for a match that is PLACING. Retries until the match's deadline, when `deadline` fails the match. If the
 * match ends without the server that was requested for it, the server is released.
 *
 *     check presence         only in a queue with `presence`. If a player has left, one conditional write fails the match and
 *                            names the tickets that are cancelled; `deadline`, which receives the event MatchFailed, returns the
 *                            others. A crash before it: checked again
 *     call the provisioner   a crash after it: called again, with the same idempotency key. A failed try is counted
 *     write the assignment   on the condition that the match is still PLACING
 *     read the match again   a request that was accepted after the match had ended is withdrawn
 *     release                a crash before it: the message is read again and finds the match ended
 *
 * The message of a match is kept until its request has become the assignment or is released, so that no server runs without a
 * match.
 * @param news the report of an event about a game session placement of this match
 */
export async function provision(
  deps: ProvisionDeps,
  matchId: string,
  nowMs: number,
  news?: GameSessionPlacement,
): Promise<Provisioned> {
  const match = await deps.matches.get(matchId);
  if (match === undefined) return { outcome: 'done' };
  const record = await deps.queues.get(match.queue, DEFINITION_AGE_MS);
  if (record === undefined) return { outcome: 'done' };
  const { definition } = record;
  if (definition.provisioner === undefined) return { outcome: 'done' };
  const provisioner = deps.provisioners(definition.provisioner);
  if (match.status !== 'PLACING') return release(provisioner, match);
  const withinMs = match.deadline === undefined ? 0 : Date.parse(match.deadline) - nowMs;
  if (withinMs <= 0) return retryAfterEnd(provisioner);
  if (await dissolveIfLeft(deps, match, record, nowMs))
    return releaseEnded(deps, provisioner, matchId, { outcome: 'done' });
  const result = await provisioner.place(match, definition, news);
  switch (result.outcome) {
    case 'left-to-studio':
      return { outcome: 'done' };
    case 'retry':
      return {
        ...result,
        withinMs,
        counted: await countQueue(deps, match.queue, { placementTried: 1 }, nowMs),
      };
    case 'assigned':
      return assign(deps, provisioner, match, result.assignment);
    case 'refused':
      await failPlacement(
        deps,
        match,
        definition,
        { reason: result.why, reasonCode: 'PLACEMENT_REFUSED' },
        nowMs,
      );
      return withRefusal(result, await releaseEnded(deps, provisioner, matchId, { outcome: 'done' }));
    case 'pending':
      return releaseEnded(deps, provisioner, matchId, {
        outcome: 'waiting',
        why: result.why,
        afterMs: Math.min(result.afterMs, withinMs + ENDED_MS),
      });
  }
}

/** Dissolves a match with a player who has left. Returns whether it is dissolved, or has changed since it was read. */
async function dissolveIfLeft(
  deps: ProvisionDeps,
  match: StoredMatch,
  record: QueueRecord,
  nowMs: number,
): Promise<boolean> {
  const createdMs = Date.parse(match.createdAt);
  const vanished = await vanishedTickets(deps, record, match.ticketIds, () => createdMs, nowMs);
  if (vanished.size === 0) return false;
  await deps.matches.dissolve(match, [...vanished], PLAYER_LEFT, nowMs);
  return true;
}

/** Keeps the message of an overdue match until the match has ended, if a server may have to be released then. */
function retryAfterEnd(provisioner: Provisioner): Provisioned {
  if (provisioner.release === undefined) return { outcome: 'done' };
  return { outcome: 'waiting', why: 'the match is overdue', afterMs: ENDED_MS };
}

async function assign(
  deps: ProvisionDeps,
  provisioner: Provisioner,
  { matchId }: StoredMatch,
  assignment: Assignment,
): Promise<Provisioned> {
  const stored = await deps.matches.assign(matchId, assignment);
  if (stored?.outcome !== 'conflict') return { outcome: 'done' };
  return release(provisioner, stored.match, assignment);
}

/** The log gets the whole reason of a refusal, even while its request still has to be released. */
function withRefusal(
  { why, detail }: Extract<Provision, { outcome: 'refused' }>,
  after: Provisioned,
): Provisioned {
  const whole = detail === undefined ? why : `${why}: ${detail}`;
  return after.outcome === 'retry'
    ? { ...after, why: `${whole}; then ${after.why}` }
    : { outcome: 'refused', why: whole };
}

/** Releases the request of a match that has ended since it was read. A match that is still PLACING keeps its request. */
async function releaseEnded(
  deps: ProvisionDeps,
  provisioner: Provisioner,
  matchId: string,
  otherwise: Provisioned,
): Promise<Provisioned> {
  if (provisioner.release === undefined) return otherwise;
  const match = await deps.matches.get(matchId);
  return match === undefined || match.status === 'PLACING' ? otherwise : release(provisioner, match);
}

async function release(
  provisioner: Provisioner,
  match: StoredMatch,
  unused?: Assignment,
): Promise<Provisioned> {
  if (match.status !== 'FAILED' && match.status !== 'COMPLETED') return { outcome: 'done' };
  const result = await provisioner.release?.(match, unused);
  return result?.outcome === 'retry' ? result : { outcome: 'done' };
}
