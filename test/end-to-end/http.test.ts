import { describe, expect, it } from 'vitest';
import { definition } from '../service/definitions.ts';
import { DOCUMENT, fresh, player, testMuster } from './muster.ts';

const { api, cloud, rows } = await testMuster();

describe.concurrent('POST /queues/{queue}/tickets', () => {
  it('returns 201 with the stored ticket', async () => {
    const queue = await api.queue();
    const body = { ticketId: fresh('ticket'), players: [{ playerId: 'ann@example:1+x', skill: 0.1 + 0.2 }] };
    const { status, body: ticket } = await api.post(`/queues/${queue}/tickets`, body);
    expect(status).toBe(201);
    expect(ticket).toMatchObject({ ...body, queue, status: 'QUEUED' });
    expect(Math.abs(Date.parse(ticket.enqueuedAt) - Date.now())).toBeLessThan(60_000);
  });

  it('returns 200 with the same ticket for a repeated request, in any order of fields', async () => {
    const queue = await api.queue({ teamSize: 2, roles: { a: 1, b: 1 } });
    const ticketId = fresh('ticket');
    const post = (text: string) => api.send('POST', `/queues/${queue}/tickets`, { body: text });
    const first = await post(
      `{"ticketId":"${ticketId}","players":[{"playerId":"p","skill":1.0,"roles":["a"]}]}`,
    );
    const again = await post(
      `{"players":[{"roles":["a"],"skill":1,"playerId":"p"}],"ticketId":"${ticketId}"}`,
    );
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    expect((await rows('tickets')).filter((row) => row.ticketId === ticketId)).toHaveLength(1);
  });

  it('returns 409 when the id belongs to a ticket with another body or in another queue', async () => {
    const [queue, other] = [await api.queue(), await api.queue()];
    const { ticketId, players } = await api.ticket(queue, 5);
    const change = await api.post(`/queues/${queue}/tickets`, { ticketId, players: [player(5)] });
    const move = await api.post(`/queues/${other}/tickets`, { ticketId, players });
    expect([change.status, move.status]).toEqual([409, 409]);
    expect((await api.get(`/tickets/${ticketId}`)).body).toMatchObject({ queue, players });
  });

  it('creates one ticket when the same ticket is posted many times at once', async () => {
    const queue = await api.queue();
    const body = { ticketId: fresh('ticket'), players: [player(1)] };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.post(`/queues/${queue}/tickets`, body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
  });

  it('returns 404 for a missing queue', async () => {
    const { status, body } = await api.post(`/queues/nowhere/tickets`, {
      ticketId: fresh('ticket'),
      players: [player(1)],
    });
    expect(status).toBe(404);
    expect(body.detail).toMatch(/nowhere/);
  });
});

describe.concurrent('tickets', () => {
  it('GET returns 200 for a ticket and 404 for a missing one', async () => {
    const queue = await api.queue();
    const { ticketId } = await api.ticket(queue, 5);
    expect((await api.get(`/tickets/${ticketId}`)).status).toBe(200);
    expect((await api.get('/tickets/nobody')).status).toBe(404);
  });

  it('GET accepts a percent-encoded ticketId', async () => {
    const queue = await api.queue();
    const ticketId = `${fresh('ticket')}@a:b+c=d`;
    await api.post(`/queues/${queue}/tickets`, { ticketId, players: [player(1)] });
    const { status, body } = await api.get(`/tickets/${encodeURIComponent(ticketId)}`);
    expect(status).toBe(200);
    expect(body.ticketId).toBe(ticketId);
  });

  it('DELETE returns 200 with CANCELLED, also when it is repeated, and 404 for a missing ticket', async () => {
    const queue = await api.queue();
    const { ticketId } = await api.ticket(queue, 5);
    const first = await api.delete(`/tickets/${ticketId}`);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ ticketId, status: 'CANCELLED', reason: expect.any(String) });
    const again = await api.delete(`/tickets/${ticketId}`);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect((await api.get(`/tickets/${ticketId}`)).body).toEqual(first.body);
    expect((await api.delete('/tickets/nobody')).status).toBe(404);
  });

  it('DELETE returns 409 for a matched ticket and leaves the match unchanged', async () => {
    const queue = await api.queue();
    const [one, two] = [await api.ticket(queue, 5), await api.ticket(queue, 6)];
    await api.until(one.ticketId, 'COMPLETED');
    const { status, body } = await api.delete(`/tickets/${two.ticketId}`);
    expect(status).toBe(409);
    expect(body.ticketStatus).toBe('COMPLETED');
    expect((await api.get(`/tickets/${two.ticketId}`)).body.status).toBe('COMPLETED');
  });

  it('a cancelled ticket is not matched', async () => {
    const queue = await api.queue();
    const gone = await api.ticket(queue, 5);
    await api.delete(`/tickets/${gone.ticketId}`);
    const [one, two] = [await api.ticket(queue, 5), await api.ticket(queue, 900)];
    await api.until(one.ticketId, 'COMPLETED');
    expect((await api.get(`/tickets/${two.ticketId}`)).body.status).toBe('COMPLETED');
  });

  it('PUT acceptance returns 409 without a match and 404 without a ticket', async () => {
    const queue = await api.queue();
    const { ticketId } = await api.ticket(queue, 5);
    const early = await api.put(`/tickets/${ticketId}/acceptance`, { accepted: true, matchId: 'none' });
    expect(early.status).toBe(409);
    expect(early.body.ticketStatus).toBe('QUEUED');
    const unknown = await api.put('/tickets/nobody/acceptance', { accepted: true, matchId: 'none' });
    expect(unknown.status).toBe(404);
  });
});

