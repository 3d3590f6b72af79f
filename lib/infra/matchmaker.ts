import { Duration, Token } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { queueName } from '../contract/queue-definition.ts';
import type { SecretGrants } from '../contract/secret-grants.ts';
import { Api, type JwtOptions } from './api.ts';
import { FanOut } from './fan-out.ts';
import { Intake } from './intake.ts';
import { type LimitProps, limitsOf } from './limits.ts';
import { Observability } from './observability.ts';
import { QueueDefinitions } from './queue-definitions.ts';
import { parseSecretGrants } from './secrets-access.ts';
import { type Stage, stagePolicy } from './stage-policy.ts';
import { Store } from './store.ts';
import { Tick } from './tick.ts';

export interface MatchmakerProps extends LimitProps {
  /**
   * `dev`: everything goes with the stack. `prod`: tables and logs stay, tables are protected from deletion.
   * @default 'dev'
   */
  readonly stage?: Stage | undefined;
  /**
   * A folder of queue definitions (`*.json`, one each), put in the table on deployment. A file removed removes its queue.
   * @default - none; put them with `PUT /queues/{queue}`
   */
  readonly queues?: string | undefined;
  /**
   * Accept tokens of this issuer in place of requests signed with AWS credentials. A token carries `muster/player`,
   * `muster/backend` or `muster/admin` in its `scope` or `scp`; the `sub` of a player is the `playerId`.
   * @default - requests are signed with AWS credentials (IAM); see {@link Matchmaker.grantBackend}
   */
  readonly jwt?: JwtOptions | undefined;
  /**
   * What the names of the secrets in Secrets Manager begin with that queue definitions may use: the secret NAME of a
   * definition is the secret `<secretsPrefix>NAME`. Not empty.
   * @default 'muster/'
   */
  readonly secretsPrefix?: string | undefined;
  /**
   * Which queues may use a secret whose name begins neither with the queue's name and a slash (`arena/…`) nor with
   * `shared/`: names of queues by the name of the secret, without the prefix. `*` stands for every queue, or for every
   * secret. At most 2,000 bytes of JSON.
   * @default - none: a queue uses its own secrets and the shared ones
   */
  readonly secretGrants?: SecretGrants | undefined;
  /**
   * ARNs of the KMS keys that encrypt these secrets, where they are keys of your own: the functions that read secrets may
   * then decrypt with them, by way of Secrets Manager only. The key's policy must let the account's IAM policies decide.
   * @default - none: Secrets Manager's own key, `aws/secretsmanager`, needs no right
   */
  readonly secretsKeys?: readonly string[] | undefined;
  /**
   * A topic that is told when an alarm goes off, and when it is over.
   * @default - alarms are only shown
   */
  readonly alarmTopic?: ITopic | undefined;
}

