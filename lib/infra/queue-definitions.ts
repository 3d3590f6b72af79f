import { CustomResource, Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { parseLadderDefinition } from '../contract/ladder.ts';
import { parseQueueDefinition } from '../contract/queue-definition.ts';
import type { SecretGrants } from '../contract/secret-grants.ts';
import type { BundledModule } from '../rules/custom/bundle.ts';
import { digestOf } from '../service/domain/stored-definition.ts';
import type { DefinitionTexts } from './definition-folders.ts';
import { setGameSessionQueues } from './game-lift.ts';
import { MusterFunction, setCustomFunctions } from './muster-function.ts';
import { setSecretGrants } from './secrets-access.ts';
import type { StagePolicy } from './stage-policy.ts';
import type { Store } from './store.ts';

export interface QueueDefinitionsProps {
  /** The text of each definition by the queue's name; see {@link readQueueDefinitions}. */
  readonly definitions: Readonly<DefinitionTexts>;
  /** The same of ladders. @default - there is no folder of ladders */
  readonly ladders?: Readonly<DefinitionTexts> | undefined;
  readonly store: Store;
  /** See {@link MatchmakerProps.secretGrants}. */
  readonly secretGrants: SecretGrants;
  /** The queues of GameLift that definitions may name. */
  readonly gameSessionQueues: readonly string[];
  /** See {@link MatchmakerProps.push}. */
  readonly push: boolean;
  readonly code: BundledModule | undefined;
  /** The functions that have it. */
  readonly searching: readonly MusterFunction[];
  readonly stage: StagePolicy;
}

/**
 * The maximum of definitions of a kind. CloudFormation sends the function their names and digests, for this deployment and the
 * previous one, in an event of 256 KB at most.
 */
const DEFINITIONS_MAX = 500;

/**
 * Stores the definitions in the folders of queues and ladders on each deployment that changes them, and removes deleted ones. The
 * definitions are a part of the function's code, because they do not fit into an event.
 */
export class QueueDefinitions extends Construct {
  readonly deployQueues: MusterFunction;

  constructor(scope: Construct, id: string, props: QueueDefinitionsProps) {
    super(scope, id);
    const files = {
      queue: props.definitions,
      ...(props.ladders !== undefined && { ladder: props.ladders }),
    };
    this.deployQueues = new MusterFunction(this, 'DeployQueues', {
      name: 'deploy-queues',
      description: 'Puts the definitions of queues and ladders of a deployment in the table',
      timeout: Duration.minutes(1),
      files: { 'definitions.json': JSON.stringify(files) },
      stage: props.stage,
    });
    // A ladder is removed immediately, a queue by dispatch. A ladder that a queue names is not removed.
    props.store.queues.allow(this.deployQueues, 'BatchGetItem', 'DeleteItem', 'GetItem', 'UpdateItem');
    props.store.queues.allowIndexQuery(this.deployQueues, 'items');
    setSecretGrants(this.deployQueues, props.secretGrants);
    setGameSessionQueues(this.deployQueues, props.gameSessionQueues);
    this.deployQueues.addEnvironment('PUSH', String(props.push));
    setCustomFunctions(this.deployQueues, props.code);
    const definitions = new CustomResource(this, 'Definitions', {
      resourceType: 'Custom::QueueDefinitions',
      serviceToken: this.deployQueues.functionArn,
      // Enough for the three tries that Lambda makes. By default CloudFormation waits an hour.
      serviceTimeout: Duration.minutes(6),
      // When the table is retained after the stack is deleted, its queues are retained too.
      removalPolicy: props.stage.removalPolicy,
      properties: {
        digest: digestOf(files),
        queue: digestsOf('queue', props.definitions, parseQueueDefinition),
        ...(props.ladders && { ladder: digestsOf('ladder', props.ladders, parseLadderDefinition) }),
      },
    });
    // The definitions of a deployment are put when its code is there.
    if (props.code !== undefined) definitions.node.addDependency(...props.searching);
  }
}

/** The digest of each definition by its name. Throws when there are too many. */
function digestsOf(
  kind: 'queue' | 'ladder',
  texts: Readonly<DefinitionTexts>,
  parse: (text: string, source: string) => object,
): Record<string, string> {
  const entries = Object.entries(texts);
  if (entries.length > DEFINITIONS_MAX)
    throw new Error(
      `Expected at most ${DEFINITIONS_MAX} ${kind} definitions in a folder, got ${entries.length}. Create the others with PUT /${kind}s/{${kind}}.`,
    );
  return Object.fromEntries(entries.map(([name, text]) => [name, digestOf(parse(text, name))]));
}
