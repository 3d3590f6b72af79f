import { ACCOUNT_ID, REGION } from './local-account.ts';

/** The ARN of a secret, by its name or its ARN. AWS appends six random characters to the name. */
export function secretArn(secretId: string): string {
  return secretId.startsWith('arn:')
    ? secretId
    : `arn:aws:secretsmanager:${REGION}:${ACCOUNT_ID}:secret:${secretId}-local0`;
}