describe.concurrent('matches', () => {
  it('GET and PUT assignment return 404 for a missing match', async () => {
    expect((await api.get('/matches/none')).status).toBe(404);
    expect((await api.put('/matches/none/assignment', { address: '10.0.0.1' })).status).toBe(404);
  });
});

describe.concurrent('queues', () => {
  it('GET and PUT return an ETag, and PUT and DELETE with another one return 412 and change nothing', async () => {
    const name = fresh('queue');
    const { queues } = api.client;
    await queues.put(definition({ name }));
    const { etag } = await queues.read(name);
    await queues.put(definition({ name, timeoutSeconds: 61 }), { ifMatch: etag });
    const late = queues.put(definition({ name, timeoutSeconds: 62 }), { ifMatch: etag });
    await expect(late).rejects.toMatchObject({ status: 412 });
    await expect(queues.delete(name, { ifMatch: etag })).rejects.toMatchObject({ status: 412 });
    const now = await queues.read(name);
    expect(now.definition.timeoutSeconds).toBe(61);
    await queues.delete(name, { ifMatch: now.etag });
  });

  it('PUT returns 201, then 200; GET returns 200; the list has the queue; DELETE returns 204, also when it is repeated', async () => {
    const name = fresh('queue');
    const [first, changed] = [definition({ name }), definition({ name, timeoutSeconds: 61 })];
    expect(await api.put(`/queues/${name}`, first)).toMatchObject({ status: 201, body: first });
    expect(await api.put(`/queues/${name}`, first)).toMatchObject({ status: 200, body: first });
    expect(await api.put(`/queues/${name}`, changed)).toMatchObject({ status: 200, body: changed });
    expect(await api.get(`/queues/${name}`)).toMatchObject({ status: 200, body: changed });
    expect((await api.get('/queues')).body.queues).toContainEqual(changed);
    expect((await api.delete(`/queues/${name}`)).status).toBe(204);
    // 404 once `dispatch` has removed it.
    expect([204, 404]).toContain((await api.delete(`/queues/${name}`)).status);
    expect((await api.delete(`/queues/${fresh('queue')}`)).status).toBe(404);
    for (const gone of [
      api.get(`/queues/${name}`),
      api.get(`/queues/${name}/stats`),
      api.post(`/queues/${name}/tickets`, { ticketId: fresh('ticket'), players: [player(1)] }),
      api.post(`/queues/${name}/dry-run`, []),
    ]) {
      expect((await gone).status).toBe(404);
    }
    expect((await api.get('/queues')).body.queues).not.toContainEqual(changed);
  });

  it('the queues of the folder exist from the start', async () => {
    const { queues } = (await api.get('/queues')).body;
    expect(queues.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['arena', 'duel', 'raid']),
    );
  });
});