/**
 * A team matchmaker: an HTTP API that takes tickets, the search that matches them, and a bus that tells of it.
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
  /** The API's URL, without a slash at its end. */
  readonly apiUrl: string;
  readonly api: HttpApi;
  /** Carries every event, source `muster`, detail types `TicketQueued`, `MatchFound` and so on. */
  readonly bus: EventBus;
  readonly tables: {
    readonly tickets: TableV2;
    readonly matches: TableV2;
    readonly queues: TableV2;
    readonly ranges: TableV2;
  };
  readonly dashboard: Dashboard;
  readonly #routes: Api;

  /** Throws when a property is out of range or a queue definition is not valid. */
  constructor(scope: Construct, id: string, props: MatchmakerProps = {}) {
    super(scope, id);
    const stage = stagePolicy(props.stage ?? 'dev');
    const limits = limitsOf(props);
    const secretsPrefix = props.secretsPrefix ?? 'muster/';
    if (secretsPrefix === '') {
      throw new Error(
        'Expected `secretsPrefix` to be at least one character, got "": every secret would be readable.',
      );
    }

    const grants = parseSecretGrants(props.secretGrants ?? {});
    const secrets = { prefix: secretsPrefix, keys: checkedKeys(props.secretsKeys ?? []), grants };

    const store = new Store(this, 'Store', { stage });
    const tick = new Tick(this, 'Tick', { store, stage, limits });
    const api = new Api(this, 'Api', { jwt: props.jwt, requests: limits.requests, stage });
    const intake = new Intake(this, 'Intake', { api, store, tick, secretGrants: grants, limits, stage });
    const fanOut = new FanOut(this, 'FanOut', { store, tick, secrets, limits, stage });
    if (props.queues !== undefined) {
      new QueueDefinitions(this, 'QueueDefinitions', {
        dir: props.queues,
        store,
        secretGrants: grants,
        stage,
      });
    }
    const observability = new Observability(this, 'Observability', {
      stage: api.stage,
      dispatch: tick.dispatch,
      tick: tick.tick,
      publish: fanOut.publish,
      enqueue: intake.enqueue,
      tables: { Tickets: store.tickets, Matches: store.matches, Queues: store.queues, Ranges: store.ranges },
      queues: {
        Notify: { queue: fanOut.notify.queue.queue, ageMax: Duration.minutes(5) },
        Provision: { queue: fanOut.provision.queue.queue, ageMax: Duration.minutes(2) },
        // A message is delayed by 15 minutes at most, until its match's time is up.
        Deadline: { queue: fanOut.deadline.queue.queue, ageMax: Duration.minutes(20) },
      },
      functions: [
        intake.enqueue,
        intake.tickets,
        intake.ticketChanges,
        intake.matches,
        intake.queues,
        intake.dryRun,
        intake.meta,
        tick.dispatch,
        tick.tick,
        fanOut.publish,
        fanOut.notify.fn,
        fanOut.provision.fn,
        fanOut.deadline.fn,
      ],
      deadLetters: {
        Tick: tick.queue.deadLetters,
        PublishTickets: fanOut.unpublished.tickets,
        PublishMatches: fanOut.unpublished.matches,
        Notify: fanOut.notify.queue.deadLetters,
        Provision: fanOut.provision.queue.deadLetters,
        Deadline: fanOut.deadline.queue.deadLetters,
      },
      alarmTopic: props.alarmTopic,
    });

    this.#routes = api;
    this.api = api.http;
    this.apiUrl = api.url;
    this.bus = fanOut.bus;
    const { tickets, matches, queues, ranges } = store;
    this.tables = { tickets, matches, queues, ranges };
    this.dashboard = observability.dashboard;
  }

  /**
   * Lets a role or user of AWS do what a game backend does: tickets, matches, assignments, statistics and dry runs. Not
   * the queue definitions. Of no use with `jwt`.
   */
  grantBackend(grantee: IGrantable): Grant {
    return grantInvoke(grantee, this.#routes.arnsOf('backend'));
  }

  /**
   * Lets a role or user of AWS read, put and delete queue definitions, and see the queues' statistics. Of no use with
   * `jwt`.
   * @param queues the only queues for which it holds; left out: all, and the list of all
   */
  grantAdmin(grantee: IGrantable, ...queues: readonly string[]): Grant {
    const arns =
      queues.length === 0
        ? this.#routes.arnsOf('admin')
        : queues.flatMap((queue) => this.#routes.arnsOf('admin', checkedName(queue)));
    return grantInvoke(grantee, arns);
  }
}

function grantInvoke(grantee: IGrantable, resourceArns: string[]): Grant {
  return Grant.addToPrincipal({ grantee, actions: ['execute-api:Invoke'], resourceArns });
}

/** A name with a `*` in it would be more queues than one. */
function checkedName(queue: string): string {
  if (queueName.safeParse(queue).success) return queue;
  throw new Error(`Expected the name of a queue, got ${JSON.stringify(queue)}.`);
}

function checkedKeys(arns: readonly string[]): readonly string[] {
  for (const arn of arns) {
    if (!Token.isUnresolved(arn) && !/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/.test(arn)) {
      throw new Error(`Expected \`secretsKeys\` to be ARNs of KMS keys (arn:aws:kms:…:key/…), got "${arn}".`);
    }
  }
  return arns;
}
