import { CustomResource, Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { SecretGrants } from '../contract/secret-grants.ts';
import { setGameSessionQueues } from './game-lift.ts';
import { MusterFunction } from './muster-function.ts';
import { setSecretGrants } from './secrets-access.ts';
import type { StagePolicy } from './stage-policy.ts';
import type { Store } from './store.ts';

export interface QueueDefinitionsProps {
  /** The text of each definition by the queue's name; see {@link readQueueDefinitions}. */
  readonly definitions: Readonly<Record<string, string>>;
  /** The same of ladders. @default - there is no folder of ladders */
  readonly ladders?: Readonly<Record<string, string>> | undefined;
  readonly store: Store;
  /** See {@link MatchmakerProps.secretGrants}. */
  readonly secretGrants: SecretGrants;
  /** The queues of GameLift that definitions may name. */
  readonly gameSessionQueues: readonly string[];
  readonly stage: StagePolicy;
}

/** Stores the definitions of folders, of queues and ladders, on each deployment that changes them, and removes deleted ones. */
export class QueueDefinitions extends Construct {
  readonly deployQueues: MusterFunction;

  constructor(scope: Construct, id: string, props: QueueDefinitionsProps) {
    super(scope, id);
    this.deployQueues = new MusterFunction(this, 'DeployQueues', {
      name: 'deploy-queues',
      description: 'Puts the definitions of queues and ladders of a deployment in the table',
      timeout: Duration.minutes(1),
      stage: props.stage,
    });
    // A ladder is removed at once, a queue by dispatch. A ladder that a queue names is not removed.
    props.store.queues.allow(this.deployQueues, 'BatchGetItem', 'DeleteItem', 'GetItem', 'UpdateItem');
    props.store.queues.allowIndexQuery(this.deployQueues, 'items');
    setSecretGrants(this.deployQueues, props.secretGrants);
    setGameSessionQueues(this.deployQueues, props.gameSessionQueues);
    new CustomResource(this, 'Definitions', {
      resourceType: 'Custom::QueueDefinitions',
      serviceToken: this.deployQueues.functionArn,
      // Enough for the three tries that Lambda makes. By default CloudFormation waits an hour.
      serviceTimeout: Duration.minutes(6),
      // When the table is retained after the stack is deleted, its queues are retained too.
      removalPolicy: props.stage.removalPolicy,
      properties: {
        definitions: props.definitions,
        ...(props.ladders !== undefined && { ladders: props.ladders }),
      },
    });
  }
}
