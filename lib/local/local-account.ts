/** The AWS account and region of the local cloud. fauxqs supports no other account. */
export const ACCOUNT_ID = '000000000000';
export const REGION = 'us-east-1';

/** The ARN of a secret, by its name or its ARN. AWS appends six random characters to the name. */
export function secretArn(secretId: string): string {
  return secretId.startsWith('arn:')
    ? secretId
    : `arn:aws:secretsmanager:${REGION}:${ACCOUNT_ID}:secret:${secretId}-local0`;
}
