import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnRoute,
  type CfnStage,
  CorsHttpMethod,
  type CorsPreflightOptions,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type Scope, tokenScope } from '../contract/callers.ts';
import { ROUTE_KEYS, type RouteKey, routeOf } from '../contract/routes.ts';
import type { RequestLimit } from './limits.ts';
import type { MusterFunction } from './muster-function.ts';
import type { StagePolicy } from './stage-policy.ts';

/** The issuer of the tokens that callers send instead of AWS credentials. */
export interface JwtOptions {
  /** The `iss` of a token, an https URL that serves `/.well-known/openid-configuration`. */
  readonly issuer: string;
  /** At least one. One of these must be in the `aud` (or be the `client_id`) of a token. */
  readonly audience: readonly string[];
}

export interface ApiProps {
  /**
   * Accept tokens of this issuer. Each route requires one of its scopes.
   * @default - requests are signed with AWS credentials (IAM)
   */
  readonly jwt?: JwtOptions | undefined;
  /** The limit of each route that requires credentials. */
  readonly requests: RequestLimit;
  /** See {@link MatchmakerProps.allowedOrigins}. */
  readonly allowedOrigins: readonly string[];
  /** Whether requests are logged. */
  readonly accessLog: boolean;
  readonly stage: StagePolicy;
}

/**
 * The HTTP API: one stage at the root, with an access log unless it is switched off. The table `ROUTES` lists the routes and
 * their callers. Open routes have a low rate limit.
 */
export class Api extends Construct {
  readonly http: HttpApi;
  readonly stage: HttpStage;
  readonly #jwt: boolean;
  /** The limit of preflights; undefined when no page may call the API. */
  readonly #preflights: RequestLimit | undefined;
  readonly #integrations = new Map<MusterFunction, HttpLambdaIntegration>();

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    this.#jwt = props.jwt !== undefined;
    this.#preflights = props.allowedOrigins.length === 0 ? undefined : props.requests;
    this.http = new HttpApi(this, 'Http', {
      apiName: Stack.of(this).stackName,
      description: 'The API of Muster, a team matchmaker',
      createDefaultStage: false,
      defaultAuthorizer: authorizer(props.jwt),
      ...(this.#preflights && { corsPreflight: corsOf(props.allowedOrigins) }),
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: STAGE,
      autoDeploy: true,
      throttle: { rateLimit: props.requests.perSecond, burstLimit: props.requests.burst },
      ...(props.accessLog && { accessLogSettings: accessLog(this, props.stage) }),
    });
    if (!props.accessLog) {
      Validations.of(this.stage).acknowledge({
        id: 'AwsSolutions-APIG1',
        reason: 'The option `accessLog` switches the access log off, which saves its price for each request.',
      });
    }
  }

  /** Whether players may call the API. They need tokens, because they have no AWS credentials. */
  get hasPlayers(): boolean {
    return this.#jwt;
  }

  /** The base URL of all paths, without a trailing slash. */
  get url(): string {
    return this.http.apiEndpoint;
  }

  /** Adds the routes that the function serves. Callers need one of the route's scopes. */
  serve(fn: MusterFunction): void {
    const isFirst = (key: RouteKey) => Number(NAMED_AFTER.includes(key));
    const keys = ROUTE_KEYS.filter((key) => routeOf(key).function === fn.name);
    for (const key of keys.sort((a, b) => isFirst(b) - isFirst(a))) {
      const { id, method, path, scopes, openBecause } = routeOf(key);
      if (scopes.length === 0) {
        const constructId = id.replace(/^./, (letter) => letter.toUpperCase());
        this.#openRoute(fn, constructId, HttpRouteKey.with(path, HttpMethod[method]), openBecause!);
        continue;
      }
      this.http.addRoutes({
        path,
        methods: [HttpMethod[method]],
        integration: this.#integration(fn),
        ...(this.#jwt && { authorizationScopes: scopes.map(tokenScope) }),
      });
    }
  }

  /** Sends requests that match no route to the function. */
  serveOthers(fn: MusterFunction): void {
    const reason = 'Returns 404 or 405 for requests that match no route, and reads and writes nothing.';
    this.#openRoute(fn, 'Otherwise', HttpRouteKey.DEFAULT, reason);
    // Otherwise preflights would reach the route $default and its low limit.
    if (this.#preflights === undefined) return;
    const why = 'Browsers send preflights without credentials. The function reads and writes nothing.';
    const preflight = HttpRouteKey.with('/{proxy+}', HttpMethod.OPTIONS);
    this.#openRoute(fn, 'Preflight', preflight, why, this.#preflights);
  }

  /** Adds a route that any caller may use. */
  #openRoute(
    fn: MusterFunction,
    id: string,
    routeKey: HttpRouteKey,
    reason: string,
    limit = openRequests,
  ): void {
    const route = new HttpRoute(this, id, {
      httpApi: this.http,
      routeKey,
      integration: this.#integration(fn),
      authorizer: new HttpNoneAuthorizer(),
    });
    Validations.of(route).acknowledge({ id: 'AwsSolutions-APIG4', reason });
    this.#limit(route, routeKey, limit);
  }

  /**
   * The ARNs of the routes of a scope, for a permission to `execute-api:Invoke`.
   * @param queue the name for `{queue}` in their paths, which excludes routes without `{queue}`; when omitted, any queue
   */
  arnsOf(scope: Scope, queue?: string): string[] {
    return ROUTE_KEYS.map(routeOf)
      .filter(
        ({ scopes, path }) => scopes.includes(scope) && (queue === undefined || path.includes('{queue}')),
      )
      .map(({ method, path }) => {
        const resource = path.replace('{queue}', queue ?? '*').replaceAll(/\{\w+\}/g, '*');
        return this.http.arnForExecuteApi(method, resource, STAGE);
      });
  }

  /** The limit of one route, instead of the stage's. */
  #limit(route: HttpRoute, key: HttpRouteKey, { perSecond, burst }: RequestLimit): void {
    const stage = this.stage.node.defaultChild as CfnStage;
    stage.routeSettings = {
      ...stage.routeSettings,
      [key.key]: { ThrottlingRateLimit: perSecond, ThrottlingBurstLimit: burst },
    };
    // CloudFormation rejects a stage that refers to a route before the route exists.
    stage.addResourceDependency(route.node.defaultChild as CfnRoute);
  }

