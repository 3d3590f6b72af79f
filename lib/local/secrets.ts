/** A stand-in for Secrets Manager: serves reads from a JSON file of secret names and values. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { check, textOf } from '../contract/problem.ts';
import { InvalidInput } from '../vocabulary/invalid-input.ts';
import { type AwsService, errorReply, jsonReply } from './aws-json.ts';
import { secretArn } from './local-account.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { readState, writeState } from './state-file.ts';
import type { Stack } from './template.ts';

export const SECRETS_TARGET = 'secretsmanager';

/** The prefix of secret names on AWS. Names in the file omit it. */
const PREFIX = 'muster/';

/** Values by the names or ARNs of secrets. */
const secretValues = z.record(z.string(), z.string());

/** @throws InvalidInput when the file is not a JSON object of strings */
export async function readSecrets(file: string): Promise<Map<string, string>> {
  const expected = `Expected ${file} to be a JSON object of secret names and their values`;
  let secrets: unknown;
  try {
    secrets = JSON.parse(new TextDecoder().decode(await readFile(file)));
  } catch (error) {
    throw new InvalidInput(`${expected}: ${(error as Error).message}`);
  }
  const { data, problems } = check(secretValues, secrets);
  if (problems !== undefined) throw new InvalidInput(`${expected}: ${textOf(problems)}`);
  return new Map(Object.entries(data));
}

/**
 * The secrets that a deployment generates, by ARN. Each is generated once.
 * @param file where they are stored; when omitted, all are generated again
 */
export function generatedSecrets(stack: Stack, file: string | undefined): ReadonlyMap<string, string> {
  const stored = file === undefined ? {} : (readState(file, secretValues) ?? {});
  const all = stack
    .resources('AWS::SecretsManager::Secret')
    .map(({ logicalId, arn, properties }): [string, string] => {
      if (properties.GenerateSecretString === undefined)
        throw new LocalCloudError(
          `The secret ${logicalId} has a value of its own, which has no local counterpart.`,
        );
      return [arn, stored[arn] ?? randomBytes(48).toString('base64url')];
    });
  if (file !== undefined && all.length > 0) writeState(file, Object.fromEntries(all));
  return new Map(all);
}

/**
 * @param secrets values by name, without the prefix; may change at any time
 * @param generated values by ARN
 */
export function secretsService(
  secrets: ReadonlyMap<string, string>,
  generated: ReadonlyMap<string, string> = new Map(),
): AwsService {
  return async ({ operation, input }) => {
    if (operation !== 'GetSecretValue') {
      return errorReply(
        'UnknownOperationException',
        `${operation} of Secrets Manager has no local counterpart.`,
      );
    }
    const { SecretId } = input as { SecretId: string };
    const name = SecretId.startsWith(PREFIX) ? SecretId.slice(PREFIX.length) : SecretId;
    const value = secrets.get(name) ?? generated.get(SecretId);
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
