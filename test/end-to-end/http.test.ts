import { describe, expect, it } from 'vitest';
import { definition } from '../service/definitions.ts';
import { DOCUMENT, fresh, player, testMuster } from './muster.ts';

const { api, cloud, rows } = await testMuster();

describe.concurrent('POST /queues/{queue}/tickets', () => {
  // test/service/tickets/enqueue.test.ts has more bodies that are the same or not, and the stores those that come at once.
  it('returns 201 with the stored ticket, 200 when it is repeated in any order of fields, and 409 for another body or queue', async () => {
    const shape = { teamSize: 2, roles: { a: 1, b: 1 } };
    const [queue, other] = [await api.queue(shape), await api.queue(shape)];
    const ticketId = fresh('ticket');
    const post = (text: string) => api.send('POST', `/queues/${queue}/tickets`, { body: text });
    const players = [{ playerId: 'ann@example:1+x', skill: 0.1 + 0.2, roles: ['a'] }];
    const first = await post(JSON.stringify({ ticketId, players }));
    expect(first).toMatchObject({ status: 201, body: { ticketId, players, queue, status: 'QUEUED' } });
    expect(Math.abs(Date.parse(first.body.enqueuedAt) - Date.now())).toBeLessThan(60_000);
    const again = await post(
      `{"players":[{"roles":["a"],"skill":3.0000000000000004e-1,"playerId":"ann@example:1+x"}],"ticketId":"${ticketId}"}`,
    );
    expect(again).toMatchObject({ status: 200, body: first.body });
    const change = await post(JSON.stringify({ ticketId, players: [player(5)] }));
    const move = await api.post(`/queues/${other}/tickets`, { ticketId, players });
    expect([change.status, move.status]).toEqual([409, 409]);
    expect((await rows('tickets')).filter((row) => row.ticketId === ticketId)).toHaveLength(1);
    expect((await api.get(`/tickets/${ticketId}`)).body).toMatchObject({ queue, players });
  });
});

describe.concurrent('tickets', () => {
  it('GET returns 200 for a ticket, also with a percent-encoded id, and 404 for a missing one', async () => {
    const queue = await api.queue();
    const ticketId = `${fresh('ticket')}@a:b+c=d`;
    await api.post(`/queues/${queue}/tickets`, { ticketId, players: [player(1)] });
    const { status, body } = await api.get(`/tickets/${encodeURIComponent(ticketId)}`);
    expect(status).toBe(200);
    expect(body.ticketId).toBe(ticketId);
    expect((await api.get('/tickets/nobody')).status).toBe(404);
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

  it('returns 404 for a path without a route, and 405 with the methods of one that has others', async () => {
    expect((await api.send('GET', '/queues//tickets')).status).toBe(404);
    const { status, headers } = await api.send('PATCH', '/queues/duel');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, PUT, DELETE']);
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

describe.concurrent('bodies', () => {
  // test/aws/http.test.ts has more of each kind.
  it.each(BODIES)('%s %s rejects what is no JSON object of at most 64 KiB', async (method, path) => {
    const text = (bytes: number) => JSON.stringify({ filler: 'x'.repeat(bytes - '{"filler":""}'.length) });
    const statusOf = async (body: string, type = 'application/json') =>
      (await api.send(method, path, { body, headers: { 'content-type': type } })).status;
    expect(await statusOf('{}', 'text/plain')).toBe(415);
    expect(await statusOf(text(65_537))).toBe(413);
    expect(await statusOf(text(65_536))).toBe(400);
    for (const body of ['', '{', 'null', '1', '"text"', '[1]']) expect(await statusOf(body), body).toBe(400);
  });
});

// test/contract and test/service/tickets/parse-tickets.test.ts have the faults of each field.
describe.concurrent('the API rejects an invalid request, names every invalid field and stores nothing', () => {
  const pointersOf = (problem: { errors: { pointer: string }[] }) =>
    [...new Set(problem.errors.map(({ pointer }) => pointer))].sort();

  it('for a ticket, posted or in a dry run', async () => {
    const queue = await api.queue({ teamSize: 3, roles: { tank: 1, healer: 1, damage: 1 } });
    const players = [
      { playerId: 'p', skill: -1 },
      { playerId: 'p', skill: 'x', roles: ['bard'] },
    ];
    const ticket = { ticketId: '?', players, more: 1 };
    const pointers = [
      '/more',
      '/players/0/skill',
      '/players/1/playerId',
      '/players/1/roles/0',
      '/players/1/skill',
      '/ticketId',
    ];
    const posted = await api.post(`/queues/${queue}/tickets`, ticket);
    expect([posted.status, pointersOf(posted.body)]).toEqual([400, pointers.map((at) => `#${at}`)]);
    expect((await rows('tickets')).filter((row) => row.queue === queue)).toEqual([]);
    const ticks = cloud.inspectQueue(
      cloud.function('enqueue').environment.TICK_QUEUE_URL!.split('/').at(-1)!,
    );
    expect(ticks.delayed).not.toContainEqual(
      expect.objectContaining({ body: expect.stringContaining(`"${queue}"`) }),
    );
    const dry = await api.post(`/queues/${queue}/dry-run`, [
      { ...ticket, enqueuedAt: '2026-01-01T00:00:00Z' },
    ]);
    expect([dry.status, pointersOf(dry.body)]).toEqual([400, pointers.map((at) => `#/0${at}`)]);
  });

  it('for a queue definition', async () => {
    const body = {
      ...definition({ name: 'other', teamSize: 2, tickSeconds: 30, timeoutSeconds: 5 }),
      colour: 'red',
    };
    const { status, body: problem } = await api.put('/queues/bad', body);
    expect([status, pointersOf(problem)]).toEqual([400, ['#/colour', '#/name', '#/timeoutSeconds']]);
    expect((await rows('queues')).filter(({ queue }) => queue === 'bad' || queue === 'other')).toEqual([]);
  });

  it.each([
    ['PUT', '/matches/none/assignment', { address: 'a', port: '80' }, 'port'],
    ['PUT', '/tickets/none/acceptance', { accepted: true }, 'matchId'],
    ['GET', '/tickets/none?waitSeconds=5&waitSeconds=5', undefined, 'waitSeconds'],
    ['GET', '/tickets/none?explain=yes', undefined, 'explain'],
    ['GET', '/tickets', undefined, 'ticketIds'],
    ['GET', `/tickets/${'x'.repeat(2_100)}`, undefined, 'ticketId'],
    ['GET', '/tickets/a%2Fb', undefined, 'ticketId'],
    ['DELETE', '/tickets/%', undefined, 'ticketId'],
    ['GET', '/matches/%00', undefined, 'matchId'],
  ])('for %s %s', async (method, path, body, field) => {
    const { status, body: problem } = await api.send(method, path, { body });
    expect([status, pointersOf(problem)]).toEqual([400, [`#/${field}`]]);
  });
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
});

it('no response reveals internal details', async () => {
  const answers = await Promise.all([
    api.send('POST', '/queues/duel/tickets', { body: '{' }),
    api.get(`/tickets/${'x'.repeat(2_100)}`),
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
