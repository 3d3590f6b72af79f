import { readFileSync } from 'node:fs';
import type { LimitProps } from './limits.ts';

/** Options of a deployment by name: see `stack-options.ts`. */
export type DeployContext = Readonly<Record<string, unknown>>;

/** The context that `cdk` would read. */
export function cdkJsonContext(): DeployContext {
  return JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')).context;
}

const optionNames = [
  'stage',
  'queues',
  'ladders',
  'code',
  'jwtIssuer',
  'jwtAudience',
  'allowedOrigins',
  'secretsPrefix',
  'secretGrants',
  'secretsKeys',
  'gameSessionQueues',
  'alarmTopic',
  'alarmEmail',
  'accessLog',
  'invocationLog',
  'failedShare',
  'push',
  'pushKey',
  'socketLog',
] as const;

export const limitNames = [
  'pollConcurrency',
  'searchReserve',
  'publishReserve',
  'tickConcurrency',
  'notifyConcurrency',
  'notifySlowConcurrency',
  'provisionConcurrency',
  'deadlineConcurrency',
  'requestsPerSecond',
  'requestBurst',
] as const satisfies readonly (keyof LimitProps)[];

/**
 * A misspelt option would be ignored. The context of the CDK itself has names with a colon or a slash.
 * @throws when an option is unknown
 */
export function rejectUnknown(context: DeployContext): void {
  const known: readonly string[] = [...optionNames, ...limitNames, 'bucketCapacity'];
  const unknown = Object.keys(context).find((name) => !/[:/]/.test(name) && !known.includes(name));
  if (unknown !== undefined)
    throw new Error(
      `Expected \`-c\` and the context to name options, got \`${unknown}\`. Options: ${known.join(', ')}.`,
    );
}

/** From the command line it is text, from cdk.json it may be a boolean. */
export function flag(name: string, value: unknown): boolean | undefined {
  if (value === undefined) return undefined;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new Error(`Expected \`${name}\` to be true or false, got ${JSON.stringify(value)}.`);
}

/**
 * Whether a deployment with these options, and those in cdk.json, lets players connect.
 * @throws when `push` is neither true nor false
 */
export function hasPush(context: DeployContext): boolean {
  return flag('push', { ...cdkJsonContext(), ...context }.push) ?? true;
}
