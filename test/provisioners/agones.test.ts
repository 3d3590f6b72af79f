import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outbound } from '../../lib/aws/outbound.ts';
import type { ProvisionerOptions } from '../../lib/contract/queue-definition.ts';
import { agonesProvisioner } from '../../lib/provisioners/agones.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { OutboundResult } from '../../lib/service/ports/outbound.ts';
import { match } from '../aws/samples.ts';
import { definition } from '../service/definitions.ts';
import type { Fault } from '../service/faults.ts';
import { AgonesStandIn, responseOf } from './agones-stand-in.ts';
import { authority, type Pair, signedBy } from './certificates.ts';
import { HostingWorld, MATCH_ID, withFaultsFrom } from './hosting-world.ts';

type Agones = ProvisionerOptions & { type: 'agones' };
const OPTIONS: Agones = {
  type: 'agones',
  allocator: 'https://agones.example/gameserverallocation',
  certificate: 'q/agones',
  timeoutSeconds: 100,
};
const FIRST = { address: '34.82.195.204', port: 7463, sessionId: 'fleet-1' };

/** A world with three ready game servers. */
function worldWith(options: Agones = OPTIONS, fault?: Fault): HostingWorld & { agones: AgonesStandIn } {
  const agones = new AgonesStandIn({ fleet: 'old' }, { fleet: 'new' }, { fleet: 'new' });
  return Object.assign(new HostingWorld(options, fault), { agones });
}

function expectNothingLeft(world: HostingWorld & { agones: AgonesStandIn }, label: unknown): void {
  const { status, assignment } = world.match;
  expect(['COMPLETED', 'FAILED'], JSON.stringify(label)).toContain(status);
  const own = assignment?.sessionId?.startsWith('fleet-') ? [assignment.sessionId] : [];
  expect(world.agones.runningFor(MATCH_ID), JSON.stringify(label)).toEqual(own);
}
const allocated = ({ agones }: { agones: AgonesStandIn }) =>
  agones.servers.filter(({ state }) => state === 'Allocated').map(({ name }) => name);

