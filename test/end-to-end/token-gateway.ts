import { afterAll } from 'vitest';
import { listenForRequests } from '../../lib/local/api-gateway.ts';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import type { LocalCloud } from '../../lib/local/local-cloud.ts';
import { type ApiRoutes, makeRoutes } from '../../lib/local/routes.ts';
import { readStack } from '../../lib/local/template.ts';
import { verifierOf } from '../../lib/local/token-verifier.ts';
import { builtApp } from '../infra/built-app.ts';
import { type Issuer, ORIGIN } from '../local/tokens.ts';

export interface TokenGateway {
  readonly url: string;
  readonly routes: ApiRoutes;
}

/**
 * The API of the app that requires tokens, in front of the functions of the shared cloud, whose own API requires none: a second
 * cloud would start them all again. It is stopped after the tests of the file.
 * @param origin whose pages may use it @default that of `test/local/tokens.ts`
 */
export async function tokenGateway(
  cloud: LocalCloud,
  issuer: Issuer,
  origin = ORIGIN,
): Promise<TokenGateway> {
  const gateway = await listenForRequests(0);
  afterAll(() => gateway.stop());
  const template = JSON.parse(JSON.stringify(builtApp('tokens').template).replaceAll(ORIGIN, origin));
  const stack = readStack(template, { awsEndpoint: cloud.awsConfig.endpoint, apiUrl: gateway.url });
  const functions = stack
    .resources('AWS::Lambda::Function')
    .map(({ logicalId, arn }) => ({ ...cloud.function(logicalId), arn }));
  const routes = makeRoutes(stack, functions, verifierOf(issuer.keys));
  gateway.open({ routes, delays: NO_DELAYS, log: () => {} });
  return { url: gateway.url, routes };
}