describe.concurrent('the API itself', () => {
  it('GET /openapi.json returns 200 with the document that every response is checked against', async () => {
    expect(await api.get('/openapi.json')).toMatchObject({ status: 200, body: DOCUMENT });
  });

  it('GET /health returns 200', async () => {
    expect(await api.get('/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it.each([
    ['GET', '/'],
    ['GET', '/nothing'],
    ['POST', '/queues//tickets'],
    ['GET', '/tickets/a/b'],
    ['GET', '/tickets/'],
  ])('returns 404 for %s %s', async (method, path) => {
    expect((await api.send(method, path)).status).toBe(404);
  });

  it.each([
    ['POST', '/queues', 'GET'],
    ['PATCH', '/queues/duel', 'GET, PUT, DELETE'],
    ['GET', '/queues/duel/tickets', 'POST'],
    ['DELETE', '/queues/duel/stats', 'GET'],
    ['GET', '/queues/duel/dry-run', 'POST'],
    ['POST', '/tickets/t', 'GET, DELETE'],
    ['PUT', '/tickets/t', 'GET, DELETE'],
    ['GET', '/tickets/t/acceptance', 'PUT'],
    ['DELETE', '/matches/m', 'GET'],
    ['GET', '/matches/m/assignment', 'PUT'],
    ['POST', '/health', 'GET'],
    ['DELETE', '/openapi.json', 'GET'],
  ])('returns 405 for %s %s with the allowed methods', async (method, path, allow) => {
    const { status, headers } = await api.send(method, path);
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe(allow);
  });
});

/** Routes that take a body, each with a valid body. The queue, ticket or match in the path does not exist. */
const BODIES = [
  ['POST', '/queues/duel/tickets'],
  ['POST', '/queues/duel/ticket-batches'],
  ['POST', '/queues/duel/dry-run'],
  ['PUT', '/queues/duel'],
  ['PUT', '/tickets/t/acceptance'],
  ['PUT', '/matches/m/assignment'],
] as const;

describe.each(BODIES)('%s %s', (method, path) => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/json'])(
    'returns 415 for a body of type %s',
    async (type) => {
      const { status, body } = await api.send(method, path, {
        body: '{}',
        headers: { 'content-type': type },
      });
      expect(status).toBe(415);
      expect(body.detail).toContain(type);
    },
  );

  it('returns 413 for a body over 64 KiB, but not for one of 64 KiB', async () => {
    const text = (bytes: number) => JSON.stringify({ filler: 'x'.repeat(bytes - '{"filler":""}'.length) });
    expect((await api.send(method, path, { body: text(65_536) })).status).toBe(400);
    expect((await api.send(method, path, { body: text(65_537) })).status).toBe(413);
    expect((await api.send(method, path, { body: 'ä'.repeat(40_000) })).status).toBe(413);
  });

  it.each(['', '{', '{"a":NaN}', "{'a':1}", '{"a":1}}', 'undefined', '\u0000'])(
    'returns 400 for a body that is not JSON: %j',
    async (text) => {
      const { status, body } = await api.send(method, path, {
        body: text,
        headers: { 'content-type': 'application/json' },
      });
      expect(status).toBe(400);
      expect(body.errors).toEqual([{ pointer: '#', detail: expect.any(String) }]);
    },
  );

  it.each(['null', '1', '"text"', 'true', '[1]'])(
    'returns 400 for a body that is not an object: %s',
    async (text) => {
      const { status, body } = await api.send(method, path, { body: text });
      expect(status).toBe(400);
      expect(body.errors.length).toBeGreaterThan(0);
    },
  );
});

/** A body and its invalid fields. */
type Bad = readonly [what: string, body: unknown, ...pointers: string[]];

const good = { playerId: 'p', skill: 10 };
const ticketWith = (players: unknown) => ({ ticketId: 'bad', players });
const playerWith = (change: object) => ticketWith([{ ...good, ...change }]);