  /** One integration for all routes of a function, and one permission: a stack has 500 resources at most. */
  #integration(fn: MusterFunction): HttpLambdaIntegration {
    const integration =
      this.#integrations.get(fn) ??
      new HttpLambdaIntegration(`${fn.name}Integration`, fn, { scopePermissionToRoute: false });
    this.#integrations.set(fn, integration);
    return integration;
  }
}

/**
 * The CDK names the integration of a function after its first route. These routes come first, because CloudFormation would
 * replace an integration whose name changes.
 */
const NAMED_AFTER: readonly RouteKey[] = ['GET /tickets/{ticketId}', 'GET /dead-letters'];

/** The stage at the root of the URL. */
const STAGE = '$default';

/** Any caller can use an open route, and each call is an invocation. The limit suffices for monitors. */
const openRequests: RequestLimit = { perSecond: 10, burst: 20 };

function authorizer(jwt: JwtOptions | undefined): IHttpRouteAuthorizer {
  if (jwt === undefined) return new HttpIamAuthorizer();
  if (!jwt.issuer.startsWith('https://')) {
    throw new Error(`Expected \`jwt.issuer\` to be an https URL, got "${jwt.issuer}".`);
  }
  if (jwt.audience.length === 0) {
    throw new Error(
      'Expected `jwt.audience` to name at least one audience, got none: any token of the issuer would be accepted.',
    );
  }
  return new HttpJwtAuthorizer('Jwt', jwt.issuer, { jwtAudience: [...jwt.audience] });
}

/** The CORS options of the API: pages of these origins may send and read what the client does. */
function corsOf(allowOrigins: readonly string[]): CorsPreflightOptions {
  for (const origin of allowOrigins) {
    const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin && !origin.includes('*');
    if (origin === '*' || isOrigin) continue;
    throw new Error(
      `Expected \`allowedOrigins\` to be origins such as https://game.example, or *, got "${origin}".`,
    );
  }
  return {
    allowOrigins: [...allowOrigins],
    allowMethods: [CorsHttpMethod.GET, CorsHttpMethod.POST, CorsHttpMethod.PUT, CorsHttpMethod.DELETE],
    allowHeaders: [
      'authorization',
      'content-type',
      'if-match',
      'x-amz-content-sha256',
      'x-amz-date',
      'x-amz-security-token',
    ],
    exposeHeaders: ['etag', 'retry-after', 'x-request-id'],
    // No browser keeps it longer.
    maxAge: Duration.hours(2),
  };
}

/** The access log of a stage, in a log group of its own. */
export function accessLog(scope: Construct, stage: StagePolicy) {
  const { logRetention: retention, removalPolicy } = stage;
  const group = new LogGroup(scope, 'AccessLog', { retention, removalPolicy });
  return { destination: new LogGroupLogDestination(group), format: accessLogFormat };
}

/**
 * Describes requests without personal data: no address, no user agent, no path with ids, no body, no query, no credentials.
 */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTime',
    route: '$context.routeKey',
    status: '$context.status',
    latencyMs: '$context.responseLatency',
    integrationLatencyMs: '$context.integrationLatency',
    integrationError: '$context.integrationErrorMessage',
    authorizerError: '$context.authorizer.error',
    responseBytes: '$context.responseLength',
  }),
);
