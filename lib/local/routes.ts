/** The routes of an HTTP API, and the choice of the route for a request. */
import { type Authorizer, routeAuthorizer, type TokenVerifier } from './authorizers.ts';
import { type Cors, corsOf } from './cors.ts';
import type { LambdaFunction } from './lambda.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { matchesWildcard } from './policy.ts';
import { type StageThrottle, stageThrottle } from './stage-throttle.ts';
import type { Properties, Resource, Stack } from './template.ts';

/** The routes of one HTTP API. */
export interface ApiRoutes {
  match(method: string, path: string): RouteMatch | undefined;
  readonly apiId: string;
  readonly throttle: StageThrottle;
  readonly cors: Cors;
}

export interface RouteMatch {
  readonly route: Route;
  readonly pathParameters: Readonly<Record<string, string>>;
}

export interface Route {
  readonly routeKey: string;
  readonly target: LambdaFunction;
  readonly timeoutMs: number;
  /** Whether the function's permissions allow the API to invoke it. */
  readonly permitted: boolean;
  readonly authorize: Authorizer;
  readonly method: string;
  readonly segments: readonly string[];
}

/** API Gateway's maximum timeout. */
const TIMEOUT_MAX_MS = 30_000;

/** @throws LocalCloudError when the stack has no HTTP API, or a route without local counterpart */
export function makeRoutes(
  stack: Stack,
  functions: readonly LambdaFunction[],
  verifyToken?: TokenVerifier,
): ApiRoutes {
  const api = stack
    .resources('AWS::ApiGatewayV2::Api')
    .find(({ properties }) => properties.ProtocolType !== 'WEBSOCKET');
  if (api === undefined) throw new LocalCloudError('The template has no HTTP API.');
  const ofApi = (type: string) =>
    stack.resources(type).filter(({ properties: { ApiId = api.ref } }) => ApiId === api.ref);
  const [stage] = ofApi('AWS::ApiGatewayV2::Stage');
  const stageName = stage?.properties.StageName;
  if (stageName !== '$default') {
    throw new LocalCloudError(`Expected the API's stage to be $default, got ${stageName}.`);
  }
  const routes = ofApi('AWS::ApiGatewayV2::Route')
    .map((route) => ({
      ...makeRoute(route, api, stack, functions),
      authorize: routeAuthorizer(route, stack, verifyToken),
    }))
    .sort(byPrecedence);
  return {
    apiId: api.name,
    throttle: stageThrottle(stage),
    cors: corsOf(api.properties.CorsConfiguration as Properties | undefined),
    match(method, path) {
      const segments = path.split('/').slice(1);
      for (const route of routes) {
        const pathParameters = matchRoute(route, method, segments);
        if (pathParameters !== undefined) return { route, pathParameters };
      }
      return undefined;
    },
  };
}

function makeRoute(
  { logicalId, properties }: Resource,
  api: Resource,
  stack: Stack,
  functions: readonly LambdaFunction[],
): Omit<Route, 'authorize'> {
  const routeKey = String(properties.RouteKey);
  const integration = stack
    .resources('AWS::ApiGatewayV2::Integration')
    .find(({ ref }) => properties.Target === `integrations/${ref}`);
  const {
    IntegrationUri,
    PayloadFormatVersion,
    TimeoutInMillis = TIMEOUT_MAX_MS,
  } = integration?.properties ?? {};
  const target = functions.find(({ arn }) => arn === IntegrationUri);
  if (target === undefined || PayloadFormatVersion !== '2.0') {
    throw new LocalCloudError(
      `The route ${logicalId} (${routeKey}) needs an integration with a function of the template in payload format 2.0.`,
    );
  }
  const [method = '', path = ''] = routeKey === '$default' ? ['ANY', '/{proxy+}'] : routeKey.split(' ');
  return {
    routeKey,
    target,
    timeoutMs: Math.min(Number(TimeoutInMillis), TIMEOUT_MAX_MS),
    permitted: mayInvoke(stack, target, routeArnOf(api, routeKey)),
    method,
    segments: path.split('/').slice(1),
  };
}

function routeArnOf(api: Resource, routeKey: string): string {
  const [method, path] = routeKey === '$default' ? ['*', '/$default'] : routeKey.split(' ');
  return `${api.arn}/$default/${method === 'ANY' ? '*' : method}${path}`;
}

/** Whether a resource-based permission of the function covers the ARN of a route. */
export function mayInvoke(stack: Stack, target: LambdaFunction, routeArn: string): boolean {
  return stack.resources('AWS::Lambda::Permission').some(({ properties }) => {
    const { Action, Principal, FunctionName, SourceArn } = properties;
    return (
      Action === 'lambda:InvokeFunction' &&
      Principal === 'apigateway.amazonaws.com' &&
      (FunctionName === target.arn || FunctionName === target.name) &&
      (SourceArn === undefined || coversRoute(String(SourceArn), routeArn))
    );
  });
}

/** A `*` in a permission may stand for the stage and the method. The permission's path may be `$default` too. */
function coversRoute(sourceArn: string, routeArn: string): boolean {
  if (matchesWildcard(sourceArn, routeArn)) return true;
  // The `$default` route's ARN has no method.
  return (
    routeArn.endsWith('/*/$default') &&
    matchesWildcard(sourceArn, routeArn.replace('/*/$default', '/$default'))
  );
}

/** Order: a full match, a parameter, a greedy parameter; a method before ANY; `$default` last. */
function byPrecedence(a: Route, b: Route): number {
  return rank(a).localeCompare(rank(b));
}

function rank({ routeKey, segments, method }: Route): string {
  if (routeKey === '$default') return '9';
  const path = segments.map((segment) =>
    /^\{.*\+\}$/.test(segment) ? '2' : segment.startsWith('{') ? '1' : '0',
  );
  return `${path.join('')}${method === 'ANY' ? '1' : '0'}`;
}

/** The path's decoded parameters, or undefined when the route does not match the request. */
function matchRoute(
  route: Route,
  method: string,
  segments: readonly string[],
): Record<string, string> | undefined {
  if (route.routeKey === '$default') return {};
  if (route.method !== 'ANY' && route.method !== method) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of route.segments.entries()) {
    const [, name, greedy] = /^\{([^+}]+)(\+?)\}$/.exec(expected) ?? [];
    if (name !== undefined && greedy === '+') {
      if (segments.length <= index) return undefined;
      parameters[name] = decode(segments.slice(index).join('/'));
      return parameters;
    }
    const segment = segments[index];
    if (segment === undefined || (name === undefined ? segment !== expected : segment === ''))
      return undefined;
    if (name !== undefined) parameters[name] = decode(segment);
  }
  return segments.length === route.segments.length ? parameters : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
