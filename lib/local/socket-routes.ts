/** The routes and the authorizer of a WebSocket API in the template. */
import type { LambdaFunction } from './lambda.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { mayInvoke } from './routes.ts';
import { type StageThrottle, stageThrottle } from './stage-throttle.ts';
import type { Resource, Stack } from './template.ts';

/** A WebSocket API as its template describes it. */
export interface SocketRoutes {
  readonly api: Resource;
  readonly stage: string;
  readonly throttle: StageThrottle;
  /** The function of a route, by its key. Undefined when the API has no such route. */
  target(routeKey: string): LambdaFunction | undefined;
  /** Decides who may connect. Undefined when every client may. */
  readonly authorizer:
    | { readonly fn: LambdaFunction; readonly queryParameters: readonly string[] }
    | undefined;
}

/**
 * The WebSocket API of a stack; undefined when it has none.
 * @throws LocalCloudError when it has a part without local counterpart
 */
export function socketRoutes(stack: Stack, functions: readonly LambdaFunction[]): SocketRoutes | undefined {
  const api = stack
    .resources('AWS::ApiGatewayV2::Api')
    .find(({ properties }) => properties.ProtocolType === 'WEBSOCKET');
  if (api === undefined) return undefined;
  const ofApi = (type: string) =>
    stack.resources(type).filter(({ properties }) => properties.ApiId === api.ref);
  if (api.properties.RouteSelectionExpression !== '$request.body.action')
    throw new LocalCloudError(
      `Expected ${api.logicalId} to select routes by $request.body.action, got ${api.properties.RouteSelectionExpression}.`,
    );
  const targets = new Map<string, LambdaFunction>();
  for (const { logicalId, properties } of ofApi('AWS::ApiGatewayV2::Route')) {
    const routeKey = String(properties.RouteKey);
    const integration = ofApi('AWS::ApiGatewayV2::Integration').find(
      ({ ref }) => properties.Target === `integrations/${ref}`,
    );
    const target = functionOf(integration?.properties.IntegrationUri, functions);
    if (target === undefined || integration?.properties.IntegrationType !== 'AWS_PROXY')
      throw new LocalCloudError(
        `The route ${logicalId} (${routeKey}) needs a proxy integration with a function of the template.`,
      );
    if (
      !mayInvoke(stack, target, `${api.arn}/*${routeKey}`) &&
      !mayInvoke(stack, target, `${api.arn}/*/${routeKey}`)
    )
      throw new LocalCloudError(
        `No AWS::Lambda::Permission of ${target.logicalId} lets apigateway.amazonaws.com invoke it for ${routeKey}.`,
      );
    targets.set(routeKey, target);
  }
  const [stage] = ofApi('AWS::ApiGatewayV2::Stage');
  return {
    api,
    stage: String(stage?.properties.StageName),
    throttle: stageThrottle(stage),
    target: (key) => targets.get(key),
    authorizer: authorizerOf(stack, api, functions),
  };
}

function authorizerOf(
  stack: Stack,
  api: Resource,
  functions: readonly LambdaFunction[],
): SocketRoutes['authorizer'] {
  const connect = stack
    .resources('AWS::ApiGatewayV2::Route')
    .find(({ properties }) => properties.ApiId === api.ref && properties.RouteKey === '$connect');
  const id = connect?.properties.AuthorizerId;
  if (id === undefined) return undefined;
  const authorizer = stack.resources('AWS::ApiGatewayV2::Authorizer').find(({ ref }) => ref === id);
  const fn = functionOf(authorizer?.properties.AuthorizerUri, functions);
  if (authorizer?.properties.AuthorizerType !== 'REQUEST' || fn === undefined)
    throw new LocalCloudError(`The authorizer ${id} needs the type REQUEST and a function of the template.`);
  if (!mayInvoke(stack, fn, `${api.arn}/authorizers/${authorizer.ref}`))
    throw new LocalCloudError(
      `No AWS::Lambda::Permission of ${fn.logicalId} lets apigateway.amazonaws.com invoke it as an authorizer.`,
    );
  const sources = (authorizer.properties.IdentitySource ?? []) as readonly string[];
  const queryParameters = sources.map((source) => {
    const [, name] = /^route\.request\.querystring\.(.+)$/.exec(source) ?? [];
    if (name !== undefined) return name;
    throw new LocalCloudError(`The identity source ${source} has no local counterpart.`);
  });
  return { fn, queryParameters };
}

/** The function in the URI of an integration or an authorizer. */
function functionOf(uri: unknown, functions: readonly LambdaFunction[]): LambdaFunction | undefined {
  const [, arn] = /\/functions\/(.+)\/invocations$/.exec(String(uri)) ?? [];
  return functions.find((fn) => fn.arn === arn);
}
