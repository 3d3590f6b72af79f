import { describe, expect, it } from 'vitest';
import { connectionStore } from '../../../lib/aws/connection-store.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { CONNECTIONS_PER_PLAYER_MAX, connect } from '../../../lib/service/watching/connect.ts';
import { tableResources } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';
import { OPEN_SOCKETS } from './open-sockets.ts';
import { watcherOf } from './watcher-of.ts';

describe('connections of one player', () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  it('that are made at the same moment leave the latest, and need few commands each', async () => {
    await putQueue(cloud.deps.queues, definition({ name: queue }), cloud.nowMs);
    const { name } = tableResources().find((table) => table.name.includes('Connections'))!;
    const connections = connectionStore(cloud.client, name);
    const ids = Array.from({ length: 60 }, (_, at) => `connection-${String(at).padStart(2, '0')}`);
    const open = new Set(ids);
    let commands = 0;
    const sockets = {
      ...OPEN_SOCKETS,
      close: async (connectionId: string) => {
        commands++;
        open.delete(connectionId);
        return true;
      },
    };
    const posted = { ticketId: `${queue}:one`, players: [{ playerId: 'ann', skill: 1 }] };
    await enqueue(cloud.deps, queue, posted, cloud.nowMs);
    const watcher = await watcherOf(cloud.deps, posted.ticketId);
    const deps = { ...cloud.deps, connections, sockets };
    await Promise.all(ids.map((id) => connect(deps, watcher, id, cloud.nowMs)));
    const latest = ids.slice(-CONNECTIONS_PER_PLAYER_MAX);
    expect([...open]).toEqual(latest);
    const stored = await connections.of(watcher.ticketId);
    expect(stored.map(({ connectionId }) => connectionId)).toEqual(latest);
    expect(commands).toBeLessThanOrEqual(4 * ids.length);
  });
});