describe('the agones provisioner', () => {
  it('allocates a game server that knows its match, queue, region and players', async () => {
    const world = worldWith();
    world.match = { ...world.match, region: 'eu-west' };
    await world.run();
    expect(world.match).toMatchObject({ status: 'COMPLETED', assignment: FIRST });
    expect(world.agones.requests).toEqual([
      {
        namespace: 'default',
        gameServerSelectors: [
          { matchLabels: { 'muster-match': MATCH_ID }, gameServerState: 'ALLOCATED' },
          { matchLabels: {}, gameServerState: 'READY' },
        ],
        metadata: {
          labels: { 'muster-match': MATCH_ID, 'muster-queue': 'q', 'muster-region': 'eu-west' },
          annotations: {
            'muster-players': JSON.stringify([
              { players: [{ playerId: 'a.0' }] },
              { players: [{ playerId: 'b.0' }] },
            ]),
          },
        },
      },
    ]);
  });

  it('prefers the selectors in their order, in the namespace and over clusters if asked to', async () => {
    const selectors = [{ matchLabels: { fleet: 'canary' } }, { matchLabels: { fleet: 'new' } }];
    const world = worldWith({ ...OPTIONS, selectors, namespace: 'games', multiCluster: true });
    await world.run();
    expect(world.match.assignment?.sessionId).toBe('fleet-2');
    expect(world.agones.requests[0]).toMatchObject({
      namespace: 'games',
      multiClusterSetting: { enabled: true },
    });
  });

  it('tries again while no game server is free, and keeps its place in the time of the match', async () => {
    const world = worldWith();
    for (const server of world.agones.servers) server.state = 'Allocated';
    world.after(40, () => {
      world.agones.servers[2]!.state = 'Ready';
    });
    await world.run();
    expect(world.match.assignment?.sessionId).toBe('fleet-3');
    expectNothingLeft(world, '');
  });

  it('fails the match at its deadline when no game server becomes free', async () => {
    const world = worldWith();
    for (const server of world.agones.servers) server.state = 'Allocated';
    await world.run();
    expect(world.match).toMatchObject({ status: 'FAILED', reason: 'no assignment arrived' });
    expect(world.agones.requests.length).toBeGreaterThan(4);
  });

  it('tells the game server of a match that has failed since to shut down', async () => {
    const world = worldWith();
    // The allocator allocates, but its responses are lost until the match has failed.
    world.answer = (body) => {
      if (!world.isPlacing) return undefined;
      world.agones.allocate(JSON.parse(body));
      return { outcome: 'unreachable', error: 'no response within 5000 ms' };
    };
    await world.run();
    expect(world.match.status).toBe('FAILED');
    expect(allocated(world)).toEqual(['fleet-1']);
    expect(world.agones.servers[0]!.labels['muster-cancelled']).toBe('true');
    expectNothingLeft(world, '');
  });

  it('releases its game server when the studio assigns the match while it is allocated', async () => {
    const world = worldWith();
    let isFirst = true;
    world.answer = (body) => {
      if (!isFirst) return undefined;
      isFirst = false;
      world.assign({ address: 'other.example' });
      return responded(200, world.agones.allocate(JSON.parse(body)).body);
    };
    await world.run();
    expect(world.match.assignment).toEqual({ address: 'other.example' });
    expectNothingLeft(world, '');
  });

  it.each([
    ['no JSON', '<html>'],
    ['JSON without the name of a game server', '{"address":"1.2.3.4"}'],
    ['a list', '[]'],
  ])('fails the match after a response that is %s', async (_, body) => {
    const world = worldWith();
    world.answer = () => ({ outcome: 'responded', status: 200, body });
    await world.run();
    expect(world.match).toMatchObject({
      status: 'FAILED',
      reason: "the allocator's response is not that of Agones",
    });
  });

  it('asks again when the game server has no address yet', async () => {
    const world = worldWith();
    let answers = 0;
    world.answer = (body) => {
      const { body: whole } = world.agones.allocate(JSON.parse(body));
      return responded(200, ++answers < 3 ? { ...whole, address: '' } : whole);
    };
    await world.run();
    expect(world.match.assignment).toEqual(FIRST);
    expect(allocated(world)).toEqual(['fleet-1']);
  });

  it.each([400, 401, 403, 404])('fails the match after status %d', async (status) => {
    const world = worldWith();
    world.answer = () => ({ outcome: 'responded', status, body: '' });
    await world.run();
    expect(world.match).toMatchObject({
      status: 'FAILED',
      reason: `the allocator returned status ${status}`,
    });
  });

  it.each([409, 500, 502, 503, 504, 302])('tries again after status %d', async (status) => {
    const world = worldWith();
    let answers = 0;
    world.answer = () => (++answers < 3 ? { outcome: 'responded', status, body: '' } : undefined);
    await world.run();
    expect(world.match.assignment).toEqual(FIRST);
  });

  it('asks the allocator of the region of the match', async () => {
    const asked: string[] = [];
    const { place } = agonesProvisioner(
      {
        secrets: { get: async () => ({ outcome: 'found', value: '{"cert":"C","key":"K"}' }) },
        outbound: {
          post: async (url) => {
            asked.push(url);
            return responded(200, responseOf('fleet-1'));
          },
        },
      },
      { ...OPTIONS, allocator: { eu: 'https://eu.example/', us: 'https://us.example/' } },
    );
    const placed = (region?: string) =>
      place(match('q', MATCH_ID, ['a'], { status: 'PLACING', ...(region && { region }) }), definition({}));
    expect(await placed('us')).toMatchObject({ outcome: 'assigned' });
    for (const region of ['asia', 'toString', undefined])
      expect(await placed(region)).toEqual({
        outcome: 'refused',
        why: 'there is no allocator for its region',
      });
    expect(asked).toEqual(['https://us.example/']);
  });
});

/** What happens to a match from outside, besides a fault. */
const COURSES: Readonly<Record<string, (world: HostingWorld & { agones: AgonesStandIn }) => void>> = {
  'a game server is free': () => {},
  'none is free at first': (world) => {
    for (const server of world.agones.servers) server.state = 'Allocated';
    world.after(10, () => {
      world.agones.servers[1]!.state = 'Ready';
    });
  },
  'none is ever free': (world) => {
    for (const server of world.agones.servers) server.state = 'Allocated';
  },
  'responses are lost until the deadline': (world) => {
    world.answer = (body) => {
      if (!world.isPlacing) return undefined;
      world.agones.allocate(JSON.parse(body));
      return { outcome: 'unreachable', error: 'no response' };
    };
  },
  'the studio assigns it': (world) => {
    world.answer = (body) => {
      const { status, body: answer } = world.agones.allocate(JSON.parse(body));
      if (world.isPlacing) world.assign({ address: 'other.example' });
      return responded(status, answer);
    };
  },
};

describe('a function that is killed at any of its calls', () => {
  it.each(Object.entries(COURSES).map((course, from) => [...course, from] as const))(
    'allocates no second game server, and leaves none without a match: %s',
    async (_, course, from) => {
      const calls = await withFaultsFrom(from, async (fault) => {
        const world = worldWith(OPTIONS, fault);
        course(world);
        await world.run();
        expectNothingLeft(world, fault);
        const own = world.agones.servers.filter(({ labels }) => labels['muster-match'] === MATCH_ID);
        expect(own.length, JSON.stringify(fault)).toBeLessThanOrEqual(1);
        return world;
      });
      expect(calls).toBeGreaterThan(4);
    },
  );
});