const BAD_TICKETS: readonly Bad[] = [
  ['nothing in it', {}, '#/ticketId', '#/players'],
  ['an unknown field', { ...ticketWith([good]), colour: 'red' }, '#/colour'],
  ['a player with an unknown field', playerWith({ latency: 5 }), '#/players/0/latency'],
  [
    'a field named like a prototype',
    '{"ticketId":"bad","players":[{"playerId":"p","skill":1}],"__proto__":{}}',
    '#/__proto__',
  ],
  ['a ticketId that is a number', { ...ticketWith([good]), ticketId: 7 }, '#/ticketId'],
  ['an empty ticketId', { ...ticketWith([good]), ticketId: '' }, '#/ticketId'],
  ['a ticketId with a space', { ...ticketWith([good]), ticketId: 'a b' }, '#/ticketId'],
  ['a ticketId with a slash', { ...ticketWith([good]), ticketId: 'a/b' }, '#/ticketId'],
  ['a ticketId with a hash', { ...ticketWith([good]), ticketId: 'a#b' }, '#/ticketId'],
  ['a ticketId that is too long', { ...ticketWith([good]), ticketId: 'x'.repeat(129) }, '#/ticketId'],
  ['a ticketId with a line break', { ...ticketWith([good]), ticketId: 'bad\n' }, '#/ticketId'],
  ['a playerId that is a lone surrogate', playerWith({ playerId: '\ud83d' }), '#/players/0/playerId'],
  ['a playerId that is null', playerWith({ playerId: null }), '#/players/0/playerId'],
  ['players that are not a list', ticketWith({ 0: good }), '#/players'],
  ['an empty party', ticketWith([]), '#/players'],
  [
    'a party too large for its team',
    ticketWith(['a', 'b', 'c', 'd'].map((playerId) => ({ playerId, skill: 1 }))),
    '#/players',
  ],
  [
    'a party too large for any team',
    ticketWith(Array.from({ length: 9 }, (_, i) => ({ playerId: `p${i}`, skill: 1 }))),
    '#/players',
  ],
  ['a player that is a string', ticketWith(['p']), '#/players/0'],
  ['a skill that is missing', ticketWith([{ playerId: 'p' }]), '#/players/0/skill'],
  ['a skill that is a string', playerWith({ skill: '10' }), '#/players/0/skill'],
  ['a skill that is null', playerWith({ skill: null }), '#/players/0/skill'],
  ['a negative skill', playerWith({ skill: -0.5 }), '#/players/0/skill'],
  ['an infinite skill', '{"ticketId":"bad","players":[{"playerId":"p","skill":1e999}]}', '#/players/0/skill'],
  ['a skill above the maximum', playerWith({ skill: 1e9 + 1 }), '#/players/0/skill'],
  ['roles that are not a list', playerWith({ roles: 'tank' }), '#/players/0/roles'],
  ['an empty list of roles', playerWith({ roles: [] }), '#/players/0/roles'],
  ['a role twice', playerWith({ roles: ['tank', 'tank'] }), '#/players/0/roles'],
  ['a role the queue does not have', playerWith({ roles: ['tank', 'bard'] }), '#/players/0/roles/1'],
  ['a role named like a method', playerWith({ roles: ['toString'] }), '#/players/0/roles/0'],
  ['a player twice', ticketWith([good, good]), '#/players/1/playerId'],
  [
    'a party whose roles fit no team',
    ticketWith([
      { ...good, roles: ['tank'] },
      { playerId: 'q', skill: 1, roles: ['tank'] },
    ]),
    '#/players',
  ],
  [
    'many faults at once',
    {
      ticketId: '?',
      players: [
        { playerId: 'p', skill: -1 },
        { playerId: 'p', skill: 'x', roles: ['bard'] },
      ],
      more: 1,
    },
    '#/ticketId',
    '#/players/0/skill',
    '#/players/1/skill',
    '#/players/1/playerId',
    '#/players/1/roles/0',
    '#/more',
  ],
];

describe.concurrent('the API rejects an invalid ticket, names every invalid field and stores nothing', () => {
  const roles = { tank: 1, healer: 1, damage: 1 };

  it.each(BAD_TICKETS)('%s', async (_what, body, ...pointers) => {
    const queue = await api.queue({ teamSize: 3, roles });
    const { status, body: problem } = await api.send('POST', `/queues/${queue}/tickets`, { body });
    expect(status, JSON.stringify(problem)).toBe(400);
    expect(pointersOf(problem)).toEqual([...pointers].sort());
    expect((await rows('tickets')).filter((row) => row.queue === queue || row.ticketId === 'bad')).toEqual(
      [],
    );
    expect(cloud.inspectQueue(queueNameOf('enqueue', 'TICK_QUEUE_URL')).delayed).not.toContainEqual(
      expect.objectContaining({ body: expect.stringContaining(`"${queue}"`) }),
    );
  });

  it.each(BAD_TICKETS.filter(([, body]) => typeof body === 'object'))(
    '%s, in a dry run',
    async (_what, body, ...pointers) => {
      const queue = await api.queue({ teamSize: 3, roles });
      const ticket = { ...(body as object), enqueuedAt: '2026-01-01T00:00:00Z' };
      const { status, body: problem } = await api.post(`/queues/${queue}/dry-run`, [ticket]);
      expect(status).toBe(400);
      expect(pointersOf(problem)).toEqual(pointers.map((at) => String(at).replace('#', '#/0')).sort());
    },
  );
});

