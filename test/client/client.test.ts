import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClientOptions, musterClient } from '../../lib/client/index.ts';
import { openApi } from '../../lib/contract/openapi.ts';
import { ROUTE_KEYS } from '../../lib/contract/routes.ts';
import {
  cut,
  drop,
  garbage,
  type HostileServer,
  hang,
  hostileServer,
  json,
  problem,
  redirect,
} from './hostile-server.ts';

const TICKET = {
  ticketId: 't-1',
  queue: 'duel',
  status: 'QUEUED',
  enqueuedAt: '2026-01-31T12:00:00.000Z',
  players: [{ playerId: 'ann', skill: 1510 }],
};
const NEW = { ticketId: 't-1', players: [{ playerId: 'ann', skill: 1510 }] };

let server: HostileServer;
beforeAll(async () => {
  server = await hostileServer();
});
afterAll(() => server.stop());

/** The delays of a client that does not wait. */
const delays: number[] = [];
beforeEach(() => {
  delays.length = 0;
});
/** A client that records its delays instead of waiting. */
const clientOf = (options: Partial<ClientOptions> = {}) =>
  musterClient({ url: server.url, pause: async (ms) => void delays.push(ms), ...options });
const paths = () => server.arrived.map(({ method, path }) => `${method} ${path}`);

