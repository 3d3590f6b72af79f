import { beforeEach, describe, expect, it } from 'vitest';
import { connectionStore } from '../../../lib/aws/connection-store.ts';
import { toProblem } from '../../../lib/aws/http.ts';
import type { WatchMessage } from '../../../lib/contract/watch.ts';
import { endMatch } from '../../../lib/service/placement/end-match.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { answerFrame, type FrameDeps } from '../../../lib/service/watching/answer-frame.ts';
import { tableResources } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';
import { OPEN_SOCKETS } from './open-sockets.ts';
import { watcherOf } from './watcher-of.ts';

describe('a ping of a client whose last message was lost', () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });
  let deps: FrameDeps;
  const sent: WatchMessage[] = [];
  beforeEach(async () => {
    sent.length = 0;
    const { name } = tableResources().find((table) => table.name.includes('Connections'))!;
    const sockets = {
      ...OPEN_SOCKETS,
      send: async (_: string, text: string) => {
        sent.push(JSON.parse(text));
        return 'sent' as const;
      },
    };
    deps = { ...cloud.deps, connections: connectionStore(cloud.client, name), sockets };
    await putQueue(cloud.deps.queues, definition({ name: queue }), cloud.nowMs);
    for (const name of ['ann', 'zoe'])
      await enqueue(
        cloud.deps,
        queue,
        { ticketId: `${queue}:${name}`, players: [{ playerId: name, skill: 1 }] },
        cloud.nowMs,
      );
    await cloud.run(2_000);
  });
  const ticketId = () => `${queue}:ann`;
  const matchOf = async () => (await cloud.deps.tickets.get(ticketId()))!.matchId!;
  const ping = async (seen: object, its = deps) =>
    answerFrame(
      its,
      await watcherOf(cloud.deps, ticketId()),
      'connection',
      JSON.stringify({ action: 'ping', seen }),
      toProblem,
    );

  it('finds that its players can play', async () => {
    await ping({ status: 'QUEUED' });
    const match = { matchId: await matchOf(), status: 'COMPLETED' };
    expect(sent).toMatchObject([{ type: 'Ticket', data: { ticket: { status: 'COMPLETED' }, match } }]);
  });

  it('finds the end of the match', async () => {
    const matchId = await matchOf();
    await ping({ status: 'COMPLETED', matchId });
    expect(sent).toEqual([]);
    await endMatch(cloud.deps, matchId, {}, cloud.nowMs);
    await ping({ status: 'COMPLETED', matchId });
    expect(sent).toMatchObject([{ type: 'Ticket', data: { match: { endedAt: expect.any(String) } } }]);
  });

  it('finds a backfill', async () => {
    const matchId = await matchOf();
    const matches = {
      ...deps.matches,
      get: async (id: string) => ({ ...(await cloud.deps.matches.get(id))!, roster: 2 }),
    };
    await ping({ status: 'COMPLETED', matchId, roster: 2 }, { ...deps, matches });
    expect(sent).toEqual([]);
    await ping({ status: 'COMPLETED', matchId }, { ...deps, matches });
    expect(sent).toMatchObject([{ type: 'Ticket', data: { match: { roster: 2 } } }]);
  });
});
