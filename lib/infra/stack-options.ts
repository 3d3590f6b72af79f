import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Node } from 'constructs';
import type { SecretGrants } from '../contract/secret-grants.ts';
import { flag, limitNames, rejectUnknown } from './cdk-context.ts';
import type { LimitProps } from './limits.ts';
import type { MatchmakerProps } from './matchmaker.ts';
import type { MusterStackProps } from './muster-stack.ts';
import { parseSecretGrants } from './secrets-access.ts';
import { parseStage } from './stage-policy.ts';

/**
 * The options of a deployment, from CDK context (`-c name=value`, or `context` in cdk.json). docs/deploy.md lists them, and
 * {@link MatchmakerProps} describes them. Lists are separated by commas; `secretGrants` is JSON; folders are relative to the working
 * directory.
 *
 * Throws an error that names the option when one is invalid or unknown.
 */
export function stackOptions(node: Pick<Node, 'tryGetContext' | 'getAllContext'>): MusterStackProps {
  rejectUnknown(node.getAllContext());
  const text = (name: string): string | undefined => node.tryGetContext(name);
  const queues = folder('queues', text('queues') ?? defaultQueuesDir);
  return {
    stage: parseStage(node.tryGetContext('stage') ?? 'dev'),
    queues,
    ladders: laddersDir(text('ladders'), queues),
    code: text('code'),
    jwt: jwt(text('jwtIssuer'), list(text('jwtAudience'))),
    allowedOrigins: list(text('allowedOrigins')),
    secretsPrefix: text('secretsPrefix'),
    secretGrants: grants(node.tryGetContext('secretGrants')),
    secretsKeys: list(text('secretsKeys')),
    gameSessionQueues: list(text('gameSessionQueues')),
    accessLog: flag('accessLog', node.tryGetContext('accessLog')),
    invocationLog: flag('invocationLog', node.tryGetContext('invocationLog')),
    ...alarmReceiver(text('alarmTopic'), text('alarmEmail')),
    failedShare: number('failedShare', node.tryGetContext('failedShare')),
    push: flag('push', node.tryGetContext('push')),
    pushKey: integer('pushKey', node.tryGetContext('pushKey')),
    socketLog: flag('socketLog', node.tryGetContext('socketLog')),
    ...limits(node),
  };
}

/** The default folder of queue definitions. */
export const defaultQueuesDir = fileURLToPath(new URL('../../queues', import.meta.url));

function laddersDir(value: string | undefined, queues: string): string | undefined {
  if (value !== undefined) return folder('ladders', value);
  const beside = join(dirname(queues), 'ladders');
  return existsSync(beside) ? beside : undefined;
}

function folder(option: string, value: string): string {
  const dir = resolve(value);
  if (!existsSync(dir))
    throw new Error(`Expected \`${option}\` to be a folder, got "${dir}", which does not exist.`);
  return dir;
}

function jwt(issuer: string | undefined, audience: string[] | undefined): MatchmakerProps['jwt'] {
  if (issuer === undefined && audience === undefined) return undefined;
  if (issuer === undefined || audience === undefined) {
    const missing = issuer === undefined ? 'jwtIssuer' : 'jwtAudience';
    throw new Error(
      `Expected \`jwtIssuer\` and \`jwtAudience\` together, got no \`${missing}\`. Pass \`-c ${missing}=…\`.`,
    );
  }
  return { issuer, audience };
}

function alarmReceiver(
  topic: string | undefined,
  email: string | undefined,
): Pick<MusterStackProps, 'alarmTopicArn' | 'alarmEmail'> {
  if (topic !== undefined && email !== undefined)
    throw new Error('Expected `alarmTopic` or `alarmEmail`, got both. Subscribe the address to your topic.');
  if (topic !== undefined && !/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/.test(topic))
    throw new Error(
      `Expected \`alarmTopic\` to be the ARN of a topic, arn:aws:sns:REGION:ACCOUNT:NAME, got "${topic}".`,
    );
  if (email !== undefined && !/^[^@\s]+@[^@\s]+$/.test(email))
    throw new Error(`Expected \`alarmEmail\` to be an e-mail address, got "${email}".`);
  return { alarmTopicArn: topic, alarmEmail: email };
}

/** From the command line it is text, from cdk.json it is an object. */
function grants(value: unknown): SecretGrants | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return parseSecretGrants(value);
  try {
    return parseSecretGrants(JSON.parse(value));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`Expected \`secretGrants\` to be JSON, got ${value}.`);
  }
}

function list(text: string | undefined): string[] | undefined {
  return text?.split(',').map((part) => part.trim());
}

function limits(node: Pick<Node, 'tryGetContext'>): LimitProps {
  return {
    ...Object.fromEntries(limitNames.map((name) => [name, integer(name, node.tryGetContext(name))])),
    bucketCapacity: number('bucketCapacity', node.tryGetContext('bucketCapacity')),
  };
}

const number = numberOption('a number', Number.isFinite);
const integer = numberOption('a whole number', Number.isInteger);

function numberOption(kind: string, isRight: (number: number) => boolean) {
  return (name: string, value: unknown): number | undefined => {
    if (value === undefined) return undefined;
    if (isRight(Number(value))) return Number(value);
    throw new Error(`Expected \`${name}\` to be ${kind}, got ${JSON.stringify(value)}.`);
  };
}