const definitionWith = (change: object) => ({ ...definition({ name: 'bad' }), ...change });
const webhook = { url: 'https://studio.example/hook', secret: 'NAME' };

const BAD_DEFINITIONS: readonly Bad[] = [
  [
    'nothing in it',
    {},
    '#/name',
    '#/teamSize',
    '#/imbalance',
    '#/release',
    '#/tickSeconds',
    '#/timeoutSeconds',
  ],
  ['an unknown field', definitionWith({ teamsize: 5 }), '#/teamsize'],
  ['a name that differs from the path', definitionWith({ name: 'other' }), '#/name'],
  ['a name with a space', definitionWith({ name: 'a b' }), '#/name'],
  ['no players', definitionWith({ teamSize: 0 }), '#/teamSize'],
  ['half a player', definitionWith({ teamSize: 1.5 }), '#/teamSize'],
  ['too many players', definitionWith({ teamSize: 201 }), '#/teamSize'],
  ['a team alone', definitionWith({ teams: 1 }), '#/teams'],
  ['roles that sum to less', definitionWith({ teamSize: 3, roles: { tank: 1, healer: 1 } }), '#/roles'],
  ['roles that sum to more', definitionWith({ teamSize: 1, roles: { tank: 1, healer: 1 } }), '#/roles'],
  ['a role with 0 places', definitionWith({ teamSize: 1, roles: { tank: 1, healer: 0 } }), '#/roles/healer'],
  [
    'a role with an invalid name',
    definitionWith({ teamSize: 1, roles: { 'the tank': 1 } }),
    '#/roles/the%20tank',
  ],
  ['p below 1', definitionWith({ imbalance: { alpha: 1, p: 0.5, q: 2 } }), '#/imbalance/p'],
  ['q that is a string', definitionWith({ imbalance: { alpha: 1, p: 1, q: 'two' } }), '#/imbalance/q'],
  ['no weight', definitionWith({ imbalance: { alpha: 0, p: 1, q: 2 } }), '#/imbalance/alpha'],
  [
    'an infinite weight',
    `{"imbalance":{"alpha":1e999,"p":1,"q":2},${JSON.stringify(definitionWith({ imbalance: undefined })).slice(1)}`,
    '#/imbalance/alpha',
  ],
  ['a negative beta', definitionWith({ beta: -1 }), '#/beta'],
  ['an unknown policy', definitionWith({ release: { policy: 'hopeful' } }), '#/release/policy'],
  [
    'an option of another policy',
    definitionWith({ release: { policy: 'greedy', waitCost: 4 } }),
    '#/release/waitCost',
  ],
  ['no ticks', definitionWith({ tickSeconds: 0 }), '#/tickSeconds'],
  ['rare ticks', definitionWith({ tickSeconds: 61, timeoutSeconds: 600 }), '#/tickSeconds'],
  [
    'a time-out before the first tick',
    definitionWith({ tickSeconds: 10, timeoutSeconds: 9 }),
    '#/timeoutSeconds',
  ],
  ['buckets in descending order', definitionWith({ buckets: [1500, 1000] }), '#/buckets'],
  ['a bucket twice', definitionWith({ buckets: [1000, 1000] }), '#/buckets'],
  ['an empty bucket', definitionWith({ buckets: [0] }), '#/buckets/0'],
  ['an unknown fill', definitionWith({ fill: 'clowns' }), '#/fill'],
  ['an acceptance without time', definitionWith({ acceptance: {} }), '#/acceptance/timeoutSeconds'],
  ['an unknown provisioner', definitionWith({ provisioner: { type: 'magic' } }), '#/provisioner/type'],
  [
    'a provisioner without an address',
    definitionWith({ provisioner: { type: 'http' } }),
    '#/provisioner/url',
  ],
  [
    'a webhook by ftp',
    definitionWith({ webhooks: [{ ...webhook, url: 'ftp://studio.example/' }] }),
    '#/webhooks/0/url',
  ],
  [
    'a webhook with a password',
    definitionWith({ webhooks: [{ ...webhook, url: 'https://me:pw@studio.example/' }] }),
    '#/webhooks/0/url',
  ],
  ['a webhook without a secret', definitionWith({ webhooks: [{ url: webhook.url }] }), '#/webhooks/0/secret'],
  [
    'a webhook for no events',
    definitionWith({ webhooks: [{ ...webhook, events: [] }] }),
    '#/webhooks/0/events',
  ],
  [
    'an unknown event',
    definitionWith({ webhooks: [{ ...webhook, events: ['MatchMade'] }] }),
    '#/webhooks/0/events/0',
  ],
  ['too many webhooks', definitionWith({ webhooks: Array(6).fill(webhook) }), '#/webhooks'],
  [
    'many faults at once',
    definitionWith({
      teamSize: 2,
      roles: { tank: 1 },
      imbalance: { alpha: 1, p: 0, q: 0 },
      colour: 'red',
      tickSeconds: 30,
      timeoutSeconds: 5,
      fill: 7,
      name: 'other',
    }),
    '#/name',
    '#/fill',
    '#/roles',
    '#/imbalance/p',
    '#/imbalance/q',
    '#/colour',
    '#/timeoutSeconds',
  ],
];