describe('the allocation service behind mutual TLS', () => {
  let ca: Pair;
  let otherCa: Pair;
  let server: Server;
  let url: string;
  let listener: RequestListener;
  let agones: AgonesStandIn;

  beforeAll(async () => {
    [ca, otherCa] = await Promise.all([authority('Agones'), authority('Another')]);
    const own = await signedBy(ca);
    server = createServer(
      { ...own, ca: [ca.cert], requestCert: true, rejectUnauthorized: true },
      (request, response) => listener(request, response),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/gameserverallocation`;
  });
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Serves Agones, and places a match with these secrets. */
  const placed = async (
    secret: unknown,
    options: Partial<Agones> = {},
    own: StoredMatch = match('q', MATCH_ID, ['a'], { status: 'PLACING' }),
  ) => {
    const value = typeof secret === 'string' ? secret : JSON.stringify(secret);
    const provisioner = agonesProvisioner(
      {
        secrets: { get: async () => ({ outcome: 'found', value }) },
        outbound: outbound({ privateAllowed: true }),
      },
      { ...OPTIONS, allocator: url, ...options },
    );
    return provisioner.place(own, definition({}));
  };
  const serveAgones = () => {
    agones = new AgonesStandIn({}, {});
    listener = async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const result = agones.allocate(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(result.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(result.body));
    };
  };

  it('allocates for a client with a valid certificate, and the same server when it is asked again', async () => {
    serveAgones();
    const secret = { ...(await signedBy(ca)), ca: ca.cert };
    expect(await placed(secret)).toEqual({ outcome: 'assigned', assignment: FIRST });
    expect(await placed(secret)).toEqual({ outcome: 'assigned', assignment: FIRST });
    expect(agones.servers.map(({ state }) => state)).toEqual(['Allocated', 'Ready']);
  });

  it.each([
    ['that has expired', async () => ({ ...(await signedBy(ca, { expired: true })), ca: ca.cert })],
    ['of another authority', async () => ({ ...(await signedBy(otherCa)), ca: ca.cert })],
  ])(
    'allocates nothing for a client with a certificate %s, which may be replaced in time',
    async (_, secret) => {
      serveAgones();
      expect(await placed(await secret())).toMatchObject({ outcome: 'retry' });
      expect(agones.requests).toEqual([]);
    },
  );

  it.each([
    ['another authority', () => ({ ca: otherCa.cert })],
    ['no authority of its own', () => ({})],
  ])('sends nothing to a server when the secret names %s', async (_, trusted) => {
    serveAgones();
    const result = await placed({ ...(await signedBy(ca)), ...trusted() });
    expect(result).toMatchObject({ outcome: 'retry', why: expect.stringMatching(/certificate/) });
    expect(agones.requests).toEqual([]);
  });

  it.each([
    ['no JSON', 'PEM'],
    ['JSON without a key', '{"cert":"C"}'],
  ])('refuses a secret that is %s, and does not quote it', async (_, secret) => {
    expect(await placed(secret)).toEqual({
      outcome: 'refused',
      why: 'the secret of its queue is not a client certificate',
    });
  });

  it('tries again with a certificate that is no PEM, which may be replaced in time', async () => {
    expect(await placed({ cert: 'C', key: 'K' })).toMatchObject({ outcome: 'retry' });
  });

  it('gives up a request to a server that is slow, and tries again', async () => {
    listener = () => {};
    const secret = { ...(await signedBy(ca)), ca: ca.cert };
    expect(await placed(secret, { requestTimeoutSeconds: 0.2 })).toMatchObject({
      outcome: 'retry',
      why: expect.stringContaining('no response within 200 ms'),
    });
  });

  it('does not follow a redirect', async () => {
    let requests = 0;
    listener = (_, response) => {
      requests += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    };
    const secret = { ...(await signedBy(ca)), ca: ca.cert };
    expect(await placed(secret)).toEqual({ outcome: 'retry', why: 'the allocator returned status 307' });
    expect(requests).toBe(1);
  });

  it('reads no more of a response than 64 KB', async () => {
    listener = (_, response) => response.end('x'.repeat(64 * 1024 + 1));
    const secret = { ...(await signedBy(ca)), ca: ca.cert };
    expect(await placed(secret)).toMatchObject({ outcome: 'retry' });
  });
});

function responded(status: number, body: object): OutboundResult {
  return { outcome: 'responded', status, body: JSON.stringify(body) };
}
