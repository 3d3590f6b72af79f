import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiGateway, listenForRequests } from '../../lib/local/api-gateway.ts';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import { makeRoutes } from '../../lib/local/routes.ts';
import { fakeFunction, stackOf } from './fixtures.ts';

type HttpEvent = Record<string, unknown> & { headers: Record<string, string>; body?: string };

const ROUTES: Record<string, string> = {
  'GET /tickets': 'List',
  'GET /tickets/{id}': 'One',
  'GET /tickets/special': 'Special',
  'POST /tickets/{id}': 'Post',
  'ANY /tickets/{id}/any': 'Any',
  'GET /files/{path+}': 'Greedy',
  'GET /few': 'Few',
  'GET /slow': 'Slow',
  'GET /broken': 'Broken',
  'GET /forbidden': 'Forbidden',
  $default: 'Otherwise',
};

const answers: Record<string, (event: never) => unknown> = {
  Slow: () => new Promise(() => {}),
  Broken: () => {
    throw new Error('internal detail');
  },
};
const echo = (name: string) => (event: never) => ({ name, event });
const functions = Object.values(ROUTES).map((name) =>
  fakeFunction(name, (event) => (answers[name] ?? echo(name))(event)),
);
const lines: string[] = [];

function template() {
  const resources: Record<string, { Type: string; Properties: Record<string, unknown> }> = {
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: {} },
    Stage: {
      Type: 'AWS::ApiGatewayV2::Stage',
      Properties: {
        StageName: '$default',
        RouteSettings: { 'GET /few': { ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 2 } },
      },
    },
  };
  for (const [routeKey, name] of Object.entries(ROUTES)) {
    const { arn } = functions.find((fn) => fn.name === name)!;
    resources[`${name}Integration`] = {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        IntegrationUri: arn,
        PayloadFormatVersion: '2.0',
        ...(name === 'Slow' && { TimeoutInMillis: 50 }),
      },
    };
    resources[`${name}Route`] = {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        RouteKey: routeKey,
        Target: { 'Fn::Join': ['/', ['integrations', { Ref: `${name}Integration` }]] },
        AuthorizationType: name === 'Post' ? 'AWS_IAM' : 'NONE',
      },
    };
    const path = routeKey === '$default' ? '' : routeKey.slice(routeKey.indexOf(' '));
    resources[`${name}Permission`] = {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        Action: 'lambda:InvokeFunction',
        FunctionName: arn,
        Principal: 'apigateway.amazonaws.com',
        SourceArn: `arn:aws:execute-api:us-east-1:000000000000:Api/*/*${name === 'Forbidden' ? '/elsewhere' : path.trim()}`,
      },
    };
  }
  return stackOf(resources);
}

let api: ApiGateway;
beforeAll(async () => {
  api = await listenForRequests(0);
  api.open({
    routes: makeRoutes(template(), functions),
    delays: NO_DELAYS,
    log: (line) => lines.push(line),
  });
});
afterAll(() => api.stop());

test('a client that offers HTTP/2 gets its response in HTTP/1.1', async () => {
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  const [response] = await once(request(`${api.url}/tickets`, { headers }).end(), 'response');
  expect(response.statusCode).toBe(200);
  response.resume();
});

async function eventOf(path: string, init: RequestInit = {}): Promise<{ name: string; event: HttpEvent }> {
  const response = await fetch(api.url + path, init);
  expect(response.status).toBe(200);
  return (await response.json()) as { name: string; event: HttpEvent };
}

