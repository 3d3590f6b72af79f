import { Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnRoute,
  type CfnStage,
  HttpApi,
  type HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  type HttpRouteKey,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { RequestLimit } from './limits.ts';
import type { MusterFunction } from './muster-function.ts';
import type { StagePolicy } from './stage-policy.ts';

/** Who issues the tokens that callers bring, in place of AWS credentials. */
export interface JwtOptions {
  /** The `iss` of a token, an https URL under which `/.well-known/openid-configuration` is found. */
  readonly issuer: string;
  /** One of these must be in the `aud` (or be the `client_id`) of a token. At least one. */
  readonly audience: readonly string[];
}

export interface ApiProps {
  /**
   * Accept tokens of this issuer.
   * @default - requests are signed with AWS credentials (IAM)
   */
  readonly jwt?: JwtOptions | undefined;
  /** For each route that asks for credentials. */
  readonly requests: RequestLimit;
  readonly stage: StagePolicy;
}

/**
 * The HTTP API: one stage at the root, with an access log. Every route is closed unless opened by name; one that is
 * open lets few requests through.
 */
export class Api extends Construct {
  readonly http: HttpApi;
  readonly stage: HttpStage;
  readonly #integrations = new Map<MusterFunction, HttpLambdaIntegration>();

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    this.http = new HttpApi(this, 'Http', {
      apiName: Stack.of(this).stackName,
      description: 'Muster: tickets in, matches out',
      createDefaultStage: false,
      defaultAuthorizer: authorizer(props.jwt),
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: props.requests.perSecond, burstLimit: props.requests.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', {
            retention: props.stage.logRetention,
            removalPolicy: props.stage.removalPolicy,
          }),
        ),
        format: accessLogFormat,
      },
    });
  }

  /** The URL all paths begin with, without a slash at its end. */
  get url(): string {
    return this.http.apiEndpoint;
  }

  /** Brings requests of these methods and this path to the function, if their caller is authorized. */
  route(fn: MusterFunction, path: string, ...methods: readonly [HttpMethod, ...HttpMethod[]]): void {
    this.http.addRoutes({ path, methods: [...methods], integration: this.#integration(fn) });
  }

  /**
   * Brings requests to the function whoever calls, {@link openRequests} at most; `key` is a path to GET, or the API's
   * default route.
   */
  openRoute(fn: MusterFunction, id: string, key: HttpRouteKey, reason: string): void {
    const route = new HttpRoute(this, id, {
      httpApi: this.http,
      routeKey: key,
      integration: this.#integration(fn),
      authorizer: new HttpNoneAuthorizer(),
    });
    Validations.of(route).acknowledge({ id: 'AwsSolutions-APIG4', reason });
    this.#limit(route, key, openRequests);
  }

  /** The limit of one route, in place of the stage's. */
  #limit(route: HttpRoute, key: HttpRouteKey, { perSecond, burst }: RequestLimit): void {
    const stage = this.stage.node.defaultChild as CfnStage;
    stage.routeSettings = {
      ...stage.routeSettings,
      [key.key]: { ThrottlingRateLimit: perSecond, ThrottlingBurstLimit: burst },
    };
    // A stage that is told of a route that is not there yet is refused.
    stage.addResourceDependency(route.node.defaultChild as CfnRoute);
  }

  /** One integration for all routes of a function. */
  #integration(fn: MusterFunction): HttpLambdaIntegration {
    const integration = this.#integrations.get(fn) ?? new HttpLambdaIntegration(`${fn.name}Integration`, fn);
    this.#integrations.set(fn, integration);
    return integration;
  }
}

/** Anybody can call an open route, and each call is an invocation: enough for monitors, too few to harm. */
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

/** What one may want to know of a request without knowing its players: no body, no query, no credentials. */
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
    ip: '$context.identity.sourceIp',
    userAgent: '$context.identity.userAgent',
    responseBytes: '$context.responseLength',
  }),
);
