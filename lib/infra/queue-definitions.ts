import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CustomResource, Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { urlProblems } from '../contract/outbound-url.ts';
import { invalid } from '../contract/problem.ts';
import { parseQueueDefinition } from '../contract/queue-definition.ts';
import { type SecretGrants, secretProblems } from '../contract/secret-grants.ts';
import { setGameSessionQueues } from './game-lift.ts';
import { MusterFunction } from './muster-function.ts';
import { setSecretGrants } from './secrets-access.ts';
import type { StagePolicy } from './stage-policy.ts';
import type { Store } from './store.ts';

export interface QueueDefinitionsProps {
  /** The text of each definition by the queue's name; see {@link readQueueDefinitions}. */
  readonly definitions: Readonly<Record<string, string>>;
  readonly store: Store;
  /** See {@link MatchmakerProps.secretGrants}. */
  readonly secretGrants: SecretGrants;
  /** The queues of GameLift that definitions may name. */
  readonly gameSessionQueues: readonly string[];
  readonly stage: StagePolicy;
}

/** Stores the queue definitions of a folder on each deployment that changes them, and removes deleted ones. */
export class QueueDefinitions extends Construct {
  readonly deployQueues: MusterFunction;

  constructor(scope: Construct, id: string, props: QueueDefinitionsProps) {
    super(scope, id);
    this.deployQueues = new MusterFunction(this, 'DeployQueues', {
      name: 'deploy-queues',
      description: 'Puts the queue definitions of a deployment in the table',
      timeout: Duration.minutes(1),
      stage: props.stage,
    });
    props.store.queues.allow(this.deployQueues, 'GetItem', 'UpdateItem');
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
      properties: { definitions: props.definitions },
    });
  }
}

/**
 * Reads a folder of queue definitions: the text of each, without insignificant spaces, by the queue's name.
 * Throws an error naming the file when one is no valid definition or names a secret that its queue may not use, or two
 * have the same name.
 * @param options `isPublic`: also when one has a URL that a deployment can never call. The local service may
 */
export function readQueueDefinitions(
  dir: string,
  grants: SecretGrants,
  { isPublic = false } = {},
): Record<string, string> {
  const sources = new Map<string, string>();
  const definitions: Record<string, string> = {};
  for (const file of readdirSync(dir).sort()) {
    if (!file.endsWith('.json')) continue;
    const source = join(dir, file);
    // Some editors write a byte order mark, which is not part of the text.
    const text = readFileSync(source, 'utf8').replace(/^\uFEFF/, '');
    const definition = parseQueueDefinition(text, source);
    const problems = [...secretProblems(definition, grants), ...(isPublic ? urlProblems(definition) : [])];
    if (problems.length > 0) throw invalid(source, problems);
    const { name } = definition;
    const other = sources.get(name);
    if (other !== undefined) {
      throw new Error(
        `Expected queue names to be unique, got "${name}" in both ${other} and ${source}. Rename one.`,
      );
    }
    sources.set(name, source);
    definitions[name] = JSON.stringify(JSON.parse(text));
  }
  return definitions;
}