describe('the API gateway', () => {
  test.each([
    ['GET', '/tickets', 'List'],
    ['GET', '/tickets/special', 'Special'],
    ['GET', '/tickets/7', 'One'],
    ['POST', '/tickets/special', 'Post'],
    ['PATCH', '/tickets/7/any', 'Any'],
    ['GET', '/files/a/b', 'Greedy'],
    ['GET', '/files', 'Otherwise'],
    ['GET', '/tickets/', 'Otherwise'],
    ['DELETE', '/tickets/7', 'Otherwise'],
    ['GET', '/nothing/here', 'Otherwise'],
  ])('routes %s %s to %s', async (method, path, name) => {
    expect((await eventOf(path, { method })).name).toBe(name);
  });

  test('rejects requests beyond the rate of a route with status 429, as API Gateway does', async () => {
    for (let i = 0; i < 2; i++) expect((await eventOf('/few')).name).toBe('Few');
    const response = await fetch(`${api.url}/few`);
    expect([response.status, await response.json()]).toEqual([429, { message: 'Too Many Requests' }]);
    expect(response.headers.has('retry-after')).toBe(false);
    expect((await eventOf('/tickets')).name).toBe('List');
  });

  test('passes a request to the function in payload format 2.0', async () => {
    const { event } = await eventOf('/tickets/a%2Fb%20c?x=1&y=a%20b&x=2', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Custom': 'yes',
        'user-agent': 'test',
      },
      body: '{"skill":7}',
    });
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'POST /tickets/{id}',
      rawPath: '/tickets/a%2Fb%20c',
      rawQueryString: 'x=1&y=a%20b&x=2',
      headers: { 'content-type': 'application/json', 'x-custom': 'yes', 'x-forwarded-for': '127.0.0.1' },
      queryStringParameters: { x: '1,2', y: 'a b' },
      pathParameters: { id: 'a/b c' },
      requestContext: {
        accountId: '000000000000',
        apiId: 'Api',
        authorizer: { iam: { accountId: '000000000000' } },
        http: {
          method: 'POST',
          path: '/tickets/a%2Fb%20c',
          protocol: 'HTTP/1.1',
          sourceIp: '127.0.0.1',
          userAgent: 'test',
        },
        routeKey: 'POST /tickets/{id}',
        stage: '$default',
      },
      body: '{"skill":7}',
      isBase64Encoded: false,
    });
  });

  test('omits query and body from the event when the request has none', async () => {
    const { event } = await eventOf('/tickets');
    for (const absent of ['body', 'queryStringParameters', 'pathParameters']) {
      expect(event).not.toHaveProperty(absent);
    }
    expect(event.requestContext).not.toHaveProperty('authorizer');
  });

  test('passes a body that is not text to the function in base64', async () => {
    const { event } = await eventOf('/tickets/1', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: new Uint8Array([0, 255]),
    });
    expect(event).toMatchObject({ body: 'AP8=', isBase64Encoded: true });
  });

  test('rejects a body above 10 MB with status 413', async () => {
    const response = await fetch(`${api.url}/tickets/1`, {
      method: 'POST',
      body: 'x'.repeat(10 * 1024 * 1024 + 1),
    });
    expect([response.status, await response.json()]).toEqual([413, { message: 'Request Entity Too Large' }]);
  });

  test('serves other requests when a client disconnects', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /tickets/1 HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf');
    socket.destroy();
    await once(socket, 'close');
    expect((await eventOf('/tickets')).name).toBe('List');
  });
});

describe('a request of a page on another site', () => {
  const port = () => new URL(api.url).port;
  const statusOf = async (headers: Record<string, string>, method = 'GET') => {
    const asked = request(`${api.url}/tickets`, { method, headers });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
  };

  test.each([
    'muster.evil.example',
    '127.0.0.1.evil.example:3000',
    'localhost.evil.example',
    'evil.example@127.0.0.1.nip.io',
    '169.254.169.254',
  ])('is rejected when the browser was led here by the name "%s"', async (host) => {
    const { status, text } = await statusOf({ host });
    expect(status).toBe(403);
    expect(text).toContain('Expected a request to 127.0.0.1');
  });

  test.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://127.0.0.1.nip.io:3000',
  ])('is rejected when its origin is %s', async (origin) => {
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(await statusOf({ origin }, method)).toMatchObject({
        status: 403,
        text: expect.stringContaining(origin),
      });
  });

  test('is told from one of this machine, at any port of a tunnel', async () => {
    for (const host of [`127.0.0.1:${port()}`, `LOCALHOST:${port()}`, 'localhost:8080', `[::1]:${port()}`])
      expect(await statusOf({ host })).toMatchObject({ status: 200 });
    for (const origin of [api.url, 'http://localhost:5173', 'https://127.0.0.1'])
      expect(await statusOf({ origin })).toMatchObject({ status: 200 });
  });
});

describe('a response of the API gateway', () => {
  const answered = async (payload: unknown) => {
    answers.One = () => payload;
    try {
      return await fetch(`${api.url}/tickets/1`);
    } finally {
      delete answers.One;
    }
  };

  test('has the status, headers and body that the function returns', async () => {
    const response = await answered({
      statusCode: 201,
      headers: { 'Content-Type': 'application/problem+json', 'x-count': 3 },
      body: '{"ok":true}',
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('x-count')).toBe('3');
    expect(await response.text()).toBe('{"ok":true}');
  });

  test.each([
    [{ some: 'object' }, '{"some":"object"}'],
    ['plain', 'plain'],
    [null, 'null'],
  ])('is 200 with a JSON body when the function returns no status: %j', async (payload, body) => {
    const response = await answered(payload);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      body,
    ]);
  });

  test.each([
    ['/slow', 504, 'Endpoint request timed out'],
    ['/broken', 500, 'Internal Server Error'],
    ['/forbidden', 500, 'Internal Server Error'],
  ])('for %s has status %i', async (path, status, message) => {
    const response = await fetch(api.url + path);
    expect([response.status, await response.json()]).toEqual([status, { message }]);
  });

  test('is 500 with a line in the log when the API may not invoke the function', async () => {
    await fetch(`${api.url}/forbidden`);
    expect(lines).toContain(
      'GET /forbidden: no AWS::Lambda::Permission of Forbidden lets apigateway.amazonaws.com invoke it.',
    );
  });
});

test('listening on a port in use throws an error that suggests another port', async () => {
  const { port } = new URL(api.url);
  await expect(listenForRequests(Number(port))).rejects.toThrow(
    `Port ${port} is in use: choose another with --port.`,
  );
});