describe('a request of the client', () => {
  it('is sent to each route of the API that a client needs', async () => {
    server.behave((request, response) => {
      const bodies = {
        queues: [],
        tickets: [],
        matches: [],
        versions: [],
        consumers: [],
        results: [{ status: 201 }],
        backfills: [],
        meetings: [],
        places: [],
        cooldowns: [],
        ratings: [],
        ladders: [],
        changed: 0,
      };
      response.setHeader('etag', '"1"');
      json(200, { ...TICKET, ...bodies, status: 'COMPLETED' })(request, response);
    });
    const client = clientOf();
    const definition = { name: 'Q' } as never;
    await client.post('Q', NEW);
    await client.postBatch('Q', [NEW]);
    await client.get('T');
    await client.getMany(['a', 'b']);
    await client.cancel('T');
    await client.accept('T', 'M');
    await client.alive('T');
    await client.match('M');
    await client.assign('M', { address: 'game.example' });
    await client.end('M');
    await client.backfill('M', { backfillId: 'B', players: [] });
    await client.getBackfill('B');
    await client.cancelBackfill('B');
    await client.deadLetters();
    await client.playerData('P');
    await client.erasePlayer('P');
    await client.cooldown('Q', 'P');
    await client.endCooldown('Q', 'P');
    await client.queues.cooldowns('Q');
    await client.queues.list();
    await client.queues.get('Q');
    await client.queues.put(definition);
    await client.queues.delete('Q');
    await client.queues.stats('Q');
    await client.queues.matches('Q', { limit: 3 });
    await client.queues.waiting('Q');
    await client.queues.experiment('Q');
    await client.queues.putExperiment('Q', { name: 'X' } as never);
    await client.queues.endExperiment('Q');
    await client.queues.versions('Q');
    await client.queues.restore('Q', 7);
    await client.queues.testWebhooks('Q');
    await client.queues.dryRun('Q', []);
    await client.result('M', { ranks: [1, 2] });
    await client.request({ method: 'GET', path: '/ladders' });
    await client.request({ method: 'GET', path: '/ladders/L' });
    await client.request({ method: 'PUT', path: '/ladders/L', body: { name: 'L' } });
    await client.request({ method: 'DELETE', path: '/ladders/L' });
    await client.request({ method: 'GET', path: '/ladders/L/odds' });
    await client.request({ method: 'GET', path: '/ladders/L/versions' });
    await client.request({ method: 'POST', path: '/ladders/L/versions/7/restore' });
    await client.request({ method: 'GET', path: '/ladders/L/players?playerIds=a,b' });
    await client.request({ method: 'GET', path: '/ladders/L/players/P' });
    await client.request({ method: 'PUT', path: '/ladders/L/players/P', body: { mean: 1_500 } });
    await client.request({ method: 'DELETE', path: '/ladders/L/players/P' });
    const names: Record<string, string> = {
      T: 'ticketId',
      M: 'matchId',
      B: 'backfillId',
      Q: 'queue',
      L: 'ladder',
      P: 'playerId',
      7: 'version',
    };
    const routes = paths().map((line) =>
      line.split('?')[0]!.replace(/\/([TMBQPL7])(?=\/|$)/g, (_, name: string) => `/{${names[name]}}`),
    );
    const open = ['GET /health', 'GET /openapi.json'];
    expect(routes.sort()).toEqual(ROUTE_KEYS.filter((key) => !open.includes(key)).sort());
    const { paths: documented = {} } = openApi();
    for (const route of routes) {
      const [method, path] = route.split(' ') as [string, string];
      expect(Object.keys(documented[path] ?? {})).toContain(method.toLowerCase());
    }
  });

  it('is not repeated when a player is cooling down, and names the leavers of a match', async () => {
    const cooling = { type: 'about:blank', title: 'Too many requests', status: 429, detail: 'Player ann' };
    server.behave(json(429, { ...cooling, code: 'COOLDOWN', until: '2026-01-31T12:10:00.000Z' }));
    await expect(clientOf().post('Q', NEW)).rejects.toMatchObject({
      status: 429,
      problem: { code: 'COOLDOWN', until: '2026-01-31T12:10:00.000Z' },
    });
    expect(server.arrived).toHaveLength(1);
    server.behave(json(200, {}));
    await clientOf().end('M', { leavers: ['ann'] });
    expect(JSON.parse(server.arrived.at(-1)!.body)).toEqual({ leavers: ['ann'] });
  });

  it('reads all parts of the list of queues, and ends when the service repeats a part', async () => {
    const first = { queues: [{ name: 'a' }], unreadable: ['c'], continuation: 'a' };
    const parts: object[] = [first, { queues: [{ name: 'b' }] }];
    server.behave((request, response) => json(200, parts.shift())(request, response));
    expect(await clientOf().queues.list()).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(paths()).toEqual(['GET /queues', 'GET /queues?continuation=a']);
    parts.push(first, { queues: [] });
    const { unreadable } = await clientOf().queues.listWithUnreadable();
    expect(unreadable).toEqual(['c']);

    let sent = 0;
    server.behave((request, response) =>
      json(200, { queues: [], continuation: String(++sent % 3) })(request, response),
    );
    await expect(clientOf().queues.list()).rejects.toThrow(/continuation that it has returned before/);
    expect(sent).toBe(4);
  });

  it('is repeated until a player is erased, and until all data is read', async () => {
    const none = { matches: [], backfills: [], meetings: [], places: [] };
    const erasures = [
      { changed: 1, pending: 0, isErased: false, continuation: 'next part' },
      { changed: 2, pending: 0, isErased: false },
      { changed: 0, pending: 1, isErased: false },
    ];
    const parts = [
      { ...none, tickets: [{ ticketId: 'a' }], continuation: 'c' },
      { ...none, tickets: [TICKET] },
    ];
    server.behave((request, response) => {
      const body = request.method === 'DELETE' ? erasures.shift() : parts.shift();
      json(request.method === 'DELETE' ? 202 : 200, body)(request, response);
    });
    const client = clientOf();
    expect(await client.erasePlayer('ann:1')).toEqual({ changed: 0, pending: 1, isErased: false });
    expect((await client.playerData('ann:1')).tickets).toEqual([{ ticketId: 'a' }, TICKET]);
    const path = '/players/ann%3A1';
    expect(paths()).toEqual([
      `DELETE ${path}`,
      `DELETE ${path}?continuation=next%20part`,
      `DELETE ${path}`,
      `GET ${path}`,
      `GET ${path}?continuation=c`,
    ]);
  });

  it('sends and returns JSON, and encodes what it puts into a path', async () => {
    server.behave(json(201, TICKET));
    expect(await clientOf().post('a/b', NEW)).toEqual(TICKET);
    const [{ path, body, headers }] = server.arrived as [(typeof server.arrived)[0]];
    expect(path).toBe('/queues/a%2Fb/tickets');
    expect(JSON.parse(body)).toEqual(NEW);
    expect(headers['content-type']).toBe('application/json');
  });

  it.each([
    ['a dropped connection', drop],
    ['a response that ends in its middle', cut],
    ['status 429', json(429, { message: 'Too Many Requests' })],
    ['status 500', problem(500)],
    ['status 502 of a proxy', garbage(502)],
    ['status 503', problem(503, { 'retry-after': '0' })],
    ['status 504', json(504, { message: 'Endpoint request timed out' })],
  ])('is repeated after %s', async (_, failure) => {
    server.behave(failure, failure, json(200, TICKET));
    expect(await clientOf().get('t-1')).toEqual(TICKET);
    expect(server.arrived).toHaveLength(3);
  });

  it('is repeated when a try takes too long', async () => {
    let calls = 0;
    const slowAtFirst: typeof fetch = (_, init) =>
      ++calls === 1
        ? new Promise((_, reject) => {
            init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason));
          })
        : Promise.resolve(Response.json(TICKET));
    expect(await clientOf({ timeoutMs: 1, fetch: slowAtFirst }).get('t-1')).toEqual(TICKET);
    expect(calls).toBe(2);
  });

  it('waits as long as the service asks, and a random time longer', async () => {
    const soon = new Date(Date.now() + 30_000).toUTCString();
    server.behave(
      problem(503, { 'retry-after': '3' }),
      problem(503, { 'retry-after': soon }),
      problem(503, { 'retry-after': 'soon' }),
      problem(503, { 'retry-after': '86400' }),
      json(200, TICKET),
    );
    await clientOf({ backoff: { firstMs: 100, maxMs: 300 }, random: () => 0.5 }).get('t-1');
    const [first, second, third, fourth] = delays as [number, number, number, number];
    expect(first).toBe(3_025);
    expect(second).toBeGreaterThan(1_000);
    expect(second).toBeLessThan(30_100);
    expect(third).toBe(225);
    expect(fourth).toBe(60_075);
  });

  it('that closes a queue succeeds when an earlier try without a response has closed it', async () => {
    server.behave(drop, problem(404));
    await clientOf().queues.delete('Q');
    expect(server.arrived).toHaveLength(2);
    server.behave(problem(404));
    await expect(clientOf().queues.delete('Q')).rejects.toMatchObject({ status: 404 });
    server.behave(drop, problem(404));
    await expect(clientOf().match('m-1')).rejects.toMatchObject({ status: 404 });
  });

  it('fails with the last error when no try is left', async () => {
    server.behave(drop);
    await expect(clientOf({ tries: 3 }).get('t-1')).rejects.toMatchObject({
      name: 'MusterUnreachable',
      message: expect.stringMatching(/^GET \/tickets\/t-1: no service responds \(/),
    });
    expect(server.arrived).toHaveLength(3);
    server.behave(problem(503));
    await expect(clientOf({ tries: 2 }).get('t-1')).rejects.toMatchObject({
      name: 'MusterProblem',
      status: 503,
    });
    server.behave(garbage(502));
    await expect(clientOf({ tries: 2 }).get('t-1')).rejects.toThrow(
      'GET /tickets/t-1: Expected a response of Muster, got status 502 and no JSON. Check the URL.',
    );
  });

  it('fails at once with the problem when the service rejects it', async () => {
    const errors = [{ pointer: '#/players', detail: 'Expected a list' }];
    const body = { type: 'about:blank', title: 'Bad request', status: 400, detail: 'not valid', errors };
    server.behave(json(400, body, { 'x-request-id': 'r-1' }));
    await expect(clientOf().post('duel', NEW)).rejects.toMatchObject({
      name: 'MusterProblem',
      status: 400,
      message: 'POST /queues/duel/tickets: not valid',
      problem: body,
      requestId: 'r-1',
    });
    expect(server.arrived).toHaveLength(1);
    server.behave(json(403, { message: 'Forbidden' }));
    await expect(clientOf().get('t-1')).rejects.toMatchObject({
      status: 403,
      problem: { title: 'Forbidden' },
    });
  });

  it.each([
    ['a page', garbage(200)],
    ['an empty body of another type', garbage(404, '')],
  ])('fails at once when the URL is that of another service, which sends %s', async (_, behaviour) => {
    server.behave(behaviour);
    await expect(clientOf().get('t-1')).rejects.toMatchObject({ name: 'UnexpectedResponse' });
    expect(server.arrived).toHaveLength(1);
  });

  it('does not follow a redirect, which could take the credentials elsewhere', async () => {
    const other = await hostileServer();
    other.behave(json(200, TICKET));
    server.behave(redirect(`${other.url}/tickets/t-1`));
    const credentials = { token: 'secret' };
    await expect(clientOf({ credentials }).get('t-1')).rejects.toThrow(
      `GET /tickets/t-1: Expected a response of Muster, got a redirect to ${other.url}/tickets/t-1. Check the URL.`,
    );
    expect(other.arrived).toEqual([]);
    expect(server.arrived).toHaveLength(1);
    await other.stop();
  });

  it('ends with the reason of its signal, in a try and between tries', async () => {
    const abort = new AbortController();
    server.behave((request, response) => {
      abort.abort(new Error('the player left'));
      hang(request, response);
    });
    await expect(clientOf().get('t-1', { signal: abort.signal })).rejects.toThrow('the player left');
    await expect(clientOf().get('t-1', { signal: abort.signal })).rejects.toThrow('the player left');
    const late = new AbortController();
    server.behave((request, response) => {
      problem(503, { 'retry-after': '50' })(request, response);
      response.on('close', () => setImmediate(() => late.abort(new Error('too late'))));
    });
    const waiting = musterClient({ url: server.url });
    await expect(waiting.get('t-1', { signal: late.signal })).rejects.toThrow('too late');
    expect(server.arrived).toHaveLength(1);
  });

  it('needs a URL of HTTP', () => {
    for (const url of ['localhost:3000', 'file:///x', 'nothing'])
      expect(() => musterClient({ url })).toThrow(TypeError);
  });
});

