import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UnsecuredJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ApiGateway, listenForRequests } from '../../lib/local/api-gateway.ts';
import type { TokenVerifier } from '../../lib/local/authorizers.ts';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import { makeRoutes } from '../../lib/local/routes.ts';
import { discoveringVerifier, verifierOf } from '../../lib/local/token-verifier.ts';
import { fakeFunction, stackOf } from './fixtures.ts';
import { AUDIENCE, ISSUER, type Issuer, testIssuer } from './tokens.ts';

const issuer = await testIssuer();
const stranger = await testIssuer();

/** An API with a route of each kind. Its function returns the information about the caller that it gets. */
async function apiWith(verifyToken?: TokenVerifier): Promise<ApiGateway> {
  const fn = fakeFunction('Function', (event: { requestContext: { authorizer?: object } }) => ({
    authorizer: event.requestContext.authorizer ?? null,
  }));
  const route = (RouteKey: string, properties: object) => ({
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: {
      RouteKey,
      Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'Integration' }]] },
      ...properties,
    },
  });
  const stack = stackOf({
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: {} },
    Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { StageName: '$default' } },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { IntegrationUri: fn.arn, PayloadFormatVersion: '2.0' },
    },
    Permission: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        Action: 'lambda:InvokeFunction',
        FunctionName: fn.arn,
        Principal: 'apigateway.amazonaws.com',
      },
    },
    Jwt: {
      Type: 'AWS::ApiGatewayV2::Authorizer',
      Properties: { JwtConfiguration: { Issuer: ISSUER, Audience: ['tools', AUDIENCE] } },
    },
    Open: route('GET /open', { AuthorizationType: 'NONE' }),
    Scoped: route('GET /scoped', {
      AuthorizationType: 'JWT',
      AuthorizerId: { Ref: 'Jwt' },
      AuthorizationScopes: ['muster/player', 'muster/backend'],
    }),
    Signed: route('GET /signed/{id}', { AuthorizationType: 'AWS_IAM' }),
  });
  const api = await listenForRequests(0);
  onTestFinished(() => api.stop());
  const routes = makeRoutes(stack, [fn], verifyToken);
  api.open({ routes, delays: NO_DELAYS, log: () => {} });
  return api;
}

async function get({ url }: ApiGateway, path: string, authorization?: string) {
  const response = await fetch(url + path, { headers: authorization === undefined ? {} : { authorization } });
  // biome-ignore lint/suspicious/noExplicitAny: each kind of caller is described by a different type
  return { status: response.status, body: (await response.json()) as any };
}

const UNAUTHORIZED = { status: 401, body: { message: 'Unauthorized' } };
const FORBIDDEN = { status: 403, body: { message: 'Forbidden' } };

test('every request is admitted by default', async () => {
  const api = await apiWith();
  expect(await get(api, '/open')).toEqual({ status: 200, body: { authorizer: null } });
  expect(await get(api, '/scoped')).toMatchObject({
    status: 200,
    body: { authorizer: { jwt: { claims: { sub: 'local', scope: 'muster/player muster/backend' } } } },
  });
  expect(await get(api, '/signed/1')).toMatchObject({
    status: 200,
    body: { authorizer: { iam: { userArn: 'arn:aws:iam::000000000000:user/local' } } },
  });
});

describe('a token', () => {
  const verify = verifierOf(issuer.keys);
  const scope = 'openid muster/player';

  test('with a scope of the route is admitted and its claims reach the function as text', async () => {
    const api = await apiWith(verify);
    const token = await issuer.token({ sub: 'ann', scope, groups: ['a', 'b'] });
    for (const authorization of [`Bearer ${token}`, token]) {
      const { status, body } = await get(api, '/scoped', authorization);
      expect(status).toBe(200);
      expect(body.authorizer.jwt).toMatchObject({
        claims: { sub: 'ann', scope, groups: '[a b]', iat: expect.stringMatching(/^\d+$/) },
        scopes: ['muster/player', 'muster/backend'],
      });
    }
  });

  test('is admitted with its scopes as a list in `scp`, or with a client_id and no audience', async () => {
    const api = await apiWith(verify);
    const listed = await issuer.token({ scp: ['x', 'muster/backend'] });
    const cognito = await issuer.token({ scope, aud: undefined, client_id: AUDIENCE });
    for (const token of [listed, cognito]) expect((await get(api, '/scoped', token)).status).toBe(200);
  });

  test('without a scope of the route is rejected with status 403', async () => {
    const api = await apiWith(verify);
    for (const claims of [{}, { scope: 'muster/admin' }, { scope: 'muster/playerx' }, { scp: [] }]) {
      expect(await get(api, '/scoped', await issuer.token(claims)), JSON.stringify(claims)).toEqual(
        FORBIDDEN,
      );
    }
  });

  test.each<[string, () => Promise<string | undefined> | string]>([
    ['that is missing', async () => undefined],
    ['that is malformed', async () => 'Bearer x.y.z'],
    ['of another key', () => stranger.token({ scope })],
    [
      'without a signature',
      () => new UnsecuredJWT({ scope }).setIssuer(ISSUER).setAudience(AUDIENCE).encode(),
    ],
    ['of another issuer', () => issuer.token({ scope, iss: 'https://other.example' })],
    ['for another audience', () => issuer.token({ scope, aud: 'shop' })],
    ['for no audience', () => issuer.token({ scope, aud: undefined })],
    ['that has expired', () => issuer.token({ scope, exp: 1_000_000_000 })],
    ['that never expires', () => issuer.token({ scope, exp: undefined })],
    ['that is not valid yet', () => issuer.token({ scope, nbf: 4_000_000_000 })],
  ])('%s is rejected with status 401', async (_, token) => {
    expect(await get(await apiWith(verify), '/scoped', await token())).toEqual(UNAUTHORIZED);
  });
});

test('the verifier finds the keys of an issuer by OpenID Connect discovery', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    const { port } = server.address() as AddressInfo;
    const discovery = { jwks_uri: `http://127.0.0.1:${port}/keys` };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url === '/keys' ? issuer.keys : discovery));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const iss = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const verify = discoveringVerifier();
  const check = async ({ token }: Issuer) =>
    verify(await token({ iss, sub: 'ann' }), { issuer: iss, audience: [AUDIENCE] });
  expect(await check(issuer)).toMatchObject({ sub: 'ann' });
  await expect(check(stranger)).rejects.toThrow('signature verification failed');
  expect(asked.slice(0, 2)).toEqual(['/.well-known/openid-configuration', '/keys']);
});
