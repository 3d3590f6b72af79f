import type { SingleMatchStore } from '../ports/match-store.ts';
import type { Provisioners } from '../ports/provisioner.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { DEFINITION_AGE_MS } from '../queues/definition-age.ts';

export interface ProvisionDeps {
  readonly queues: QueueStore;
  readonly matches: SingleMatchStore;
  readonly provisioners: Provisioners;
}

/**
 * Requests an assignment for a match that is PLACING. Retries until the match's deadline, when `deadline` fails the
 * match.
 *
 *     call the provisioner   a crash after it: called again, with the same idempotency key
 *     write the assignment   on the condition that the match is still PLACING
 */
export async function provision(
  deps: ProvisionDeps,
  matchId: string,
  nowMs: number,
): Promise<{ outcome: 'done' } | { outcome: 'retry'; why: string; withinMs: number }> {
  const match = await deps.matches.get(matchId);
  if (match === undefined || match.status !== 'PLACING') return { outcome: 'done' };
  const withinMs = match.deadline === undefined ? 0 : Date.parse(match.deadline) - nowMs;
  if (withinMs <= 0) return { outcome: 'done' };
  const options = (await deps.queues.get(match.queue, DEFINITION_AGE_MS))?.definition.provisioner;
  if (options === undefined) return { outcome: 'done' };
  const result = await deps.provisioners(options)(match);
  if (result.outcome === 'retry') return { ...result, withinMs };
  if (result.outcome === 'assigned') await deps.matches.assign(matchId, result.assignment);
  if (result.outcome === 'refused')
    await deps.matches.advance(matchId, 'PLACING', 'FAILED', { reason: result.why });
  return { outcome: 'done' };
}
