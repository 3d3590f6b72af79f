import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Duration, Token } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { queueName } from '../contract/queue-definition.ts';
import type { SecretGrants } from '../contract/secret-grants.ts';
import { type BundledModule, bundleCode } from '../rules/custom/bundle.ts';
import { Api, type JwtOptions } from './api.ts';
import { type DefinitionTexts, readLadderDefinitions, readQueueDefinitions } from './definition-folders.ts';
import { FanOut } from './fan-out.ts';
import { GameLift, gameSessionQueuesOf } from './game-lift.ts';
import { Intake } from './intake.ts';
import { type LimitProps, limitsOf, share, whole } from './limits.ts';
import { Observability, type ObservabilityProps } from './observability.ts';
import { Push, type PushProps } from './push.ts';
import { QueueDefinitions } from './queue-definitions.ts';
import { parseSecretGrants } from './secrets-access.ts';
import { type Stage, stagePolicy } from './stage-policy.ts';
import { Store } from './store.ts';
import { Tick } from './tick.ts';
import { allowCount } from './work-queue.ts';

export interface MatchmakerProps extends LimitProps {
  /**
   * `dev`: everything is deleted with the stack. `prod`: tables and logs are retained, and tables are protected from
   * deletion.
   * @default 'dev'
   */
  readonly stage?: Stage | undefined;
  /**
   * A folder of queue definitions (`*.json`, one each), which a deployment stores. Removing a file removes its queue.
   * @default - none; create queues with `PUT /queues/{queue}`
   */
  readonly queues?: string | undefined;
  /**
   * A folder of ladder definitions (`*.json`, one each), which a deployment stores before the queues that name them. Removing a
   * file removes its ladder, which no queue may name then. Has no effect without `queues`.
   * @default - none; create ladders with `PUT /ladders/{ladder}`
   */
  readonly ladders?: string | undefined;
  /**
   * The studio's module with the functions of custom rules and costs, in TypeScript or JavaScript. It is bundled into the functions
   * that search. Needs the package esbuild.
   * @default - none: no definition may have a rule of type `custom`
   */
  readonly code?: string | undefined;
  /**
   * Accept tokens of this issuer instead of requests signed with AWS credentials. A token carries `muster/player`,
   * `muster/backend` or `muster/admin` in its `scope` or `scp`; the `sub` of a player is the `playerId`.
   * @default - requests are signed with AWS credentials (IAM); see {@link Matchmaker.grantBackend}
   */
  readonly jwt?: JwtOptions | undefined;
  /**
   * The origins of pages whose scripts may call the API from a browser, such as `https://game.example`; `*` means all.
   * @default - none: browsers let no page read its responses
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * The prefix of secrets in Secrets Manager that queue definitions may use: the secret NAME of a definition is the secret
   * `<secretsPrefix>NAME`. Not empty.
   * @default 'muster/'
   */
  readonly secretsPrefix?: string | undefined;
  /**
   * The queues that may use a secret whose name starts neither with the queue's name and a slash (`arena/…`) nor with
   * `shared/`: names of queues by the name of the secret, without the prefix. `*` means every queue, or every secret.
   * With `gameSessionQueues` about 1,600 bytes: the synthesis fails when the environment of a function exceeds 4 KB.
   * @default - none: a queue may use its own secrets and the shared ones
   */
  readonly secretGrants?: SecretGrants | undefined;
  /**
   * ARNs of your own KMS keys that encrypt these secrets. The functions that read secrets may then decrypt with these
   * keys, only through Secrets Manager. The key policy must delegate to the account's IAM policies.
   * @default - none: Secrets Manager's own key, `aws/secretsmanager`, needs no permission
   */
  readonly secretsKeys?: readonly string[] | undefined;
  /**
   * The queues of Amazon GameLift Servers, by name or ARN, that queue definitions may name besides those that the
   * definitions in `queues` name. The deployment may start placements with these queues only.
   * @default - those of the definitions in `queues`; without any, nothing of GameLift is deployed
   */
  readonly gameSessionQueues?: readonly string[] | undefined;
  /**
   * Whether the API logs every request, about 400 bytes. Without the log, the routes behind an `ApiFails`
   * alarm are unknown; the functions log their errors in any case.
   * @default true
   */
  readonly accessLog?: boolean | undefined;
  /**
   * Whether Lambda logs the start and the report (duration, memory) of every invocation, about 450 bytes. Invocations that
   * fail are always reported, and the metrics have the durations.
   * @default false
   */
  readonly invocationLog?: boolean | undefined;
  /**
   * The share of the matches of a queue that may fail to be accepted, or to be placed, before the alarm `QueueFailing`,
   * the log and the console report it. Above 0 to 1.
   * @default 0.25
   */
  readonly failedShare?: number | undefined;
  /**
   * Whether game clients can watch their tickets over a WebSocket API, with the tokens in the answers to posted tickets.
   * Without it, nothing of it is deployed, and definitions may not say `presence.required`.
   * A stack has 500 resources at most, so of two in one stack only one can have it.
   * @default true
   */
  readonly push?: boolean | undefined;
  /**
   * The number of the key that signs these tokens, from 1. To rotate the key, deploy the next number: a new key signs, and the
   * tokens of the one before stay valid. Deploy the next number no sooner than two days later.
   * @default 1
   */
  readonly pushKey?: number | undefined;
  /**
   * Whether the WebSocket API of `push` logs connections and frames. AWS refuses the whole deployment if API Gateway has no
   * role for CloudWatch in the account and region; docs/deploy.md has the commands that make one. An HTTP API needs none.
   * @default false
   */
  readonly socketLog?: boolean | undefined;
  /**
   * A topic that is notified when an alarm starts and ends.
   * @default - alarms send no notifications
   */
  readonly alarmTopic?: ITopic | undefined;
}

