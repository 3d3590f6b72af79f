import { describe, expect, it } from 'vitest';
import { connectionStore } from '../../../lib/aws/connection-store.ts';
import { type WatchMessage, watchMessage } from '../../../lib/contract/watch.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { connect } from '../../../lib/service/watching/connect.ts';
import { push } from '../../../lib/service/watching/push.ts';
import { tableResources } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';
import { OPEN_SOCKETS } from './open-sockets.ts';
import { watcherOf } from './watcher-of.ts';

describe('the changes of a batch', () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  it('are not sent for longer than four seconds when sockets do not respond, and the others are left to the retries', async () => {
    await putQueue(cloud.deps.queues, definition({ name: queue }), cloud.nowMs);
    const { name } = tableResources().find((table) => table.name.includes('Connections'))!;
    let commands = 0;
    const hang = async () => {
      commands++;
      cloud.nowMs += 3_000;
    };
    const sockets = {
      ...OPEN_SOCKETS,
      send: () => hang().then(() => 'failed' as const),
    };
    const deps = { ...cloud.deps, connections: connectionStore(cloud.client, name), sockets };
    const ids = Array.from({ length: 40 }, (_, at) => `${queue}:${at}`);
    for (const [at, ticketId] of ids.entries()) {
      const players = [{ playerId: `p${at}`, skill: 1 + 1_000 * at }];
      await enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
      await connect(deps, await watcherOf(cloud.deps, ticketId), `connection-${at}`, cloud.nowMs);
    }
    cloud.nowMs += 5_000;
    for (const ticketId of ids) await cancelTicket(cloud.deps, ticketId, cloud.nowMs);
    const changes = await cloud.newChanges();
    expect(await push(deps, changes)).toBe(ids.length);
    expect(commands).toBeGreaterThan(0);
    // Those that were being sent at the end of the time.
    expect(commands).toBeLessThanOrEqual(16);
    const left = cloud.pushRetries.flatMap(({ what: { ticketIds } }) => ticketIds);
    expect(left.sort()).toEqual([...ids].sort());
  });

  it('are sent in turn to those who watch different queues', async () => {
    const other = `${queue}-other`;
    const { name } = tableResources().find((table) => table.name.includes('Connections'))!;
    const sent: string[] = [];
    const send = async (connectionId: string) => {
      sent.push(connectionId);
      return 'sent' as const;
    };
    const deps = {
      ...cloud.deps,
      connections: connectionStore(cloud.client, name),
      sockets: { ...OPEN_SOCKETS, send },
    };
    const ids = [...Array.from({ length: 60 }, (_, at) => `${queue}:${at}`), `${other}:last`];
    for (const each of [queue, other])
      await putQueue(cloud.deps.queues, definition({ name: each }), cloud.nowMs);
    for (const [at, ticketId] of ids.entries()) {
      const of = ticketId.split(':')[0]!;
      const players = [{ playerId: `p${at}`, skill: 1 + 1_000 * at }];
      await enqueue(cloud.deps, of, { ticketId, players }, cloud.nowMs);
      await connect(deps, await watcherOf(cloud.deps, ticketId), ticketId, cloud.nowMs);
    }
    cloud.nowMs += 5_000;
    for (const ticketId of ids) await cancelTicket(cloud.deps, ticketId, cloud.nowMs);
    expect(await push(deps, await cloud.newChanges())).toBe(0);
    expect(sent).toHaveLength(61);
    // Among those that are sent first, at the same time.
    expect(sent.indexOf(`${other}:last`)).toBeLessThan(16);
  });

  it('are sent to all players of a match for one read of it', async () => {
    await putQueue(cloud.deps.queues, definition({ name: queue }), cloud.nowMs);
    const { name } = tableResources().find((table) => table.name.includes('Connections'))!;
    const sent: string[] = [];
    let reads = 0;
    const deps = {
      ...cloud.deps,
      connections: connectionStore(cloud.client, name),
      sockets: {
        ...OPEN_SOCKETS,
        send: async (connectionId: string) => {
          sent.push(connectionId);
          return 'sent' as const;
        },
      },
      matches: {
        ...cloud.deps.matches,
        get: (matchId: string) => {
          reads++;
          return cloud.deps.matches.get(matchId);
        },
      },
    };
    for (const playerId of ['ann', 'zoe']) {
      const ticketId = `${queue}:${playerId}`;
      await enqueue(cloud.deps, queue, { ticketId, players: [{ playerId, skill: 1 }] }, cloud.nowMs);
      await connect(deps, await watcherOf(cloud.deps, ticketId), playerId, cloud.nowMs);
    }
    await cloud.newChanges();
    await cloud.run(5_000);
    const found = cloud.changes.filter(({ table }) => table === 'matches');
    expect(await push(deps, found)).toBe(0);
    expect(sent.sort()).toEqual(['ann', 'zoe']);
    expect(reads).toBe(1);
  });

  it('are left to the retries while the store is too busy', async () => {
    await putQueue(cloud.deps.queues, definition({ name: queue }), cloud.nowMs);
    const { name } = tableResources().find((table) => table.name.includes('Connections'))!;
    const connections = connectionStore(cloud.client, name);
    const deps = { ...cloud.deps, connections, sockets: OPEN_SOCKETS };
    const ticketId = `${queue}:one`;
    await enqueue(cloud.deps, queue, { ticketId, players: [{ playerId: 'ann', skill: 1 }] }, cloud.nowMs);
    await connect(deps, await watcherOf(cloud.deps, ticketId), 'connection', cloud.nowMs);
    cloud.nowMs += 5_000;
    await cancelTicket(cloud.deps, ticketId, cloud.nowMs);
    const changes = await cloud.newChanges();
    const of = async () => {
      throw new StoreBusy('the table of connections is throttled');
    };
    const busy = { ...deps, connections: { ...connections, of } };
    expect(await push(busy, changes)).toBe(1);
    expect(cloud.pushRetries).toMatchObject([{ what: { queue, ticketIds: [ticketId] } }]);
  });

  it.each([
    // Each answer of a small match; of a large one each twentieth part of its players, and the last four.
    { players: 4, shown: [1, 2, 3] },
    { players: 60, shown: [...Array.from({ length: 18 }, (_, i) => 3 * (i + 1)), 57, 58, 59] },
  ])('show how many of $players players are ready, without the match', async ({ players, shown }) => {
    const by = { acceptance: { timeoutSeconds: 600, by: 'player' as const } };
    await putQueue(cloud.deps.queues, definition({ name: queue, teamSize: players / 2, ...by }), cloud.nowMs);
    const { name } = tableResources().find((table) => table.name.includes('Connections'))!;
    const sent: WatchMessage[] = [];
    const send = async (_: string, text: string) => {
      sent.push(watchMessage.parse(JSON.parse(text)));
      return 'sent' as const;
    };
    const connections = connectionStore(cloud.client, name);
    const deps = { ...cloud.deps, connections, sockets: { ...OPEN_SOCKETS, send } };
    const people = Array.from({ length: players }, (_, at) => ({ playerId: `p${at}`, skill: 1 }));
    const parties = [people.slice(0, players / 2), people.slice(players / 2)];
    for (const [at, party] of parties.entries())
      await enqueue(cloud.deps, queue, { ticketId: `${queue}:${at}`, players: party }, cloud.nowMs);
    await connect(deps, await watcherOf(cloud.deps, `${queue}:0`), 'one', cloud.nowMs);
    await cloud.run(5_000);
    const { matchId } = (await cloud.deps.tickets.get(`${queue}:0`))!;
    cloud.answered.length = 0;
    for (const { playerId } of people.slice(0, -1)) {
      const ticketId = `${queue}:${parties[0]!.some((one) => one.playerId === playerId) ? 0 : 1}`;
      await answerMatch(cloud.deps, ticketId, { accepted: true, matchId }, cloud.nowMs, playerId);
      await cloud.newChanges();
      expect(await push(deps, [], cloud.answered.splice(0))).toBe(0);
    }
    const states = sent.flatMap((one) => (one.type === 'ReadyCheck' ? [one.data] : []));
    expect(states.map(({ ticket }) => ticket.acceptance!.ready)).toEqual(shown);
    expect(states.every((data) => !('match' in data))).toBe(true);
    expect(states.map(({ revision }) => revision)).toEqual(shown.map((ready) => 1_000 + ready));
    expect(states.at(-1)!.ticket.acceptance).toMatchObject({
      of: players,
      players: parties[0]!.map(({ playerId }) => playerId).sort(),
    });
    await answerMatch(cloud.deps, `${queue}:1`, { accepted: true, matchId }, cloud.nowMs);
    const changes = await cloud.newChanges();
    sent.length = 0;
    await push(deps, changes, cloud.answered.splice(0));
    expect(sent.map(({ type }) => type)).toEqual(['MatchAccepted']);
  });
});
