import type { WaitingSample } from '../../contract/queue-views.ts';
import { meanSkill } from '../../policies/policy.ts';
import { hasLinked } from '../domain/linked-ticket.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { PoolSample } from '../ports/pool-sample.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { openQueue } from './read-queues.ts';

/**
 * A sample of the waiting tickets of a queue in order of skill, without names and ids.
 * @param limit 1 to 1,000 @default 200
 * @throws Problem (404)
 */
export async function sampleWaiting(
  deps: { readonly queues: QueueStore; readonly pool: PoolSample },
  queue: string,
  nowMs: number,
  limit = 200,
): Promise<WaitingSample> {
  const record = await openQueue(deps.queues, queue);
  const linked = hasLinked(record, nowMs);
  const { tickets, isComplete } = await deps.pool.of(queue, record.layouts, limit, linked);
  return { waiting: tickets.map((ticket) => withoutNames(ticket, nowMs)), isComplete };
}

function withoutNames(
  { players, enqueuedAt }: StoredTicket,
  nowMs: number,
): WaitingSample['waiting'][number] {
  const roles = rolesOf(players);
  const region = regionOf(players);
  return {
    skill: meanSkill({ players }),
    size: players.length,
    ...(roles !== undefined && { roles }),
    ...(region !== undefined && { region }),
    ageSeconds: Math.max(0, nowMs - Date.parse(enqueuedAt)) / 1_000,
  };
}

/** The roles that the players accept; undefined when one accepts every role. */
function rolesOf(players: StoredTicket['players']): string[] | undefined {
  if (players.some(({ roles }) => roles === undefined)) return undefined;
  return [...new Set(players.flatMap(({ roles }) => roles!))].sort();
}

/** The region, shared by all players, in which the highest latency is the lowest; of equal ones the first by name. */
function regionOf(players: StoredTicket['players']): string | undefined {
  const latencies = players.map(({ latencyMs }) => latencyMs).filter((latency) => latency !== undefined);
  const worst = (region: string) => Math.max(...latencies.map((ms) => ms[region]!));
  return Object.keys(latencies[0] ?? {})
    .filter((region) => latencies.every((ms) => Object.hasOwn(ms, region)))
    .sort((a, b) => worst(a) - worst(b) || (a < b ? -1 : 1))[0];
}
