import { beforeEach, describe, expect, it } from 'vitest';
import { connectionStore } from '../../../lib/aws/connection-store.ts';
import { toProblem } from '../../../lib/aws/http.ts';
import type { Caller } from '../../../lib/contract/callers.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import type { Sockets } from '../../../lib/service/ports/sockets.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { getStats } from '../../../lib/service/queues/stats.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { keepAlive } from '../../../lib/service/tickets/keep-alive.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { answerFrame } from '../../../lib/service/watching/answer-frame.ts';
import { connect } from '../../../lib/service/watching/connect.ts';
import { disconnect } from '../../../lib/service/watching/disconnect.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';
import { OPEN_SOCKETS } from './open-sockets.ts';
import { watcherOf } from './watcher-of.ts';

const PING_MS = 20_000;
/** Players whose pings come, so that the others are few. */
const HEARD = 16;

const refused = () => new Problem(503, 'The service is busy.');

/** A client whose n-th frame after its connection, a ping of its own or an answer, may be lost, or be answered with 503. */
interface Client {
  readonly name: string;
  readonly isLost: (frame: number) => boolean;
  readonly answersAsks: boolean;
  readonly isRefused?: boolean;
  frames: number;
}

describe('a queue with presence', () => {
  let cloud: VirtualCloud;
  let queue: string;
  let table: string;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
    table = own.tables.names.connections;
  });
  let clients: Map<string, Client>;
  beforeEach(() => {
    clients = new Map();
    const sockets: Sockets = {
      ...OPEN_SOCKETS,
      async send(connectionId, message) {
        const client = clients.get(connectionId);
        if (client?.answersAsks && JSON.parse(message).type === 'Ping') await frame(client);
        return 'sent';
      },
    };
    Object.assign(cloud.deps, { sockets });
  });

  const id = (name: string) => `${queue}:${name}`;
  const deps = () => ({
    ...cloud.deps,
    connections: connectionStore(cloud.client, table),
    sockets: OPEN_SOCKETS,
  });
  const status = async (name: string) => {
    const { status, reasonCode } = await getTicket(cloud.deps, id(name));
    return reasonCode ?? status;
  };
  const statuses = async () => {
    const names = [...clients.keys()];
    const found = await Promise.all(names.map(status));
    return Object.fromEntries(names.map((name, at) => [name, found[at]]));
  };
  const define = (changes: Partial<QueueDefinition>) =>
    putQueue(
      cloud.deps.queues,
      definition({ name: queue, tickSeconds: 1, timeoutSeconds: 3_600, teamSize: 50, ...changes }),
      cloud.nowMs,
    );
  const join = async (client: Omit<Client, 'frames'>) => {
    const { name } = client;
    await enqueue(
      cloud.deps,
      queue,
      { ticketId: id(name), players: [{ playerId: name, skill: 1 }] },
      cloud.nowMs,
    );
    await connect(deps(), await watcherOf(cloud.deps, id(name)), name, cloud.nowMs);
    clients.set(name, { ...client, frames: 0 });
  };
  const heard = (name: string) => join({ name, isLost: () => false, answersAsks: true });
  async function frame(client: Client): Promise<void> {
    const { name, isRefused } = client;
    if (client.isLost(client.frames++)) {
      if (!isRefused) return;
      const seen = async () => {
        throw new StoreBusy('the table is throttled');
      };
      const busy = { ...deps(), presence: { ...cloud.deps.presence, seen } };
      return answerFrame(busy, await watcherOf(cloud.deps, id(name)), name, '{"action":"ping"}', refused);
    }
    await answerFrame(
      deps(),
      await watcherOf(cloud.deps, id(name)),
      name,
      '{"action":"ping","seen":{"status":"QUEUED"}}',
      toProblem,
    );
  }
  /** Runs the cloud; every client pings at its interval. */
  const run = async (forMs: number) => {
    for (let leftMs = forMs; leftMs > 0; leftMs -= PING_MS) {
      await cloud.run(Math.min(PING_MS, leftMs));
      if (leftMs >= PING_MS) for (const client of clients.values()) await frame(client);
    }
  };

  it.each([5, 12, 15, 19, 22, 60, 120])(
    'with a grace of %i s keeps players of whom two signs in a row are lost, and finds one who is cut off within 40 s more',
    async (graceSeconds) => {
      await define({ tickSeconds: 3, presence: { graceSeconds } });
      await join({ name: 'cut-off', isLost: () => true, answersAsks: false });
      await join({ name: 'answers-nothing', isLost: (frame) => frame === 1, answersAsks: false });
      for (let at = 0; at < HEARD; at++) await heard(`heard-${at}`);
      const answersAsks = true;
      for (const first of [0, 1, 2]) {
        const isLost = (frame: number) => frame === first || frame === first + 1;
        await join({ name: `lost-${first}`, isLost, answersAsks });
        await join({ name: `refused-${first}`, isLost, answersAsks, isRefused: true });
      }
      await run(1_000 * (graceSeconds + 40));
      const { 'cut-off': cutOff, ...others } = await statuses();
      expect(cutOff).toBe('PLAYER_LEFT');
      clients.delete('cut-off');
      await run(100_000);
      expect(new Set(Object.values({ ...others, ...(await statuses()) }))).toEqual(new Set(['QUEUED']));
    },
  );

  describe('that hears no pings of many players', () => {
    const names = Array.from({ length: 15 }, (_, at) => `p${at}`);
    const isHeldIn = async () =>
      (await getStats(cloud.deps, queue, cloud.nowMs)).presenceHeldUntil !== undefined;
    let isDeaf: boolean;
    beforeEach(async () => {
      isDeaf = false;
      await define({ tickSeconds: 3, presence: { graceSeconds: 15 } });
      for (const name of names) await join({ name, isLost: () => isDeaf, answersAsks: true });
    });

    it('cancels no ticket for it, reports the doubt, and finds the players who have left when pings arrive again', async () => {
      await run(30_000);
      isDeaf = true;
      await run(180_000);
      expect(new Set(Object.values(await statuses()))).toEqual(new Set(['QUEUED']));
      expect(await isHeldIn()).toBe(true);
      // The end of a connection is reported, and not concluded from what is missing.
      await disconnect(deps(), await watcherOf(cloud.deps, id('p1')), 'p1', cloud.nowMs);
      clients.delete('p1');
      await run(26_000);
      expect(await status('p1')).toBe('PLAYER_LEFT');
      isDeaf = false;
      clients.delete('p2');
      await run(180_000);
      expect(await status('p2')).toBe('PLAYER_LEFT');
      expect(new Set(Object.values(await statuses()))).toEqual(new Set(['QUEUED']));
      expect(await isHeldIn()).toBe(false);
    });

    it('counts the players as gone after ten minutes', async () => {
      await define({ tickSeconds: 10, presence: { graceSeconds: 15 } });
      isDeaf = true;
      await run(590_000);
      expect(new Set(Object.values(await statuses()))).toEqual(new Set(['QUEUED']));
      await run(60_000);
      expect(new Set(Object.values(await statuses()))).toEqual(new Set(['PLAYER_LEFT']));
    });

    it('cancels no ticket while presence cannot be read, and reports it', async () => {
      const { of } = cloud.deps.presence;
      isDeaf = true;
      await run(21_000);
      const busy = async () => {
        throw new StoreBusy('the table is throttled');
      };
      Object.assign(cloud.deps.presence, { of: busy });
      await cloud.run(60_000);
      cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
      const outcome = await tick(cloud.deps, cloud.dueTicks()[0]!);
      expect(outcome).toMatchObject({ outcome: 'searched', held: expect.stringContaining('cannot be read') });
      Object.assign(cloud.deps.presence, { of });
      expect(new Set(Object.values(await statuses()))).toEqual(new Set(['QUEUED']));
    });
  });

  it('cancels no ticket for missing requests of backends, until ten minutes have passed', async () => {
    await define({ tickSeconds: 10, presence: { graceSeconds: 15 } });
    const names = Array.from({ length: 15 }, (_, at) => `p${at}`);
    const stored = () => Promise.all(names.map(status));
    for (const name of names) {
      const ticket = { ticketId: id(name), players: [{ playerId: name, skill: 1 }] };
      await enqueue(cloud.deps, queue, ticket, cloud.nowMs);
    }
    const backend: Caller = { scope: 'backend' };
    for (let at = 0; at < 4; at++) {
      for (const name of names) await keepAlive(cloud.deps, id(name), backend, cloud.nowMs);
      await cloud.run(15_000);
    }
    await cloud.run(580_000);
    expect(new Set(await stored())).toEqual(new Set(['QUEUED']));
    await cloud.run(80_000);
    expect(new Set(await stored())).toEqual(new Set(['PLAYER_LEFT']));
  });

  it('counts the players of one party as gone, because a party may share a network', async () => {
    await define({ presence: { graceSeconds: 15 } });
    for (let at = 0; at < 9; at++) await heard(`heard-${at}`);
    const players = ['p1', 'p2', 'p3', 'p4', 'p5'].map((playerId) => ({ playerId, skill: 1 }));
    await enqueue(cloud.deps, queue, { ticketId: id('party'), players }, cloud.nowMs);
    for (const [place, { playerId }] of players.entries())
      await connect(deps(), await watcherOf(cloud.deps, id('party'), place), playerId, cloud.nowMs);
    await run(55_000);
    expect(await status('party')).toBe('PLAYER_LEFT');
    expect(new Set(Object.values(await statuses()))).toEqual(new Set(['QUEUED']));
  });

  it('gives no cooldown for a missing acceptance while pings are doubted', async () => {
    for (const isHeld of [false, true]) {
      await define({
        teamSize: 1,
        presence: { graceSeconds: 120 },
        acceptance: { timeoutSeconds: 10 },
        cooldown: { decline: [{ times: 1, seconds: 60 }] },
      });
      const [one, two] = [`a${isHeld}`, `b${isHeld}`];
      await heard(one);
      await heard(two);
      await cloud.run(3_000);
      const { matchId } = await getTicket(cloud.deps, id(one));
      const record = (await cloud.deps.queues.get(queue))!;
      if (isHeld) await cloud.deps.queues.extend(record, 'presenceHeldUntilMs', cloud.nowMs + 60_000);
      cloud.nowMs += 11_000;
      expect(await checkDeadline(cloud.deps, matchId!, cloud.nowMs)).toBe('ended');
      expect((await cloud.deps.cooldowns.of(queue, [one, two])).size).toBe(isHeld ? 0 : 2);
    }
  });
});