describe.concurrent('the API rejects an invalid queue definition, names every invalid field and stores nothing', () => {
  it.each(BAD_DEFINITIONS)('%s', async (_what, body, ...pointers) => {
    const { status, body: problem } = await api.send('PUT', '/queues/bad', { body });
    expect(status, JSON.stringify(problem)).toBe(400);
    expect(pointersOf(problem)).toEqual([...pointers].sort());
    expect((await rows('queues')).filter(({ queue }) => queue === 'bad' || queue === 'other')).toEqual([]);
  });
});

const BAD_ASSIGNMENTS: readonly Bad[] = [
  ['no address', {}, '#/address'],
  ['an empty address', { address: '' }, '#/address'],
  ['a port above the maximum', { address: 'a', port: 65_536 }, '#/port'],
  ['a port that is a string', { address: 'a', port: '80' }, '#/port'],
  ['tokens that are a list', { address: 'a', tokens: ['t'] }, '#/tokens'],
  ['an empty token', { address: 'a', tokens: { ann: '' } }, '#/tokens/ann'],
  ['an unknown field', { address: 'a', host: 'b' }, '#/host'],
];

it.concurrent.each(BAD_ASSIGNMENTS)(
  'the API rejects an invalid assignment: %s',
  async (_what, body, ...pointers) => {
    const { status, body: problem } = await api.put('/matches/none/assignment', body);
    expect(status).toBe(400);
    expect(pointersOf(problem)).toEqual(pointers);
  },
);

it.concurrent.each([
  [{}, ['#/accepted', '#/matchId']],
  [{ accepted: true }, ['#/matchId']],
  [{ matchId: 'm' }, ['#/accepted']],
  [{ accepted: 'yes', matchId: 'm' }, ['#/accepted']],
  [{ accepted: null, matchId: 7 }, ['#/accepted', '#/matchId']],
  [{ accepted: true, matchId: 'a b' }, ['#/matchId']],
])('the API rejects an invalid acceptance: %j', async (body, pointers) => {
  const { status, body: problem } = await api.put('/tickets/none/acceptance', body);
  expect(status).toBe(400);
  expect(pointersOf(problem)).toEqual(pointers);
});

it.concurrent.each(['-1', '20.5', 'soon', 'NaN', 'Infinity', '', '%20', '1e999', '5&waitSeconds=5'])(
  'the API rejects waitSeconds=%s',
  async (value) => {
    const { status, body } = await api.get(`/tickets/none?waitSeconds=${value}`);
    expect(status).toBe(400);
    expect(pointersOf(body)).toEqual(['#/waitSeconds']);
  },
);

it.concurrent.each([
  ['', '#/ticketIds'],
  ['?ticketIds=', '#/ticketIds/0'],
  ['?ticketIds=a,,b', '#/ticketIds/1'],
  ['?ticketIds=a,b%20c', '#/ticketIds/1'],
  [`?ticketIds=${Array.from({ length: 51 }, (_, i) => i)}`, '#/ticketIds'],
])('tickets cannot be read with GET /tickets%s', async (query, pointer) => {
  const { status, body } = await api.get(`/tickets${query}`);
  expect(status).toBe(400);
  expect(pointersOf(body)).toEqual([pointer]);
});

