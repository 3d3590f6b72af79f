import { describe, expect, it } from 'vitest';
import { connectionStore } from '../../../lib/aws/connection-store.ts';
import { toProblem } from '../../../lib/aws/http.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { WatchMessage } from '../../../lib/contract/watch.ts';
import type { Sent } from '../../../lib/service/ports/sockets.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { answerFrame } from '../../../lib/service/watching/answer-frame.ts';
import { CONNECTIONS_PER_PLAYER_MAX, connect } from '../../../lib/service/watching/connect.ts';
import { push } from '../../../lib/service/watching/push.ts';
import { pushAgain } from '../../../lib/service/watching/push-again.ts';
import { showTicket } from '../../../lib/service/watching/show-ticket.ts';
import { tableResources } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';
import { watcherOf } from './watcher-of.ts';

/** API Gateway when it throttles: each command gets 429, until a test says something else. */
class Gateway {
  answer: Sent = 'failed';
  readonly closed: string[] = [];
  readonly sent: WatchMessage[] = [];

  readonly sockets = {
    send: async (_: string, text: string) => {
      if (this.answer === 'sent') this.sent.push(JSON.parse(text));
      return this.answer;
    },
    find: async () => (this.answer === 'sent' ? ('open' as const) : this.answer),
    close: async (connectionId: string) => {
      this.closed.push(connectionId);
      return this.answer !== 'failed';
    },
  };
}

describe('a player who cannot be reached because API Gateway throttles', () => {
  let cloud: VirtualCloud;
  let queue: string;
  let gateway: Gateway;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
    gateway = new Gateway();
  });
  const deps = () => {
    const { name } = tableResources().find((table) => table.name.includes('Connections'))!;
    return {
      ...cloud.deps,
      connections: connectionStore(cloud.client, name),
      sockets: gateway.sockets,
    };
  };
  const ticketOf = (name: string) => `${queue}:${name}`;
  const watcher = () => watcherOf(cloud.deps, ticketOf('ann'));
  const rows = async () =>
    (await deps().connections.of(ticketOf('ann'))).map(({ connectionId }) => connectionId);
  const join = (name: string) =>
    enqueue(
      cloud.deps,
      queue,
      { ticketId: ticketOf(name), players: [{ playerId: name, skill: 1 }] },
      cloud.nowMs,
    );
  /** Posts a ticket and connects, long enough ago to be known as watched and open. */
  const watched = async (changes: Partial<QueueDefinition> = {}) => {
    await putQueue(
      cloud.deps.queues,
      definition({ name: queue, timeoutSeconds: 600, ...changes }),
      cloud.nowMs,
    );
    await join('ann');
    await connect(deps(), await watcher(), 'one', cloud.nowMs);
    cloud.nowMs += 15_000;
  };
  /** Lets a second player come, and sends the changes since. */
  const matched = async () => {
    await cloud.newChanges();
    await join('zoe');
    await cloud.run(5_000);
    return push(deps(), cloud.changes);
  };
  /** Tries again for as long as the retries say. Returns when the last try was, after the first, and how it ended. */
  const tried = async (until = Number.POSITIVE_INFINITY) => {
    const [first] = cloud.pushRetries.splice(0).map(({ what }) => what);
    for (;;) {
      const result = await pushAgain(deps(), first!);
      const afterMs = cloud.nowMs - first!.sinceMs;
      if (result.outcome !== 'waiting' || afterMs >= until) return { ...result, afterMs };
      cloud.nowMs += result.afterMs;
    }
  };

  it('keeps the connection, and is left to the retries, by a change', async () => {
    await watched();
    expect(await matched()).toBeGreaterThan(0);
    expect(gateway.closed).toEqual([]);
    expect(await rows()).toEqual(['one']);
    expect(cloud.pushRetries[0]).toMatchObject({ what: { queue, ticketIds: [ticketOf('ann')] } });
  });

  it.each(['found', 'sent'])(
    'keeps the connection, and is left to the retries, when the first message cannot be %s',
    async (what) => {
      await watched();
      const [connection] = await deps().connections.of(ticketOf('ann'));
      const find = what === 'sent' ? async () => 'open' as const : gateway.sockets.find;
      await showTicket({ ...deps(), sockets: { ...gateway.sockets, find } }, connection!);
      expect(gateway.closed).toEqual([]);
      expect(await rows()).toEqual(['one']);
      expect(cloud.pushRetries).toMatchObject([{ what: { ticketIds: [ticketOf('ann')] } }]);
    },
  );

  it('keeps the connection, and is left to the retries, by the answer to a ping', async () => {
    await watched();
    await answerFrame(deps(), await watcher(), 'one', '{"action":"ping"}', toProblem);
    expect(gateway.closed).toEqual([]);
    expect(await rows()).toEqual(['one']);
    expect(cloud.pushRetries).toMatchObject([{ what: { ticketIds: [ticketOf('ann')] } }]);
  });

  it('keeps connections beyond the maximum until they can be closed', async () => {
    await watched();
    const ids = Array.from({ length: CONNECTIONS_PER_PLAYER_MAX }, (_, at) => `more-${at}`);
    for (const id of ids) await connect(deps(), await watcher(), id, cloud.nowMs++);
    expect(await rows()).toEqual(['one', ...ids]);
    gateway.answer = 'sent';
    await connect(deps(), await watcher(), 'last', cloud.nowMs);
    expect(await rows()).toEqual([...ids.slice(1), 'last']);
  });

  it('gets the ticket as it is as soon as a message passes', async () => {
    await watched();
    await matched();
    cloud.nowMs += 10_000;
    gateway.answer = 'sent';
    expect(await tried()).toMatchObject({ outcome: 'done' });
    expect(gateway.sent).toMatchObject([{ type: 'Ticket', data: { ticket: { status: 'COMPLETED' } } }]);
  });

  it('is removed when the client has disconnected by then', async () => {
    await watched();
    await matched();
    gateway.answer = 'gone';
    expect(await tried()).toMatchObject({ outcome: 'done' });
    expect(await rows()).toEqual([]);
  });

  it('is given up after a minute, when the next ping finds the change', async () => {
    await watched();
    await matched();
    const { outcome, afterMs } = await tried();
    expect(outcome).toBe('dropped');
    expect(afterMs).toBeGreaterThan(40_000);
    expect(afterMs).toBeLessThanOrEqual(60_000);
    expect(await rows()).toEqual(['one']);
  });

  it('is tried until the deadline of a match that waits for acceptance', async () => {
    await watched({ acceptance: { timeoutSeconds: 600 } });
    await matched();
    const { outcome, afterMs } = await tried(500_000);
    expect(outcome).toBe('waiting');
    expect(afterMs).toBeGreaterThanOrEqual(500_000);
  });

  it('is tried within a tenth of the shortest usual acceptance after the change', async () => {
    await watched({ acceptance: { timeoutSeconds: 15 } });
    await matched();
    gateway.answer = 'sent';
    expect(cloud.pushRetries[0]!.dueMs - cloud.nowMs).toBeLessThanOrEqual(1_500);
  });
});
