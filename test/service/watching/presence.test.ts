import { afterEach, describe, expect, it } from 'vitest';
import { connectionStore } from '../../../lib/aws/connection-store.ts';
import { toProblem } from '../../../lib/aws/http.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { provision } from '../../../lib/service/placement/provision.ts';
import { getStats } from '../../../lib/service/queues/stats.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { keepAlive } from '../../../lib/service/tickets/keep-alive.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { answerFrame } from '../../../lib/service/watching/answer-frame.ts';
import { connect } from '../../../lib/service/watching/connect.ts';
import { disconnect } from '../../../lib/service/watching/disconnect.ts';
import { definition, putQueue } from '../definitions.ts';
import { withFaults } from '../faults.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';
import { OPEN_SOCKETS } from './open-sockets.ts';
import { watcherOf } from './watcher-of.ts';

const GRACE_MS = 15_000;
const PING_MS = 20_000;
/** With this grace, one ping may be lost before a player is silent. */
const SILENT_MS = 27_000;
/** A queue with more tickets than a tick looks at in turn is looked at once in ten seconds. */
const LOOK_MS = 10_000;

describe('a queue with presence', () => {
  let cloud: VirtualCloud;
  let queue: string;
  let connectionsTable: string;
  const begin = ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
    connectionsTable = own.tables.names.connections;
  });
  afterEach(() => {
    cloud.refuse = undefined;
  });

  const id = (name: string) => `${queue}:${name}`;
  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(
      cloud.deps.queues,
      definition({
        name: queue,
        tickSeconds: 5,
        timeoutSeconds: 3_600,
        presence: { graceSeconds: GRACE_MS / 1_000 },
        ...changes,
      }),
      cloud.nowMs,
    );
  const body = (name: string, ...players: string[]) => ({
    ticketId: id(name),
    players: (players.length > 0 ? players : [name]).map((playerId) => ({ playerId, skill: 1 })),
  });
  const join = (name: string, ...players: string[]) =>
    enqueue(cloud.deps, queue, body(name, ...players), cloud.nowMs);
  const read = (name: string) => getTicket(cloud.deps, id(name));
  const deps = () => ({
    ...cloud.deps,
    connections: connectionStore(cloud.client, connectionsTable),
    sockets: OPEN_SOCKETS,
  });
  const watcher = (name: string, player = 0) => watcherOf(cloud.deps, id(name), player);
  const open = async (name: string, connectionId: string, player = 0) =>
    connect(deps(), await watcher(name, player), connectionId, cloud.nowMs);
  const end = async (name: string, connectionId: string, player = 0) =>
    disconnect(deps(), await watcher(name, player), connectionId, cloud.nowMs);
  const ping = async (name: string, connectionId: string, player = 0) =>
    answerFrame(deps(), await watcher(name, player), connectionId, '{"action":"ping"}', toProblem);
  /** Runs the cloud, and lets these connections ping as a client does. */
  const run = async (
    forMs: number,
    ...pinging: readonly (readonly [name: string, connectionId: string])[]
  ) => {
    const untilMs = cloud.nowMs + forMs;
    while (cloud.nowMs < untilMs) {
      await cloud.run(Math.min(PING_MS, untilMs - cloud.nowMs));
      for (const [name, connectionId] of pinging) await ping(name, connectionId);
    }
  };
  const left = { status: 'CANCELLED', reason: 'a player has left', reasonCode: 'PLAYER_LEFT' };

  it('cancels the ticket of a party when one of its players has disconnected, after the grace', async () => {
    await define({ teamSize: 3 });
    await join('party', 'ann', 'ben');
    await open('party', 'one', 0);
    await open('party', 'two', 1);
    await end('party', 'two', 1);
    await run(GRACE_MS - 1_000, ['party', 'one']);
    expect((await read('party')).status).toBe('QUEUED');
    await run(1_000 + LOOK_MS, ['party', 'one']);
    expect(await read('party')).toMatchObject(left);
    const { outcomes } = (await getStats(cloud.deps, queue, cloud.nowMs))!;
    expect(outcomes.tickets).toMatchObject({ cancelled: 1, vanished: 1 });
    expect(cloud.events.map(({ type }) => type)).toContain('TicketCancelled');
  });

  it('finds a player who vanished without a word by the ping that is missing', async () => {
    await define({ teamSize: 3 });
    await join('a');
    await open('a', 'one');
    await run(PING_MS, ['a', 'one']);
    await run(SILENT_MS + GRACE_MS - 1_000);
    expect((await read('a')).status).toBe('QUEUED');
    await run(1_000 + LOOK_MS);
    expect(await read('a')).toMatchObject(left);
  });

  it('keeps the place and the wait of a player who is back within the grace', async () => {
    await define({ teamSize: 3 });
    await join('a');
    const { enqueuedAt } = await read('a');
    await open('a', 'one');
    for (let i = 2; i < 6; i++) {
      await end('a', String(i === 2 ? 'one' : i - 1));
      await run(GRACE_MS - 1);
      await open('a', String(i));
    }
    await run(60_000, ['a', '5']);
    expect(await read('a')).toMatchObject({ status: 'QUEUED', enqueuedAt });
  });

  it('counts a player as present while one connection lives, in whatever order the ends are reported', async () => {
    await define({ teamSize: 3 });
    await join('a');
    await open('a', 'one');
    cloud.nowMs += 1;
    await open('a', 'two');
    await end('a', 'two');
    await run(2 * PING_MS, ['a', 'one']);
    await open('a', 'three');
    // The end of an older connection is reported late.
    await end('a', 'one');
    await run(2 * PING_MS, ['a', 'three']);
    expect((await read('a')).status).toBe('QUEUED');
    await end('a', 'three');
    await run(GRACE_MS + LOOK_MS);
    expect(await read('a')).toMatchObject(left);
  });

  it('cancels no ticket whose players are there when a definition with presence is put on a running queue', async () => {
    await define({ teamSize: 3, presence: undefined });
    await join('a');
    await open('a', 'one');
    await run(60_000);
    await define({ teamSize: 3 });
    cloud.nowMs += 2_000;
    // The client was told to ping every five minutes.
    await ping('a', 'one');
    await run(PING_MS + SILENT_MS + GRACE_MS + LOOK_MS);
    expect((await read('a')).status).toBe('QUEUED');
  });

  it('cancels no ticket whose players are there when presence is removed and put again', async () => {
    await define({ teamSize: 3 });
    for (const name of ['a', 'gone']) {
      await join(name);
      await open(name, name);
    }
    await define({ teamSize: 3, presence: undefined });
    cloud.nowMs += 2_000;
    await run(3 * PING_MS, ['a', 'a']);
    await define({ teamSize: 3 });
    cloud.nowMs += 2_000;
    await run(SILENT_MS + GRACE_MS + LOOK_MS, ['a', 'a']);
    expect((await read('a')).status).toBe('QUEUED');
    expect(await read('gone')).toMatchObject(left);
  });

  it('counts a player who never connects as present', async () => {
    await define();
    await join('a');
    await run(5 * PING_MS);
    await join('b');
    await run(2_000);
    expect((await read('a')).status).toBe('COMPLETED');
  });

  it('gives the players of a ticket the grace to connect, where presence is required', async () => {
    await define({ teamSize: 3, presence: { graceSeconds: GRACE_MS / 1_000, required: true } });
    for (const name of ['silent', 'there']) await join(name);
    await run(GRACE_MS - 2_000);
    // A repeated request begins no other grace.
    for (const name of ['silent', 'there']) await join(name);
    await open('there', 'one');
    await run(2_000 + LOOK_MS);
    expect(await read('silent')).toMatchObject(left);
    expect((await read('there')).status).toBe('QUEUED');
  });

  it('makes no match with a player who has left, and the other waits on', async () => {
    await define({ tickSeconds: 30 });
    await join('a');
    await open('a', 'one');
    await end('a', 'one');
    cloud.nowMs += GRACE_MS;
    await join('b');
    const { enqueuedAt } = await read('b');
    await run(35_000);
    expect(await read('a')).toMatchObject(left);
    expect(await read('b')).toMatchObject({ status: 'QUEUED', enqueuedAt });
    expect(cloud.events.map(({ type }) => type)).not.toContain('MatchFound');
  });

  /** A match of `a` and `b`, of which the player of `a` has gone as soon as it was found. */
  const goneAfterMatch = async (changes: Partial<QueueDefinition>) => {
    await define(changes);
    await join('a');
    await join('b');
    await open('a', 'one');
    cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
    for (const message of cloud.dueTicks()) await tick(cloud.deps, message);
    const { matchId } = await read('a');
    await end('a', 'one');
    return matchId!;
  };
  const ACCEPTED = {
    acceptance: { timeoutSeconds: 60 },
    cooldown: { decline: [{ times: 1, seconds: 60 }] },
  };
  const accept = (name: string, matchId: string) =>
    answerMatch(cloud.deps, id(name), { accepted: true, matchId }, cloud.nowMs);

  it('dissolves a match that all have accepted when one of them has left since', async () => {
    const matchId = await goneAfterMatch(ACCEPTED);
    const { enqueuedAt } = await read('b');
    expect((await accept('a', matchId)).status).toBe('REQUIRES_ACCEPTANCE');
    cloud.nowMs += GRACE_MS;
    expect((await accept('b', matchId)).status).toBe('QUEUED');
    expect(await cloud.deps.matches.get(matchId)).toMatchObject({
      status: 'FAILED',
      reasonCode: 'PLAYER_LEFT',
    });
    expect(await read('a')).toMatchObject(left);
    expect(await read('b')).toMatchObject({ status: 'QUEUED', enqueuedAt });
    expect((await cloud.deps.cooldowns.of(queue, ['a', 'b'])).size).toBe(0);
    await run(1_000);
    const { outcomes } = (await getStats(cloud.deps, queue, cloud.nowMs))!;
    expect(outcomes.tickets).toMatchObject({ vanished: 1, returned: 1, cancelled: 0 });
    expect(outcomes.acceptance).toMatchObject({ accepted: 0, declined: 0, notAccepted: 0 });
  });

  const PLACED = { provisioner: { type: 'http', url: 'https://games.example' } } as const;

  it('asks for no server for a match of which a player has left, and lets the others return', async () => {
    const matchId = await goneAfterMatch(PLACED);
    const { enqueuedAt } = await read('b');
    let asked = 0;
    cloud.host = () => {
      asked++;
      return { outcome: 'responded', status: 503, body: '' };
    };
    await provision(cloud.deps, matchId, cloud.nowMs);
    expect(asked).toBe(1);
    cloud.nowMs += GRACE_MS;
    await provision(cloud.deps, matchId, cloud.nowMs);
    expect(asked).toBe(1);
    expect(await read('a')).toMatchObject(left);
    expect(await read('b')).toMatchObject({ status: 'QUEUED', enqueuedAt });
    await run(2_000);
    expect(await cloud.deps.tickets.get(id('a'))).toMatchObject(left);
    expect(await cloud.deps.tickets.get(id('b'))).toMatchObject({ status: 'QUEUED', enqueuedAt });
    expect((await cloud.deps.tickets.get(id('b')))!.failures).toBeUndefined();
  });

  describe('POST /tickets/{ticketId}/alive', () => {
    const backend = { scope: 'backend' } as const;
    const alive = (name: string, caller: Parameters<typeof keepAlive>[2] = backend) =>
      keepAlive(cloud.deps, id(name), caller, cloud.nowMs);

    it('keeps the players of a ticket present, all of them for a backend and itself for a player', async () => {
      await define({ teamSize: 3, presence: { graceSeconds: 15, required: true } });
      await join('both', 'ann', 'ben');
      await join('one', 'cat', 'dan');
      for (let i = 0; i < 3; i++) {
        await alive('both');
        await alive('one', { scope: 'player', playerId: 'cat' });
        await run(PING_MS);
      }
      expect((await read('both')).status).toBe('QUEUED');
      expect(await read('one')).toMatchObject(left);
    });

    it('returns a ticket that has ended as it is, and rejects what it cannot keep alive', async () => {
      await define();
      await expect(alive('none')).rejects.toMatchObject({ status: 404 });
      await join('a');
      await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
      expect((await alive('a')).status).toBe('CANCELLED');
      expect((await cloud.deps.presence.of(queue, [id('a')])).size).toBe(0);
      await begin();
      await putQueue(cloud.deps.queues, definition({ name: queue }), cloud.nowMs);
      await join('b');
      await expect(alive('b')).rejects.toMatchObject({ status: 409 });
    });
  });

  it('costs a queue without it no read and no write', async () => {
    await define();
    const { presence: _, ...plain } = (await cloud.deps.queues.get(queue))!.definition;
    await putQueue(cloud.deps.queues, plain, cloud.nowMs);
    cloud.nowMs += 2_000;
    const calls: string[] = [];
    const spied = Object.fromEntries(
      Object.keys(cloud.deps.presence).map((name) => [name, async () => void calls.push(name)]),
    );
    Object.assign(cloud.deps.presence, spied);
    await join('a');
    await open('a', 'one');
    await ping('a', 'one');
    await end('a', 'one');
    await join('b');
    await run(6_000);
    expect((await read('a')).status).toBe('COMPLETED');
    expect(calls).toEqual([]);
  });

  describe('when a function is killed at any call', () => {
    it('the end of a connection is noted, or found by the missing ping', async () => {
      await withFaults(1, async (kill, label) => {
        await begin();
        await define({ teamSize: 3 });
        await join('a');
        await open('a', 'one');
        await kill((line) => cloud.on(line, () => end('a', 'one')));
        await run(SILENT_MS + GRACE_MS + LOOK_MS);
        expect(await read('a'), label).toMatchObject(left);
      });
    });

    it('the grace to connect begins with the POST that stores the ticket, where presence is required', async () => {
      await withFaults(1, async (kill, label) => {
        await begin();
        await define({ teamSize: 3, presence: { graceSeconds: GRACE_MS / 1_000, required: true } });
        await kill((line) => cloud.on(line, () => join('a')));
        const isStored = (await cloud.deps.tickets.get(id('a'))) !== undefined;
        cloud.nowMs += GRACE_MS;
        await join('a');
        await run(GRACE_MS - 2_000);
        if (!isStored) expect((await read('a')).status, label).toBe('QUEUED');
        // A POST that is killed before it has sent the ticks leaves them to the next minute.
        await run(2_000 + LOOK_MS + 60_000);
        expect(await read('a'), label).toMatchObject(left);
      });
    });

    it('a client that connects again keeps its place', async () => {
      await withFaults(1, async (kill, label) => {
        await begin();
        await define({ teamSize: 3 });
        await join('a');
        await open('a', 'one');
        await end('a', 'one');
        await run(GRACE_MS - 5_000);
        await kill((line) => cloud.on(line, () => open('a', 'two')));
        // A client whose connection was not made connects again.
        await open('a', 'three');
        await run(2 * PING_MS, ['a', 'three']);
        expect((await read('a')).status, label).toBe('QUEUED');
      });
    });

    it('a tick ends the ticket of who has left, and the other waits on', async () => {
      await withFaults(1, async (kill, label) => {
        await begin();
        await define({ tickSeconds: 10 });
        await join('a');
        await open('a', 'one');
        await end('a', 'one');
        await join('b');
        cloud.nowMs += GRACE_MS;
        cloud.dueTicks();
        cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
        const [message] = cloud.dueTicks();
        await kill((line) => cloud.on(line, () => tick(cloud.deps, message!)));
        await run(60_000);
        expect(await read('a'), label).toMatchObject(left);
        expect((await read('b')).status, label).toBe('QUEUED');
      });
    });

    it('a match that is accepted too late is dissolved, and who has not left returns', async () => {
      await withFaults(1, async (kill, label) => {
        await begin();
        const matchId = await goneAfterMatch({ ...ACCEPTED, tickSeconds: 10 });
        await accept('a', matchId);
        cloud.nowMs += GRACE_MS;
        let isDone = false;
        await kill((line) =>
          cloud.on(line, async () => {
            await accept('b', matchId);
            isDone = true;
          }),
        );
        if (!isDone) await accept('b', matchId).catch(() => {});
        await run(120_000);
        expect((await cloud.deps.tickets.get(id('a')))!.status, label).toBe('CANCELLED');
        expect((await cloud.deps.tickets.get(id('b')))!.status, label).toBe('QUEUED');
      });
    });

    it('a match that is placed too late is dissolved, and who has not left returns', async () => {
      await withFaults(1, async (kill, label) => {
        await begin();
        const matchId = await goneAfterMatch({ ...PLACED, tickSeconds: 10 });
        cloud.nowMs += GRACE_MS;
        await kill((line) => cloud.on(line, () => provision(cloud.deps, matchId, cloud.nowMs)));
        // SQS delivers the message of a killed function again.
        await provision(cloud.deps, matchId, cloud.nowMs);
        await kill((line) => cloud.on(line, () => checkDeadline(cloud.deps, matchId, cloud.nowMs)));
        await run(120_000);
        expect((await cloud.deps.tickets.get(id('a')))!, label).toMatchObject(left);
        expect((await cloud.deps.tickets.get(id('b')))!.status, label).toBe('QUEUED');
      });
    });
  });
});