describe.concurrent('ticket batches', () => {
  it('get a result for each ticket, and are read by one request', async () => {
    const queue = await api.queue();
    const posted = [1, 2, -3].map((skill) => ({ ticketId: fresh('batch'), players: [player(skill)] }));
    const [one, two, bad] = posted.map(({ ticketId }) => ticketId);
    const { status, body } = await api.post(`/queues/${queue}/ticket-batches`, { tickets: posted });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { ticketId: one, status: 201, ticket: { ticketId: one, queue } },
      { ticketId: two, status: 201, ticket: { ticketId: two, queue } },
      { ticketId: bad, status: 400, problem: { errors: [{ pointer: '#/players/0/skill' }] } },
    ]);
    await api.until(one!, 'COMPLETED');
    const found = await api.get(`/tickets?ticketIds=${[two, bad, one]}`);
    expect(found.status).toBe(200);
    expect(found.body.tickets).toMatchObject([
      { ticketId: two, status: 'COMPLETED' },
      { ticketId: one, status: 'COMPLETED' },
    ]);
    const again = await api.post(`/queues/${queue}/ticket-batches`, { tickets: posted.slice(0, 2) });
    expect(again.body.results.map((result: { status: number }) => result.status)).toEqual([200, 200]);
  });

  it('get 404 for a missing queue', async () => {
    expect((await api.post('/queues/nobody/ticket-batches', { tickets: [{}] })).status).toBe(404);
  });
});

it.concurrent.each([
  ['seen=WAITING', 'seen'],
  ['seen=', 'seen'],
  ['explain=yes', 'explain'],
  ['explain=', 'explain'],
])('the API rejects the query %s of a ticket', async (query, field) => {
  const { status, body } = await api.get(`/tickets/none?${query}`);
  expect(status).toBe(400);
  expect(pointersOf(body)).toEqual([`#/${field}`]);
});

const LONG = 'x'.repeat(2100);
it.concurrent.each([
  ['GET', '/queues/{}', 'queue'],
  ['PUT', '/queues/{}', 'queue'],
  ['DELETE', '/queues/{}', 'queue'],
  ['GET', '/queues/{}/stats', 'queue'],
  ['POST', '/queues/{}/tickets', 'queue'],
  ['POST', '/queues/{}/ticket-batches', 'queue'],
  ['POST', '/queues/{}/dry-run', 'queue'],
  ['GET', '/tickets/{}', 'ticketId'],
  ['DELETE', '/tickets/{}', 'ticketId'],
  ['PUT', '/tickets/{}/acceptance', 'ticketId'],
  ['GET', '/matches/{}', 'matchId'],
  ['PUT', '/matches/{}/assignment', 'matchId'],
])('%s %s rejects a name with an invalid character or length in the path', async (method, path, field) => {
  const takesBody = method === 'POST' || method === 'PUT';
  for (const name of [LONG, 'a%20b', 'a%2Fb', '%C3%A4', '%00', '%']) {
    const { status, body } = await api.send(
      method,
      path.replace('{}', name),
      takesBody ? { body: { accepted: true, matchId: 'm' } } : {},
    );
    expect(status, `${method} ${path} with ${name.slice(0, 20)}`).toBe(400);
    expect(pointersOf(body)).toContain(`#/${field}`);
  }
});

it('no response reveals internal details', async () => {
  const answers = await Promise.all([
    api.send('POST', '/queues/duel/tickets', { body: '{' }),
    api.get(`/tickets/${LONG}`),
    api.post('/queues/duel/tickets', { players: 1 }),
    api.get('/queues/constructor'),
  ]);
  const { TICKETS_TABLE, QUEUES_TABLE } = cloud.function('queues').environment;
  for (const { body } of answers) {
    const text = JSON.stringify(body);
    for (const inside of [TICKETS_TABLE!, QUEUES_TABLE!, 'at async', '.ts:', '.mjs', 'Zod', 'DynamoDB']) {
      expect(text).not.toContain(inside);
    }
  }
});

it('the log has no errors after the tests', () => {
  expect(cloud.logs.filter(({ line }) => /"level":"ERROR"|failed:|not authorized/.test(line))).toEqual([]);
});

function pointersOf(problem: { errors: { pointer: string }[] }): string[] {
  return [...new Set(problem.errors.map(({ pointer }) => pointer))].sort();
}

/** The local name of the queue whose URL is in an environment variable of a function. */
function queueNameOf(fn: string, variable: string): string {
  return cloud.function(fn).environment[variable]!.split('/').at(-1)!;
}