/**
 * A team matchmaker: an HTTP API for tickets, the search that matches them, and a bus with their events.
 *
 * @example
 * ```ts no-run
 * import { App, Stack } from 'aws-cdk-lib';
 * import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
 * import { Matchmaker } from './matchmaker.ts';
 *
 * const stack = new Stack(new App(), 'Studio');
 * const gameBackend = new Role(stack, 'Backend', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
 * const matchmaker = new Matchmaker(stack, 'Matchmaker', { stage: 'prod', queues: 'queues' });
 * matchmaker.grantBackend(gameBackend);
 * ```
 */
export class Matchmaker extends Construct {
  /** The API's URL, without a trailing slash. */
  readonly apiUrl: string;
  readonly api: HttpApi;
  /** The URL on which game clients watch their tickets; undefined without `push`. */
  readonly socketUrl: string | undefined;
  /** The bus of all events, with source `muster` and detail types such as `TicketQueued` and `MatchFound`. */
  readonly bus: EventBus;
  readonly tables: Readonly<
    Record<'tickets' | 'entries' | 'matches' | 'queues' | 'ranges' | 'receivers' | 'ratings', TableV2>
  >;
  readonly dashboard: Dashboard;
  readonly #routes: Api;

  /** Throws when a property is out of range or a queue definition is invalid. */
  constructor(scope: Construct, id: string, props: MatchmakerProps = {}) {
    super(scope, id);
    const stage = stagePolicy(props.stage ?? 'dev', { invocationLog: props.invocationLog });
    const limits = limitsOf(props);
    const failedShare = share('failedShare', props.failedShare) ?? 0.25;
    const grants = parseSecretGrants(props.secretGrants ?? {});
    const prefix = checkedPrefix(props.secretsPrefix ?? 'muster/');
    const secrets = { prefix, keys: checkedKeys(props.secretsKeys ?? []), grants };

    const code = props.code === undefined ? undefined : bundleCode(props.code);
    const store = new Store(this, 'Store', { stage });
    const tick = new Tick(this, 'Tick', { store, stage, limits, code });
    const api = new Api(this, 'Api', {
      jwt: props.jwt,
      requests: limits.requests,
      allowedOrigins: props.allowedOrigins ?? [],
      accessLog: props.accessLog ?? true,
      stage,
    });
    const { definitions, ladders } = foldersOf(props, grants, code);
    const gameSessionQueues = gameSessionQueuesOf(definitions, props.gameSessionQueues ?? []);
    const rules = { secretGrants: grants, gameSessionQueues, push: props.push ?? true, code };
    const intake = new Intake(this, 'Intake', { ...rules, api, store, tick, limits, failedShare, stage });
    const fanOut = new FanOut(this, 'FanOut', { store, tick, secrets, limits, failedShare, stage });
    api.serve(fanOut.notify.fn);
    if (props.queues !== undefined) {
      const searching = [tick.tick, intake.tickets, intake.dryRun];
      const put = { ...rules, definitions, ladders, searching };
      new QueueDefinitions(this, 'QueueDefinitions', { ...put, store, stage });
    }
    const placing = { bus: fanOut.bus, store, gameSessionQueues, limits, failedShare, stage };
    const gameLift = gameSessionQueues.length > 0 ? new GameLift(this, 'GameLift', placing) : undefined;
    const push = pushOf(this, props, { store, tick, intake, requests: limits.requests, stage });
    const parts = { api, store, tick, intake, fanOut, gameLift, push };
    allowCount(intake.queues, deadLettersOf(parts));
    const observability = new Observability(this, 'Observability', {
      ...observed(parts),
      alarmTopic: props.alarmTopic,
    });

    this.#routes = api;
    this.api = api.http;
    this.apiUrl = api.url;
    this.socketUrl = push?.url;
    this.bus = fanOut.bus;
    const { tickets, entries, matches, queues, ranges, receivers, ratings } = store;
    this.tables = { tickets, entries, matches, queues, ranges, receivers, ratings };
    this.dashboard = observability.dashboard;
  }

