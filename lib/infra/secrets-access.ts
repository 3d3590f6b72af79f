import { ArnFormat, Stack, Validations } from 'aws-cdk-lib/core';
import { type SecretGrants, secretGrants } from '../contract/secret-grants.ts';
import type { MusterFunction } from './muster-function.ts';

/** The secrets in Secrets Manager that the service may read. */
export interface SecretsAccess {
  /** The prefix of their names. */
  readonly prefix: string;
  /** ARNs of the KMS keys that encrypt them, other than Secrets Manager's own. */
  readonly keys: readonly string[];
  /** The queues that may use a secret besides their own and the shared ones. */
  readonly grants: SecretGrants;
}

/** Sets the prefix of secrets' names in the function's environment and lets it read these secrets. */
export function allowSecrets(fn: MusterFunction, { prefix, keys, grants }: SecretsAccess): void {
  fn.addEnvironment('SECRETS_PREFIX', prefix);
  setSecretGrants(fn, grants);
  const stack = Stack.of(fn);
  const secrets = stack.formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${prefix}*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  fn.permit('secretsmanager', ['GetSecretValue'], [secrets]);
  const via = `secretsmanager.${stack.region}.${stack.urlSuffix}`;
  if (keys.length > 0) fn.permit('kms', ['Decrypt'], keys, { StringEquals: { 'kms:ViaService': via } });
  Validations.of(fn.role!).acknowledge({
    id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${prefix}*]`,
    reason:
      "Queue definitions name their secrets, and definitions can be added while the service runs. The prefix excludes all other secrets. Secrets' ARNs end in six random characters.",
  });
}

/** Sets the secret grants in the function's environment. */
export function setSecretGrants(fn: MusterFunction, grants: SecretGrants): void {
  fn.addEnvironment('SECRET_GRANTS', JSON.stringify(grants));
}

/** Parses grants from context. Throws when they have another type. */
export function parseSecretGrants(value: unknown): SecretGrants {
  const result = secretGrants.safeParse(value);
  if (result.success) return result.data;
  throw new Error(
    `Expected \`secretGrants\` to be lists of queue names by the name of a secret, { "NAME": ["QUEUE", …] }, got ${JSON.stringify(value)}.`,
  );
}
