import type { QueueDefinition } from './queue-definition.ts';

interface Reaching {
  readonly latencyMs?: Readonly<Record<string, number>> | undefined;
}

/** The regions in which the provisioner of a queue can place matches; undefined when it names none: any. */
export function placeableRegions({
  provisioner,
}: Pick<QueueDefinition, 'provisioner'>): readonly string[] | undefined {
  if (provisioner?.type !== 'agones' || typeof provisioner.allocator === 'string') return undefined;
  return Object.keys(provisioner.allocator);
}

/** Players without latencies to regions in which no match can be placed, so that the rules choose among the others. */
export function inPlaceableRegions<P extends Reaching>(
  players: readonly P[],
  definition: Pick<QueueDefinition, 'provisioner'>,
): readonly P[] {
  const regions = placeableRegions(definition);
  if (regions === undefined) return players;
  return players.map((player) => {
    const { latencyMs } = player;
    if (latencyMs === undefined) return player;
    const reached = Object.entries(latencyMs).filter(([region]) => regions.includes(region));
    return { ...player, latencyMs: Object.fromEntries(reached) };
  });
}
