/** A stand-in for Secrets Manager: serves reads from a JSON file of secret names and values. */
import { readFile } from 'node:fs/promises';
import { type AwsService, errorReply, jsonReply } from './aws-json.ts';
import { ACCOUNT_ID, REGION } from './local-account.ts';
import { LocalCloudError } from './local-cloud-error.ts';

export const SECRETS_TARGET = 'secretsmanager';

/** The prefix of secret names on AWS. Names in the file omit it. */
const PREFIX = 'muster/';

/** The ARN of a secret. AWS appends six random characters to the name. */
export function secretArn(secretId: string): string {
  return secretId.startsWith('arn:')
    ? secretId
    : `arn:aws:secretsmanager:${REGION}:${ACCOUNT_ID}:secret:${secretId}-local0`;
}

/** @throws LocalCloudError when the file is not a JSON object of strings */
export async function readSecrets(file: string): Promise<Map<string, string>> {
  const expected = `Expected ${file} to be a JSON object of secret names and their values`;
  let secrets: unknown;
  try {
    secrets = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new LocalCloudError(`${expected}: ${(error as Error).message}`);
  }
  if (typeof secrets !== 'object' || secrets === null || Array.isArray(secrets)) {
    throw new LocalCloudError(`${expected}, got ${Array.isArray(secrets) ? 'a list' : typeof secrets}.`);
  }
  for (const [name, value] of Object.entries(secrets)) {
    if (typeof value !== 'string')
      throw new LocalCloudError(`${expected}: the value of "${name}" is not a string.`);
  }
  return new Map(Object.entries(secrets as Record<string, string>));
}

/** @param secrets values by name, without the prefix; may change at any time */
export function secretsService(secrets: ReadonlyMap<string, string>): AwsService {
  return async ({ operation, input }) => {
    if (operation !== 'GetSecretValue') {
      return errorReply(
        'UnknownOperationException',
        `${operation} of Secrets Manager has no local counterpart.`,
      );
    }
    const { SecretId } = input as { SecretId: string };
    const name = SecretId.startsWith(PREFIX) ? SecretId.slice(PREFIX.length) : SecretId;
    const value = secrets.get(name);
    if (value === undefined) {
      return errorReply(
        'ResourceNotFoundException',
        `Secrets Manager can't find the specified secret: ${SecretId}`,
      );
    }
    return jsonReply({
      ARN: secretArn(SecretId),
      Name: SecretId,
      SecretString: value,
      VersionId: '00000000-0000-0000-0000-000000000000',
      VersionStages: ['AWSCURRENT'],
    });
  };
}
