import type { PlayerCooldown } from '../../contract/cooldown.ts';
import { type CooldownRecord, cooldownAt, cooldownReason, counting, forgetMs } from '../domain/cooldowns.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { CooldownStore } from '../ports/cooldown-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { openQueue } from '../queues/read-queues.ts';

export interface CooldownDeps {
  readonly queues: QueueStore;
  readonly cooldowns: CooldownStore;
}

/**
 * The cooldown of a player in a queue, by the definition in force. In a queue without cooldowns, no record is read.
 * @throws Problem (404) no such queue
 */
export async function getCooldown(
  deps: CooldownDeps,
  queue: string,
  playerId: string,
  nowMs: number,
): Promise<PlayerCooldown> {
  const record = await openQueue(deps.queues, queue, DEFINITION_AGE_MS);
  if (record.definition.cooldown === undefined) return { queue, playerId, offences: [] };
  const found = (await deps.cooldowns.of(queue, [playerId])).get(playerId);
  return viewOf(record, playerId, found ?? { offences: [] }, nowMs);
}

/**
 * Ends the cooldown of a player: offences up to now no longer count, even if they are recorded later. A repeated request also
 * covers the offences since the first one.
 * @throws Problem (404) no such queue
 */
export async function endCooldown(
  deps: CooldownDeps,
  queue: string,
  playerId: string,
  nowMs: number,
): Promise<void> {
  const { definition } = await openQueue(deps.queues, queue, DEFINITION_AGE_MS);
  await deps.cooldowns.forgive(queue, playerId, nowMs, forgetMs(definition.cooldown ?? {}));
}

/**
 * The players of a queue who have a cooldown, among those with the latest offences.
 * @param limit 1 to 100 @default 20
 * @throws Problem (404) no such queue
 */
export async function listCooldowns(
  deps: CooldownDeps,
  queue: string,
  nowMs: number,
  limit = 20,
): Promise<PlayerCooldown[]> {
  const record = await openQueue(deps.queues, queue);
  if (record.definition.cooldown === undefined) return [];
  const latest = await deps.cooldowns.latest(queue, limit);
  return latest
    .map(({ playerId, record: found }) => viewOf(record, playerId, found, nowMs))
    .filter(({ until }) => until !== undefined);
}

function viewOf(
  { definition: { name, cooldown = {} } }: QueueRecord,
  playerId: string,
  record: CooldownRecord,
  nowMs: number,
): PlayerCooldown {
  const found = cooldownAt(cooldown, record, nowMs);
  const offences = counting(cooldown, record, nowMs).map(({ kind, matchId, atMs }) => ({
    kind,
    matchId,
    at: new Date(atMs).toISOString(),
  }));
  return {
    queue: name,
    playerId,
    ...(found && {
      until: new Date(found.untilMs).toISOString(),
      kind: found.kind,
      reason: `player ${playerId} ${cooldownReason(found, nowMs)}`,
    }),
    offences: offences.reverse(),
  };
}
