/** Deletes items past their time to live, as DynamoDB does. The emulators do not. */
import { AwsCallError, type AwsService, callAws } from './aws-json.ts';
import { DYNAMODB_TARGET } from './dynamodb-emulator.ts';
import type { Properties, Resource } from './template.ts';

export interface Expiry {
  /** Deletes expired items. Settles when they are deleted. */
  run(): Promise<void>;
  stop(): void;
}

export interface ExpiryOptions {
  /** Tables without a TimeToLiveSpecification are skipped. */
  readonly tables: readonly Resource[];
  readonly dynamodb: AwsService;
  readonly log: (line: string) => void;
}

/** DynamoDB deletes expired items within days. Code must not rely on an earlier deletion. */
const EVERY_MS = 10 * 60_000;

interface Expiring {
  readonly tableName: string;
  readonly attribute: string;
  readonly keyNames: readonly string[];
}

export function startExpiry({ tables, dynamodb, log }: ExpiryOptions): Expiry {
  const expiring = tables.flatMap(expiringOf);
  const run = async () => {
    for (const table of expiring) await deleteExpired(table, dynamodb);
  };
  const timer = setInterval(() => run().catch((error) => log(`Time to live: ${error}`)), EVERY_MS);
  return { run, stop: () => clearInterval(timer) };
}

function expiringOf({ name, properties }: Resource): Expiring[] {
  const { AttributeName, Enabled } = (properties.TimeToLiveSpecification ?? {}) as Properties;
  if (Enabled !== true) return [];
  const keys = properties.KeySchema as readonly { AttributeName: string }[];
  return [
    { tableName: name, attribute: String(AttributeName), keyNames: keys.map((key) => key.AttributeName) },
  ];
}

async function deleteExpired(
  { tableName, attribute, keyNames }: Expiring,
  dynamodb: AwsService,
): Promise<void> {
  const isExpired = {
    ExpressionAttributeNames: { '#expiry': attribute },
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(Date.now() / 1000)) } },
  };
  let startKey: object | undefined;
  do {
    const page: { Items?: Properties[]; LastEvaluatedKey?: object } = await callAws(
      dynamodb,
      DYNAMODB_TARGET,
      'Scan',
      {
        TableName: tableName,
        FilterExpression: '#expiry < :now',
        ...isExpired,
        ...(startKey && { ExclusiveStartKey: startKey }),
      },
    );
    for (const item of page.Items ?? []) {
      const Key = Object.fromEntries(keyNames.map((name) => [name, item[name]]));
      await deleteUnlessRenewed({ TableName: tableName, Key, ...isExpired }, dynamodb);
    }
    startKey = page.LastEvaluatedKey;
  } while (startKey !== undefined);
}

/** The condition protects an item that was written after the scan, since its time to live may be later now. */
async function deleteUnlessRenewed(input: object, dynamodb: AwsService): Promise<void> {
  try {
    await callAws(dynamodb, DYNAMODB_TARGET, 'DeleteItem', {
      ...input,
      ConditionExpression: '#expiry < :now',
    });
  } catch (error) {
    if (!(error instanceof AwsCallError) || error.code !== 'ConditionalCheckFailedException') throw error;
  }
}
