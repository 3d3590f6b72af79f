import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { MusterFunction } from './muster-function.ts';

/** Which secrets of Secrets Manager the service may read. */
export interface SecretsAccess {
  /** What their names begin with. */
  readonly prefix: string;
  /** ARNs of the KMS keys that encrypt them, other than Secrets Manager's own. */
  readonly keys: readonly string[];
}

/** Tells the function the prefix of secrets' names and lets it read the secrets under it. */
export function allowSecrets(fn: MusterFunction, { prefix, keys }: SecretsAccess): void {
  fn.addEnvironment('SECRETS_PREFIX', prefix);
  const stack = Stack.of(fn);
  Grant.addToPrincipal({
    grantee: fn,
    actions: ['secretsmanager:GetSecretValue'],
    resourceArns: [
      stack.formatArn({
        service: 'secretsmanager',
        resource: 'secret',
        resourceName: `${prefix}*`,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    ],
  });
  if (keys.length > 0) {
    Grant.addToPrincipal({
      grantee: fn,
      actions: ['kms:Decrypt'],
      resourceArns: [...keys],
      conditions: { StringEquals: { 'kms:ViaService': `secretsmanager.${stack.region}.${stack.urlSuffix}` } },
    });
  }
  Validations.of(fn.role!).acknowledge({
    id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${prefix}*]`,
    reason:
      "Queue definitions name their secrets, and new definitions come while the service runs; the prefix keeps it from every other secret. Secrets' ARNs end in six random characters besides.",
  });
}