  /**
   * Lets an AWS role or user call the routes of a game backend: tickets, matches, assignments, statistics and dry runs,
   * but not queue definitions. Has no effect with `jwt`.
   */
  grantBackend(grantee: IGrantable): Grant {
    return grantInvoke(grantee, this.#routes.arnsOf('backend'));
  }

  /**
   * Lets an AWS role or user read, put and delete queue definitions, and read the queues' statistics. Has no effect with
   * `jwt`.
   * @param queues limits the grant to these queues; when omitted, it covers all queues and their list
   */
  grantAdmin(grantee: IGrantable, ...queues: readonly string[]): Grant {
    const arns =
      queues.length === 0
        ? this.#routes.arnsOf('admin')
        : queues.flatMap((queue) => this.#routes.arnsOf('admin', checkedName(queue)));
    return grantInvoke(grantee, arns);
  }
}

/** The definitions of the folders. Throws when one is invalid. */
function foldersOf(
  { queues, push, stage, ...props }: MatchmakerProps,
  grants: SecretGrants,
  code: BundledModule | undefined,
): { definitions: DefinitionTexts; ladders: DefinitionTexts | undefined } {
  const ladders = props.ladders === undefined ? undefined : readLadderDefinitions(props.ladders);
  if (queues === undefined) return { definitions: {}, ladders };
  const functions = code?.code.names;
  const isPublic = stage === 'prod';
  return {
    definitions: readQueueDefinitions(queues, grants, { isPublic, ladders, push, functions }),
    ladders,
  };
}

/** The sockets; undefined without `push`. */
function pushOf(
  scope: Construct,
  { push = true, pushKey, socketLog = false }: MatchmakerProps,
  { intake, ...parts }: Pick<PushProps, 'store' | 'tick' | 'requests' | 'stage'> & Pick<Parts, 'intake'>,
): Push | undefined {
  const keyNumber = whole('pushKey', pushKey, 1) ?? 1;
  if (!push) return undefined;
  return new Push(scope, 'Push', { ...parts, enqueue: intake.enqueue, keyNumber, socketLog });
}

/** The parts of a deployment. */
interface Parts {
  readonly api: Api;
  readonly store: Store;
  readonly tick: Tick;
  readonly intake: Intake;
  readonly fanOut: FanOut;
  readonly gameLift: GameLift | undefined;
  readonly push: Push | undefined;
}

/** The dead letters of each consumer, by its name. */
function deadLettersOf({ tick, fanOut, gameLift, push }: Parts) {
  return {
    Tick: tick.queue.deadLetters,
    PublishTickets: fanOut.unpublished.tickets,
    PublishMatches: fanOut.unpublished.matches,
    Notify: fanOut.notify.queue.deadLetters,
    Provision: fanOut.provision.queue.deadLetters,
    Deadline: fanOut.deadline.queue.deadLetters,
    Rate: fanOut.rate.queue.deadLetters,
    ...(gameLift && { ProvisionGameLift: gameLift.provision.queue.deadLetters }),
    ...(push && { Push: push.retries.deadLetters }),
  };
}

/** The resources that the dashboard shows and the alarms watch. */
function observed(parts: Parts): ObservabilityProps {
  const { api, store, tick, intake, fanOut, gameLift, push } = parts;
  return {
    stage: api.stage,
    dispatch: tick.dispatch,
    tick: tick.tick,
    publish: fanOut.publish,
    enqueue: intake.enqueue,
    sockets: push?.sockets,
    push: push?.push,
    tables: {
      Tickets: store.tickets,
      Matches: store.matches,
      Queues: store.queues,
      Ranges: store.ranges,
      Receivers: store.receivers,
      Ratings: store.ratings,
      ...(push && { Connections: push.connections }),
    },
    queues: {
      Notify: { queue: fanOut.notify.queue.queue, ageMax: Duration.minutes(5) },
      Provision: { queue: fanOut.provision.queue.queue, ageMax: Duration.minutes(2) },
      // A message is delayed by 15 minutes at most, until the deadline of its match.
      Deadline: { queue: fanOut.deadline.queue.queue, ageMax: Duration.minutes(20) },
      Rate: { queue: fanOut.rate.queue.queue, ageMax: Duration.minutes(5) },
      // A message stays until its placement has ended, at most an hour.
      ...(gameLift && {
        ProvisionGameLift: { queue: gameLift.provision.queue.queue, ageMax: Duration.minutes(75) },
      }),
    },
    functions: [
      intake.enqueue,
      intake.tickets,
      intake.ticketChanges,
      intake.matches,
      intake.queues,
      intake.players,
      intake.dryRun,
      intake.meta,
      tick.dispatch,
      tick.tick,
      fanOut.publish,
      fanOut.notify.fn,
      fanOut.provision.fn,
      fanOut.deadline.fn,
      fanOut.rate.fn,
      ...(gameLift ? [gameLift.provision.fn] : []),
      ...(push ? [push.authorize, push.sockets, push.push] : []),
    ],
    deadLetters: deadLettersOf(parts),
  };
}

function grantInvoke(grantee: IGrantable, resourceArns: string[]): Grant {
  return Grant.addToPrincipal({ grantee, actions: ['execute-api:Invoke'], resourceArns });
}

/** Rejects a name with a `*`, which would match more than one queue. */
function checkedName(queue: string): string {
  if (queueName.safeParse(queue).success) return queue;
  throw new Error(`Expected the name of a queue, got ${JSON.stringify(queue)}.`);
}

function checkedPrefix(prefix: string): string {
  if (prefix !== '') return prefix;
  throw new Error(
    'Expected `secretsPrefix` to be at least one character, got "": every secret would be readable.',
  );
}

function checkedKeys(arns: readonly string[]): readonly string[] {
  for (const arn of arns) {
    if (!Token.isUnresolved(arn) && !/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/.test(arn)) {
      throw new Error(`Expected \`secretsKeys\` to be ARNs of KMS keys (arn:aws:kms:…:key/…), got "${arn}".`);
    }
  }
  return arns;
}