describe('the credentials of the client', () => {
  it('are a token, which a function may renew for each try', async () => {
    let calls = 0;
    server.behave(problem(503), json(200, TICKET));
    await clientOf({ credentials: { token: async () => `token-${++calls}` } }).get('t-1');
    expect(server.arrived.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it('are AWS credentials, which sign each try', async () => {
    server.behave(problem(503), json(201, TICKET));
    const aws = {
      accessKeyId: 'AKID',
      secretAccessKey: 'secret',
      sessionToken: 'session',
      region: 'eu-west-1',
    };
    await clientOf({ credentials: { aws: () => aws } }).post('duel', NEW);
    expect(server.arrived).toHaveLength(2);
    for (const { headers, body } of server.arrived) {
      expect(headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/execute-api\/aws4_request, SignedHeaders=[a-z0-9;-]+, Signature=[0-9a-f]{64}$/,
      );
      expect(headers['x-amz-security-token']).toBe('session');
      expect(JSON.parse(body)).toEqual(NEW);
    }
  });
});

describe('a batch of tickets', () => {
  const result = (ticketId: string, status: number) => ({ ticketId, status });

  it('is split by number and size, and returns its results in order', async () => {
    server.behave(({ body }, response) => {
      const { tickets } = JSON.parse(body) as { tickets: { ticketId: string }[] };
      json(200, { results: tickets.map(({ ticketId }) => result(ticketId, 201)) })({} as never, response);
    });
    const small = Array.from({ length: 120 }, (_, i) => ({ ...NEW, ticketId: `t-${i}` }));
    const large = Array.from({ length: 3 }, (_, i) => ({
      ticketId: `large-${i}`,
      players: Array.from({ length: 200 }, (_, p) => ({ playerId: `${i}-${p}`.padEnd(120, 'x'), skill: 1 })),
    }));
    const results = await clientOf().postBatch('duel', [...small, ...large]);
    expect(results.map(({ ticketId }) => ticketId)).toEqual(
      [...small, ...large].map(({ ticketId }) => ticketId),
    );
    for (const { body } of server.arrived) {
      expect(Buffer.byteLength(body)).toBeLessThan(65_536);
      expect(JSON.parse(body).tickets.length).toBeLessThanOrEqual(50);
    }
    expect(server.arrived).toHaveLength(4);
    expect(await clientOf().postBatch('duel', [])).toEqual([]);
  });

  it('reads any number of tickets, each once, by URLs that API Gateway takes', async () => {
    server.behave((request, response) => {
      const ids = new URL(request.path, server.url).searchParams.get('ticketIds')!.split(',');
      json(200, { tickets: ids.map((ticketId) => ({ ...TICKET, ticketId })) })(request, response);
    });
    const short = Array.from({ length: 60 }, (_, i) => `t-${i}`);
    const long = Array.from({ length: 50 }, (_, i) => `${'@'.repeat(125)}${i}`);
    const tickets = await clientOf().getMany([...short, ...long, ...short]);
    expect(tickets.map(({ ticketId }) => ticketId)).toEqual([...short, ...long]);
    for (const { path } of server.arrived) expect(path.length).toBeLessThan(7_000);
    expect(server.arrived.length).toBeLessThan(8);
    expect(await clientOf().getMany([])).toEqual([]);
  });

  it('posts those again that the service was too busy to store', async () => {
    const seen: string[][] = [];
    server.behave(({ body }, response) => {
      const ids = (JSON.parse(body) as { tickets: { ticketId: string }[] }).tickets.map(
        ({ ticketId }) => ticketId,
      );
      seen.push(ids);
      const statusOf = (ticketId: string) =>
        ticketId === 'bad' ? 400 : ticketId === 'busy' && seen.length < 3 ? 503 : 201;
      json(200, { results: ids.map((ticketId) => result(ticketId, statusOf(ticketId))) })(
        {} as never,
        response,
      );
    });
    const tickets = ['good', 'busy', 'bad'].map((ticketId) => ({ ...NEW, ticketId }));
    const results = await clientOf({ random: () => 0 }).postBatch('duel', tickets);
    expect(results.map(({ status }) => status)).toEqual([201, 201, 400]);
    expect(seen).toEqual([['good', 'busy', 'bad'], ['busy'], ['busy']]);
  });
});

describe('a wait for a match', () => {
  const ticket = (status: string, matchId?: string) =>
    json(200, { ...TICKET, status, ...(matchId && { matchId }) });

  it('polls until the players can play, and reports every change', async () => {
    server.behave(
      ticket('QUEUED'),
      ticket('REQUIRES_ACCEPTANCE', 'm-1'),
      ticket('QUEUED'),
      ticket('PLACING', 'm-2'),
      ticket('COMPLETED', 'm-2'),
    );
    const changes: unknown[] = [];
    const found = await clientOf().waitForMatch('t-1', {
      onChange: ({ status, matchId }) => void changes.push([status, matchId]),
    });
    expect(found).toMatchObject({ status: 'COMPLETED', matchId: 'm-2' });
    expect(changes).toEqual([
      ['QUEUED', undefined],
      ['REQUIRES_ACCEPTANCE', 'm-1'],
      ['QUEUED', undefined],
      ['PLACING', 'm-2'],
      ['COMPLETED', 'm-2'],
    ]);
    expect(paths()).toEqual([
      'GET /tickets/t-1',
      'GET /tickets/t-1?waitSeconds=20&seen=QUEUED',
      'GET /tickets/t-1?waitSeconds=20&seen=REQUIRES_ACCEPTANCE',
      'GET /tickets/t-1?waitSeconds=20&seen=QUEUED',
      'GET /tickets/t-1?waitSeconds=20&seen=PLACING',
    ]);
  });

  it('may end at another status, such as the one in which players accept', async () => {
    server.behave(ticket('QUEUED'), ticket('REQUIRES_ACCEPTANCE', 'm-1'));
    const until = ['REQUIRES_ACCEPTANCE', 'COMPLETED'] as const;
    expect(await clientOf().waitForMatch('t-1', { until })).toMatchObject({ matchId: 'm-1' });
  });

  it('accepts in the callback before it polls again', async () => {
    server.behave(ticket('REQUIRES_ACCEPTANCE', 'm-1'), ticket('PLACING', 'm-1'), ticket('COMPLETED', 'm-1'));
    const client = clientOf();
    await client.waitForMatch('t-1', {
      onChange: ({ status, matchId }) =>
        status === 'REQUIRES_ACCEPTANCE' ? client.accept('t-1', matchId!) : undefined,
    });
    expect(paths()[1]).toBe('PUT /tickets/t-1/acceptance');
    expect(JSON.parse(server.arrived[1]!.body)).toEqual({ accepted: true, matchId: 'm-1' });
  });

  it('outlasts more failures than a request has tries', async () => {
    const failures = Array.from(
      { length: 12 },
      (_, i) => [drop, cut, problem(503), garbage(502), garbage(200)][i % 5]!,
    );
    server.behave(ticket('QUEUED'), ...failures, ticket('COMPLETED', 'm-1'));
    const client = clientOf({ tries: 2, random: () => 0 });
    expect((await client.waitForMatch('t-1')).status).toBe('COMPLETED');
    expect(server.arrived).toHaveLength(14);
  });

  describe('whose clock is the delays between its polls', () => {
    let nowMs = 1_000;
    beforeEach(() => {
      vi.spyOn(Date, 'now').mockImplementation(() => nowMs);
    });
    afterEach(() => vi.restoreAllMocks());
    const waiting = (): Partial<ClientOptions> => ({
      tries: 1,
      random: () => 1,
      pause: async (ms) => {
        nowMs += ms;
      },
    });

    it('fails with the last error when polls have failed for long, but not before', async () => {
      // 0.5, 1, 2, 4 and 8 s, and then every 10 s.
      const polls = (count: number) => Array.from({ length: count }, () => problem(503));
      server.behave(
        ticket('QUEUED'),
        ...polls(5),
        ticket('PLACING', 'm-1'),
        ...polls(5),
        ticket('COMPLETED'),
      );
      const wait = clientOf(waiting()).waitForMatch('t-1', { failingMs: 30_000 });
      await expect(wait).resolves.toMatchObject({ status: 'COMPLETED' });
      server.behave(ticket('QUEUED'), ...polls(8));
      const startMs = nowMs;
      await expect(clientOf(waiting()).waitForMatch('t-1', { failingMs: 30_000 })).rejects.toMatchObject({
        name: 'MusterProblem',
        status: 503,
      });
      expect(nowMs - startMs).toBeGreaterThanOrEqual(30_000);
      expect(nowMs - startMs).toBeLessThan(45_000);
    });

    it('fails when the ticket has not ended in time', async () => {
      server.behave(...Array.from({ length: 20 }, () => ticket('QUEUED')));
      await expect(clientOf(waiting()).waitForMatch('t-1', { limitMs: 60_000 })).rejects.toMatchObject({
        name: 'WaitEnded',
        message: 'expected ticket t-1 to have its match within 60000 ms, it is QUEUED',
        status: 'QUEUED',
      });
    });
  });

  it('fails when the ticket ends without a match, and says why', async () => {
    server.behave(ticket('QUEUED'), json(200, { ...TICKET, status: 'TIMED_OUT', reason: 'nobody was near' }));
    await expect(clientOf().waitForMatch('t-1')).rejects.toMatchObject({
      name: 'TicketEnded',
      message: 'ticket t-1 is TIMED_OUT: nobody was near',
      ticket: { status: 'TIMED_OUT' },
    });
  });

  it('fails at once when the service rejects its polls', async () => {
    server.behave(ticket('QUEUED'), problem(404));
    await expect(clientOf().waitForMatch('t-1')).rejects.toMatchObject({
      name: 'MusterProblem',
      status: 404,
    });
  });

  it('ends with the reason of its signal, even while the service holds a poll', async () => {
    const abort = new AbortController();
    server.behave(ticket('QUEUED'), (request, response) => {
      setImmediate(() => abort.abort(new Error('the player left')));
      hang(request, response);
    });
    await expect(clientOf().waitForMatch('t-1', { signal: abort.signal })).rejects.toThrow('the player left');
  });

  it('does not flood a service that answers long polls at once', async () => {
    server.behave(...Array.from({ length: 8 }, () => ticket('QUEUED')), ticket('COMPLETED', 'm-1'));
    await clientOf({ random: () => 1 }).waitForMatch('t-1');
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });
});
