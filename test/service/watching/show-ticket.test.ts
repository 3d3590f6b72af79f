import { beforeEach, describe, expect, it } from 'vitest';
import { connectionStore } from '../../../lib/aws/connection-store.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { type ConnectQuery, connectQuery, type WatchMessage } from '../../../lib/contract/watch.ts';
import type { Found, Sent } from '../../../lib/service/ports/sockets.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { connect } from '../../../lib/service/watching/connect.ts';
import { pushAgain } from '../../../lib/service/watching/push-again.ts';
import { latestOfEachPlayer, showTicket } from '../../../lib/service/watching/show-ticket.ts';
import { tableResources } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';
import { OPEN_SOCKETS } from './open-sockets.ts';
import { watcherOf } from './watcher-of.ts';

it('only the latest connections of a player get a first message, however often it connects', () => {
  const added = Array.from({ length: 100 }, (_, at) => ({
    connectionId: `c${at}`,
    ticketId: 't',
    queue: 'duel',
    player: at === 50 ? 1 : 0,
    enqueuedAtMs: 0,
    status: 'CONNECTED' as const,
    connectedAtMs: at,
    shownFromMs: at,
  }));
  const other = { ...added[10]!, connectionId: 'other', ticketId: 'u' };
  const all = [...added.slice(0, 20), other, ...added.slice(20)].map((connection) => ({ connection }));
  const shown = latestOfEachPlayer(all);
  expect(shown.map(({ connection: { connectionId } }) => connectionId)).toEqual([
    'other',
    'c50',
    'c97',
    'c98',
    'c99',
  ]);
});

describe('a client that says which status it shows', () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });
  let sent: WatchMessage[];
  let find: () => Promise<Found>;
  let sends: Sent;
  beforeEach(() => {
    sent = [];
    find = async () => 'open';
    sends = 'sent';
  });
  const deps = () => {
    const { name } = tableResources().find((table) => table.name.includes('Connections'))!;
    const send = async (_: string, text: string) => {
      sent.push(JSON.parse(text));
      return sends;
    };
    const sockets = { ...OPEN_SOCKETS, send, find: () => find() };
    return { ...cloud.deps, connections: connectionStore(cloud.client, name), sockets };
  };
  const ticketId = () => `${queue}:ann`;
  /** Posts a ticket and connects. Returns what the stream of connections reports. */
  const connected = async (query: ConnectQuery, changes: Partial<QueueDefinition> = {}) => {
    await putQueue(cloud.deps.queues, definition({ name: queue, ...changes }), cloud.nowMs);
    const players = [{ playerId: 'ann', skill: 1 }];
    await enqueue(cloud.deps, queue, { ticketId: ticketId(), players }, cloud.nowMs);
    await connect(deps(), await watcherOf(cloud.deps, ticketId()), 'connection', cloud.nowMs, query);
    const [connection] = await deps().connections.of(ticketId());
    cloud.nowMs = connection!.shownFromMs;
    return connection!;
  };

  it('gets no message while the ticket has it', async () => {
    await showTicket(deps(), await connected({ seen: 'QUEUED' }));
    expect(sent).toEqual([]);
    expect(await deps().connections.of(ticketId())).toHaveLength(1);
  });

  it.each(['1e16', '1e-200', '-1', 'often'])(
    'connects and gets the ticket if it pings every %s s',
    async (ping) => {
      const query = connectQuery.parse({ seen: 'QUEUED', pingSeconds: ping });
      expect(query).toEqual({ seen: 'QUEUED' });
      await showTicket(deps(), await connected(query, { presence: { graceSeconds: 15 } }));
      expect(sent).toMatchObject([{ type: 'Ticket', data: { pingSeconds: 20 } }]);
    },
  );

  it('gets the ticket if it has another one', async () => {
    const connection = await connected({ seen: 'QUEUED' });
    await cancelTicket(cloud.deps, ticketId(), cloud.nowMs);
    await showTicket(deps(), connection);
    expect(sent).toMatchObject([{ type: 'Ticket', data: { ticket: { status: 'CANCELLED' } } }]);
  });

  it('gets a change that came before its connection was open, when nothing could be sent to it', async () => {
    const connection = await connected({ seen: 'QUEUED' });
    let looked = 0;
    find = async () => {
      if (++looked < 3) return 'gone';
      await cancelTicket(cloud.deps, ticketId(), cloud.nowMs);
      return 'open';
    };
    await showTicket(deps(), connection);
    expect(looked).toBe(3);
    expect(sent).toMatchObject([{ type: 'Ticket', data: { ticket: { status: 'CANCELLED' } } }]);
  });

  it('is left to the retries while its $connect may still respond', async () => {
    const connection = await connected({ seen: 'QUEUED' });
    find = async () => 'gone';
    sends = 'gone';
    await showTicket(deps(), connection);
    const [retry] = cloud.pushRetries;
    expect(await pushAgain(deps(), retry!.what)).toMatchObject({ outcome: 'waiting' });
    await cancelTicket(cloud.deps, ticketId(), cloud.nowMs);
    sends = 'sent';
    expect(await pushAgain(deps(), retry!.what)).toEqual({ outcome: 'done' });
    expect(sent.at(-1)).toMatchObject({ type: 'Ticket', data: { ticket: { status: 'CANCELLED' } } });
  });

  it('is forgotten when it is not connected', async () => {
    const connection = await connected({ seen: 'QUEUED' });
    cloud.nowMs += 10_000;
    find = async () => 'gone';
    await showTicket(deps(), connection);
    expect(await deps().connections.of(ticketId())).toEqual([]);
    expect(sent).toEqual([]);
  });

  it.each([
    { pingSeconds: undefined, messages: 1 },
    { pingSeconds: 300, messages: 1 },
    { pingSeconds: 20, messages: 0 },
  ])(
    'that pings every $pingSeconds s learns how often to ping in a queue with presence by $messages message(s)',
    async ({ pingSeconds, messages }) => {
      const presence = { presence: { graceSeconds: 15 } };
      await showTicket(deps(), await connected({ seen: 'QUEUED', pingSeconds }, presence));
      expect(sent).toHaveLength(messages);
      for (const message of sent) expect(message).toMatchObject({ data: { pingSeconds: 20 } });
    },
  );
});
