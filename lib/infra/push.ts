import { type CfnApi, type CfnRoute, WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { ArnFormat, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { accessLog } from './api.ts';
import type { RequestLimit } from './limits.ts';
import { MusterFunction } from './muster-function.ts';
import { ENDED_TICKETS, readStream } from './read-stream.ts';
import type { StagePolicy } from './stage-policy.ts';
import { type Store, StoreTable, text } from './store.ts';
import type { Tick } from './tick.ts';
import { WorkQueue } from './work-queue.ts';

export interface PushProps {
  readonly store: Store;
  readonly tick: Tick;
  /** Creates tickets. Its responses contain the URL of the socket and the tokens. */
  readonly enqueue: MusterFunction;
  /** The number of the key that signs tokens; see {@link MatchmakerProps.pushKey}. */
  readonly keyNumber: number;
  /** The limit of connections and frames together. */
  readonly requests: RequestLimit;
  /** See {@link MatchmakerProps.socketLog}. */
  readonly socketLog: boolean;
  readonly stage: StagePolicy;
}

/**
 * The sockets on which game clients watch their tickets: a WebSocket API, the table of its connections, and the keys of the
 * tokens that clients connect with.
 */
export class Push extends Construct {
  readonly authorize: MusterFunction;
  readonly sockets: MusterFunction;
  /** Sends changes. It is a second reader of the streams, so that slow connections delay no event. */
  readonly push: MusterFunction;
  /** The SQS queue of players who could not be reached. Its dead letters are also those of the streams. */
  readonly retries: WorkQueue;
  /** Connections by `ticketId` and `connectionId`. */
  readonly connections: StoreTable;
  readonly stage: WebSocketStage;
  readonly #props: PushProps;
  readonly #api: WebSocketApi;

  constructor(scope: Construct, id: string, props: PushProps) {
    super(scope, id);
    this.#props = props;
    this.connections = new StoreTable(this, 'Connections', props.stage, {
      partitionKey: text('ticketId'),
      sortKey: text('connectionId'),
      dynamoStream: StreamViewType.NEW_IMAGE,
    });
    this.authorize = this.#authorize();
    this.sockets = this.#sockets();
    this.push = this.#push();
    this.retries = this.#retries();
    this.#api = this.#webSocketApi();
    this.stage = this.#stage();
    this.#readStreams();
    this.#allowCommands(this.push, ['POST', 'DELETE']);
    this.#allowCommands(this.sockets, ['POST', 'GET', 'DELETE']);
    // It asks players whose ping is missing for a ping.
    this.#allowCommands(props.tick.tick, ['POST']);
    props.enqueue.addEnvironment('SOCKETS_URL', this.url);
    this.#allowKeys([props.enqueue, this.authorize]);
  }

  /** The URL that clients open, with `?token=TOKEN`. */
  get url(): string {
    return `${this.#api.apiEndpoint}/${STAGE}`;
  }

  #authorize(): MusterFunction {
    return new MusterFunction(this, 'Authorize', {
      name: 'authorize',
      description: 'Lets a game client connect whose token is valid',
      // It verifies one signature.
      memorySizeMb: 256,
      stage: this.#props.stage,
    });
  }

  #sockets(): MusterFunction {
    const { store, tick, stage } = this.#props;
    const fn = new MusterFunction(this, 'Sockets', {
      name: 'sockets',
      description: 'Connects game clients, sends them their ticket as it is, and does what they ask for',
      timeout: Duration.seconds(15),
      stage,
    });
    this.connections.allow(fn, 'PutItem', 'UpdateItem', 'Query', 'DeleteItem');
    store.allowTicketChanges(fn);
    tick.queue.allowSend(fn);
    return fn;
  }

  #push(): MusterFunction {
    const { store, stage } = this.#props;
    const fn = new MusterFunction(this, 'Push', {
      name: 'push',
      description: 'Sends each change of a watched ticket or match to the sockets of its players',
      timeout: Duration.seconds(15),
      // A message takes half a millisecond of a whole processor.
      memorySizeMb: 1024,
      stage,
    });
    this.connections.allow(fn, 'Query', 'DeleteItem');
    store.queues.allow(fn, 'GetItem');
    store.tickets.allow(fn, 'GetItem');
    store.matches.allow(fn, 'GetItem');
    return fn;
  }

  #retries(): WorkQueue {
    const retries = new WorkQueue(this, 'Retries', {
      consumer: this.push,
      variable: 'PUSH_RETRIES_URL',
      batchSize: 10,
      // A message ends after a minute, or with the acceptance of its match: some 60 tries in 15 minutes. The other receives are
      // for messages that Lambda has no concurrency for.
      maxReceiveCount: 120,
      maxConcurrency: RETRIES_CONCURRENCY,
    });
    for (const fn of [this.push, this.sockets]) retries.allowSend(fn);
    retries.allowPostpone(this.push);
    return retries;
  }

  #webSocketApi(): WebSocketApi {
    const integration = (id: string) => new WebSocketLambdaIntegration(id, this.sockets);
    const authorizer = new WebSocketLambdaAuthorizer('Token', this.authorize, {
      identitySource: ['route.request.querystring.token'],
    });
    const api = new WebSocketApi(this, 'Api', {
      apiName: `${Stack.of(this).stackName}-push`,
      description: 'Sends game clients the changes of their tickets',
      connectRouteOptions: { integration: integration('Connect'), authorizer },
      disconnectRouteOptions: { integration: integration('Disconnect') },
      defaultRouteOptions: { integration: integration('Frame') },
    });
    for (const name of ['$disconnect-Route', '$default-Route']) {
      Validations.of(api.node.findChild(name).node.defaultChild as CfnRoute).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason: 'API Gateway authorizes a connection once, by the route $connect, for all of its frames.',
      });
    }
    return api;
  }

  #stage(): WebSocketStage {
    const { requests, socketLog, stage } = this.#props;
    const live = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.#api,
      stageName: STAGE,
      autoDeploy: true,
      throttle: { rateLimit: requests.perSecond, burstLimit: requests.burst },
      ...(socketLog && { accessLogSettings: accessLog(this, stage) }),
    });
    if (!socketLog) {
      Validations.of(live).acknowledge({
        id: 'AwsSolutions-APIG1',
        reason:
          'AWS refuses the access log of a WebSocket stage in an account whose API Gateway has no role for CloudWatch. The option `socketLog` switches it on.',
      });
    }
    return live;
  }

  #readStreams(): void {
    const { tickets, matches } = this.#props.store;
    const changes = {
      fn: this.push,
      events: ['INSERT', 'MODIFY'],
      reportsFailures: false,
      deadLetters: this.retries.deadLetters,
      startingPosition: StartingPosition.TRIM_HORIZON,
      // The quota of requests is shared with the HTTP API, so higher concurrency would throttle its requests.
      parallelizationFactor: 1,
      // A failing record blocks its shard, so retries are limited.
      retryAttempts: 50,
    } as const;
    readStream(this, 'TicketsStream', { ...changes, table: tickets, images: [ENDED_TICKETS] });
    readStream(this, 'MatchesStream', { ...changes, table: matches });
    // Each new connection gets its ticket. The client connects again if that fails for too long.
    readStream(this, 'NewConnections', {
      fn: this.sockets,
      table: this.connections,
      events: ['INSERT'],
      reportsFailures: true,
      // With LATEST, connections would be missed that open before Lambda begins to read, which takes minutes.
      startingPosition: StartingPosition.TRIM_HORIZON,
      // Connections of different tickets do not wait for each other.
      parallelizationFactor: 10,
      retryAttempts: 3,
      maxRecordAge: Duration.minutes(1),
    });
  }

  /** Lets a function send messages to connections (POST), check whether they are open (GET), and close them (DELETE). */
  #allowCommands(fn: MusterFunction, methods: readonly ('POST' | 'GET' | 'DELETE')[]): void {
    fn.addEnvironment('SOCKETS_URL', this.url);
    const stack = Stack.of(this);
    const arns = methods.map((method) =>
      stack.formatArn({
        service: 'execute-api',
        resource: this.#api.apiId,
        resourceName: `${STAGE}/${method}/@connections/*`,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      }),
    );
    fn.permit('execute-api', ['ManageConnections'], arns);
    const api = stack.getLogicalId(this.#api.node.defaultChild as CfnApi);
    for (const method of methods)
      Validations.of(fn.role!).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<${api}>/${STAGE}/${method}/@connections/*]`,
        reason: 'Connections have their ids from API Gateway, when they are made.',
      });
  }

  /**
   * The key that signs, and the previous one, which still verifies. A key is created by its first deployment and never changes.
   */
  #allowKeys(fns: readonly MusterFunction[]): void {
    const { keyNumber } = this.#props;
    const keys = [keyNumber, keyNumber - 1]
      .filter((number) => number > 0)
      .map((number) => {
        const secret = new Secret(this, `Key${number}`, {
          description: 'Signs the tokens with which players watch their tickets',
          generateSecretString: { passwordLength: 64, excludePunctuation: true },
          removalPolicy: RemovalPolicy.DESTROY,
        });
        Validations.of(secret).acknowledge({
          id: 'AwsSolutions-SMG4',
          reason: 'The option `pushKey` rotates it by a second key, so that tokens in use stay valid.',
        });
        return { keyId: String(number), secretArn: secret.secretArn };
      });
    for (const fn of fns) {
      fn.addEnvironment('PLAYER_KEYS', Stack.of(this).toJsonString(keys));
      const arns = keys.map(({ secretArn }) => secretArn);
      fn.permit('secretsmanager', ['GetSecretValue'], arns);
    }
  }
}

/** The maximum of concurrent invocations that send retries. The rest of the concurrency of `push` is for the streams. */
const RETRIES_CONCURRENCY = 5;
/** The name of the stage, a part of the URL. */
const STAGE = 'live';
