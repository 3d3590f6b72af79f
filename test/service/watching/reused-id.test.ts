import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { connectionStore } from '../../../lib/aws/connection-store.ts';
import { toProblem } from '../../../lib/aws/http.ts';
import type { Watcher } from '../../../lib/service/domain/connection.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { answerFrame } from '../../../lib/service/watching/answer-frame.ts';
import { connect } from '../../../lib/service/watching/connect.ts';
import { push } from '../../../lib/service/watching/push.ts';
import { showTicket } from '../../../lib/service/watching/show-ticket.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';
import { OPEN_SOCKETS } from './open-sockets.ts';
import { watcherOf } from './watcher-of.ts';

const TOKEN_IS_VALID_AND_TICKET_IS_NOT_KEPT_MS = 25 * 3_600_000;

describe('a ticket with the id of an earlier one of other players', () => {
  let cloud: VirtualCloud;
  let queue: string;
  let tables: { readonly connections: string; readonly tickets: string };
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
    tables = own.tables.names;
  });
  let sent: [connectionId: string, message: string][];
  const id = () => `${queue}:lobby`;
  const join = (playerId: string) =>
    enqueue(cloud.deps, queue, { ticketId: id(), players: [{ playerId, skill: 1 }] }, cloud.nowMs);
  const deps = () => ({
    ...cloud.deps,
    connections: connectionStore(cloud.client, tables.connections),
    sockets: {
      ...OPEN_SOCKETS,
      send: async (connectionId: string, message: string) => {
        sent.push([connectionId, message]);
        return 'sent' as const;
      },
    },
  });
  /** The watcher that the token of eve names, whose ticket is gone. */
  let eve: Watcher;
  beforeEach(async () => {
    sent = [];
    await putQueue(
      cloud.deps.queues,
      definition({ name: queue, tickSeconds: 1, onePlace: true }),
      cloud.nowMs,
    );
    await join('eve');
    eve = await watcherOf(cloud.deps, id());
  });
  const reuse = async () => {
    await cancelTicket(cloud.deps, id(), cloud.nowMs);
    await cloud.run(60_000);
    cloud.nowMs += TOKEN_IS_VALID_AND_TICKET_IS_NOT_KEPT_MS;
    await cloud.run(60_000);
    await cloud.client.send(new DeleteCommand({ TableName: tables.tickets, Key: { ticketId: id() } }));
    await join('ann');
  };

  it('takes no connection of the earlier token', async () => {
    await reuse();
    await expect(connect(deps(), eve, 'of-eve', cloud.nowMs)).rejects.toMatchObject({ status: 404 });
    expect(await deps().connections.of(id())).toEqual([]);
  });

  it('is not shown to, changed or pushed by a connection that was made before', async () => {
    await connect(deps(), eve, 'of-eve', cloud.nowMs);
    const [connection] = await deps().connections.of(id());
    await reuse();
    await deps().connections.add(connection!);
    await showTicket(deps(), connection!);
    for (const action of ['{"action":"cancel"}', '{"action":"decline","matchId":"m"}', '{"action":"ping"}'])
      await answerFrame(deps(), eve, 'of-eve', action, toProblem);
    expect(sent.map(([, message]) => JSON.parse(message).data.status)).toEqual([404, 404, 404]);
    expect((await getTicket(cloud.deps, id())).status).toBe('QUEUED');

    await deps().connections.add(connection!);
    await connect(deps(), await watcherOf(cloud.deps, id()), 'of-ann', cloud.nowMs);
    cloud.nowMs += 5_000;
    await cloud.newChanges();
    await cancelTicket(cloud.deps, id(), cloud.nowMs);
    await push(deps(), await cloud.newChanges());
    expect(sent.slice(3).map(([connectionId]) => connectionId)).toEqual(['of-ann']);
  });

  it('is not cancelled because the player of the earlier one had left', async () => {
    const presence = { graceSeconds: 5 };
    await putQueue(cloud.deps.queues, definition({ name: queue, tickSeconds: 1, presence }), cloud.nowMs);
    cloud.nowMs += 2_000;
    await connect(deps(), eve, 'of-eve', cloud.nowMs);
    await reuse();
    expect((await cloud.deps.presence.of(queue, [id()])).size).toBe(1);
    await cloud.run(60_000);
    expect((await getTicket(cloud.deps, id())).status).toBe('QUEUED');
  });

  it('does not take the place of the player of the earlier one', async () => {
    await reuse();
    const next = { ticketId: `${queue}:other`, players: [{ playerId: 'eve', skill: 1 }] };
    expect(await enqueue(cloud.deps, queue, next, cloud.nowMs)).toMatchObject({ created: true });
  });
});
