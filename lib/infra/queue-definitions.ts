import { CustomResource, Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { parseLadderDefinition } from '../contract/ladder.ts';
import { parseQueueDefinition } from '../contract/queue-definition.ts';
import type { SecretGrants } from '../contract/secret-grants.ts';
import type { BundledModule } from '../rules/custom/bundle.ts';
import { digestOf } from '../service/domain/stored-definition.ts';
import type { DefinitionTexts } from './definition-folders.ts';
import { MusterFunction } from './muster-function.ts';
import { setSecretGrants } from './secrets-access.ts';
import type { StagePolicy } from './stage-policy.ts';
import type { Store } from './store.ts';

/** What definitions may name in a deployment. */
export interface DefinitionRules {
  /** See {@link MatchmakerProps.secretGrants}. */
  readonly secretGrants: SecretGrants;
  /** The queues of GameLift that definitions may name. */
  readonly gameSessionQueues: readonly string[];
  /** See {@link MatchmakerProps.push}. */
  readonly push: boolean;
  readonly code: BundledModule | undefined;
}

/** Sets what definitions may name in the environment of a function that checks them. */
export function setDefinitionRules(
  fn: MusterFunction,
  { secretGrants, gameSessionQueues, push, code }: DefinitionRules,
): void {
  setSecretGrants(fn, secretGrants);
  fn.addEnvironment('GAME_SESSION_QUEUES', JSON.stringify(gameSessionQueues));
  fn.addEnvironment('PUSH', String(push));
  if (code !== undefined) fn.addEnvironment('CUSTOM_FUNCTIONS', code.code.names.join(','));
}

export interface QueueDefinitionsProps extends DefinitionRules {
  /** The text of each definition by the queue's name; see {@link readQueueDefinitions}. */
  readonly definitions: Readonly<DefinitionTexts>;
  /** The same of ladders. @default - there is no folder of ladders */
  readonly ladders?: Readonly<DefinitionTexts> | undefined;
  readonly store: Store;
  /** The functions that have the `code`. */
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
    setDefinitionRules(this.deployQueues, props);
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
