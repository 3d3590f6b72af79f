import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { type Handlers, httpHandler } from '../../lib/aws/http.ts';
import { logger } from '../../lib/aws/log.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { StoreBusy } from '../../lib/service/ports/store-busy.ts';

function event(changes: Partial<APIGatewayProxyEventV2> = {}): APIGatewayProxyEventV2 {
  return {
    version: '2.0',
    routeKey: 'POST /queues/{queue}/tickets',
    rawPath: '/queues/a/tickets',
    rawQueryString: '',
    headers: { 'content-type': 'application/json' },
    requestContext: {
      requestId: 'request-1',
      http: { method: 'POST' },
      authorizer: { iam: { accessKey: 'KEY' } },
    } as never,
    pathParameters: { queue: 'a%2Db' },
    isBase64Encoded: false,
    body: '{"n":1}',
    ...changes,
  };
}

/** A handler of the function `enqueue`, which does the same for both of its routes. */
const enqueueWith = (route: Handlers<'enqueue'>['POST /queues/{queue}/tickets']) =>
  httpHandler('enqueue', {
    'POST /queues/{queue}/tickets': route,
    'POST /queues/{queue}/ticket-batches': route,
  });
const echo = enqueueWith(async ({ path, json }) => ({ status: 200, body: { path, body: json() } }));
const call = async (changes: Partial<APIGatewayProxyEventV2> = {}, handler = echo) => {
  const result = await handler(event(changes), { awsRequestId: 'x', functionName: 'f' } as Context);
  return {
    status: result.statusCode,
    type: result.headers?.['content-type'],
    body: JSON.parse(result.body ?? 'null'),
    result,
  };
};

describe('the HTTP handler', () => {
  it('passes the decoded path and the parsed body to the route', async () => {
    expect(await call()).toMatchObject({ status: 200, body: { path: { queue: 'a-b' }, body: { n: 1 } } });
  });

  it('rejects a path and a query that are not as the table of routes describes them', async () => {
    const named = await call({ pathParameters: { queue: 'a/b' } });
    expect(named).toMatchObject({ status: 400, body: { errors: [{ pointer: '#/queue' }] } });
    const tickets = httpHandler('tickets', {
      'GET /tickets': async ({ query }) => ({ status: 200, body: query }),
      'GET /tickets/{ticketId}': async ({ query }) => ({ status: 200, body: query }),
    });
    const get = (queryStringParameters: Record<string, string>) =>
      call({ routeKey: 'GET /tickets', queryStringParameters }, tickets as typeof echo);
    expect(await get({ ticketIds: 'a,b' })).toMatchObject({ status: 200, body: { ticketIds: ['a', 'b'] } });
    expect(await get({})).toMatchObject({ status: 400, body: { errors: [{ pointer: '#/ticketIds' }] } });
  });

  it('adds the ids of its path to the lines of its log, and forgets those of the request before', async () => {
    const added = vi.spyOn(logger, 'appendKeys');
    const forgotten = vi.spyOn(logger, 'resetKeys');
    const tickets = httpHandler('tickets', {
      'GET /tickets': async () => ({ status: 200 }),
      'GET /tickets/{ticketId}': async () => ({ status: 200, body: {} }),
    });
    const changes = { routeKey: 'GET /tickets/{ticketId}', pathParameters: { ticketId: 't%2D1' } };
    await call(changes, tickets as typeof echo);
    expect(added).toHaveBeenLastCalledWith({ ticketId: 't-1' });
    // Before the id of the request is added, too.
    expect(forgotten.mock.invocationCallOrder.at(-1)).toBeLessThan(added.mock.invocationCallOrder[0]!);
    added.mockClear();
    await call({ ...changes, pathParameters: { ticketId: 'x'.repeat(129) } }, tickets as typeof echo);
    expect(added).not.toHaveBeenCalledWith(expect.objectContaining({ ticketId: expect.anything() }));
    vi.restoreAllMocks();
  });

  it('logs a request of a route that its function does not serve', async () => {
    const error = vi.spyOn(logger, 'error').mockImplementation(() => {});
    expect((await call({ routeKey: 'GET /queues' })).status).toBe(500);
    expect(String(error.mock.lastCall?.[1])).toContain('the API sent GET /queues to enqueue');
  });

  it('reads a body that the gateway encoded', async () => {
    const body = Buffer.from('{"n":2}').toString('base64');
    expect((await call({ body, isBase64Encoded: true })).body.body).toEqual({ n: 2 });
  });

  it.each([
    ['malformed JSON', { body: '{"n":' }, 400],
    ['NaN', { body: '{"n":NaN}' }, 400],
    ['no body', { body: '' }, 400],
    [
      'bytes that are not UTF-8',
      { body: Buffer.from([0x22, 0xff, 0x22]).toString('base64'), isBase64Encoded: true },
      400,
    ],
    ['a body over 64 KiB', { body: JSON.stringify('x'.repeat(64 * 1024)) }, 413],
    ['another content type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['no content type', { headers: {} }, 415],
  ])('responds to %s with a problem document', async (_, changes, status) => {
    const answer = await call(changes);
    expect(answer).toMatchObject({
      status,
      type: 'application/problem+json',
      body: { type: 'about:blank', status },
    });
  });

  it('accepts content types that end in +json, with parameters', async () => {
    expect((await call({ headers: { 'content-type': 'application/ld+json; charset=utf-8' } })).status).toBe(
      200,
    );
  });

  it('names the invalid fields', async () => {
    const errors = [{ pointer: '#/a', detail: 'Expected more' }];
    const handler = enqueueWith(async () => {
      throw new Problem(409, 'No.', {
        errors,
        extensions: { code: 'TICKET_NOT_QUEUED', ticketStatus: 'PLACING' },
      });
    });
    expect((await call({}, handler)).body).toEqual({
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'No.',
      errors,
      code: 'TICKET_NOT_QUEUED',
      ticketStatus: 'PLACING',
    });
  });

  it('returns 503 with Retry-After when the store is busy', async () => {
    const warn = vi.spyOn(logger, 'warn').mockImplementation(() => {});
    const handler = enqueueWith(async () => {
      throw new StoreBusy('throttled: table internal-name');
    });
    const answer = await call({}, handler);
    expect(answer).toMatchObject({ status: 503, result: { headers: { 'retry-after': '1' } } });
    expect(JSON.stringify(answer.body)).not.toContain('internal-name');
    expect(warn).toHaveBeenCalledOnce();
  });

  it('rejects a request that API Gateway has not authorized', async () => {
    const requestContext = { requestId: 'request-1', http: { method: 'POST' } } as never;
    expect(await call({ requestContext })).toMatchObject({ status: 403, body: { title: 'Forbidden' } });
  });

  it('reveals no internal name and no stack', async () => {
    const error = vi.spyOn(logger, 'error').mockImplementation(() => {});
    const handler = enqueueWith(async () => {
      throw new TypeError('cannot read secretInternals');
    });
    const answer = await call({}, handler);
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.body)).not.toMatch(/secretInternals|TypeError|\.ts/);
    expect(error).toHaveBeenCalledOnce();
  });
});
