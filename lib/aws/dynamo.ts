import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { StoreBusy } from '../service/ports/store-busy.ts';
import { REQUEST_TIMEOUTS, REQUEST_TRIES } from './request-timeouts.ts';
import { unlessThrottled } from './throttling.ts';

/** The maximum of tries of a write that conflicts with others. Then the store counts as busy. */
const ATTEMPTS = 5;

/**
 * A client that reports throttling as `StoreBusy`.
 * @param config overrides the environment; functions need no overrides
 */
export function documentClient(config: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    maxAttempts: REQUEST_TRIES,
    requestHandler: REQUEST_TIMEOUTS,
    ...config,
  });
  client.middlewareStack.add((next) => (args) => unlessThrottled(() => next(args)), {
    step: 'initialize',
    name: 'throttlingAsStoreBusy',
  });
  // The logging middleware copies every request and response, even without a logger. That takes a third of the CPU time of
  // reading a large pool.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** The item for which the condition of a write failed; undefined when there is no item. */
export type Unmet = { readonly met: false; readonly item: Record<string, unknown> | undefined };

/**
 * Runs a conditional write. A condition that does not hold is returned as an outcome. A conflict with a transaction is
 * retried.
 * @throws StoreBusy when every try conflicted with other writers; then nothing has changed
 */
export async function conditionally<T>(write: () => Promise<T>): Promise<{ met: true; result: T } | Unmet> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { met: true, result: await write() };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException)
        return { met: false, item: error.Item && unmarshall(error.Item) };
      if (!(error instanceof TransactionConflictException)) throw error;
      await untilNextAttempt(attempt, error);
    }
  }
}

/** The maximum of writes in a transaction of DynamoDB. */
export const TRANSACTION_MAX = 100;

type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;

/**
 * Runs a transaction. When conditions do not hold, returns the current item of each write whose condition did not hold and
 * that requests `ALL_OLD`, at the index of the write. Conflicts with other transactions are retried, because the winner's
 * outcome decides whether the conditions still hold.
 * @throws StoreBusy when every try conflicted with other transactions
 */
export async function transact(
  client: DynamoDBDocumentClient,
  items: TransactItems,
): Promise<{ met: true } | { met: false; items: (Record<string, unknown> | undefined)[] }> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(new TransactWriteCommand({ TransactItems: items }));
      return { met: true };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const codes = reasons.map((reason) => reason.Code);
      if (codes.includes('ConditionalCheckFailed'))
        return { met: false, items: reasons.map(({ Item }) => Item && unmarshall(Item)) };
      if (!codes.some((code) => code !== undefined && TEMPORARY.includes(code))) throw error;
      await untilNextAttempt(attempt, error);
    }
  }
}

/** Temporary reasons for which DynamoDB cancels a transaction. */
const TEMPORARY = ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'];

/** Whether a write or a transaction failed because an item would become larger than DynamoDB's 400 KB. Nothing has changed. */
export function isTooLarge(error: unknown): boolean {
  const says = (text = '') => /size .*exceeded the maximum allowed size/i.test(text);
  if (error instanceof TransactionCanceledException)
    return (
      error.CancellationReasons?.some(({ Code, Message }) => Code === 'ValidationError' && says(Message)) ??
      false
    );
  return error instanceof Error && error.name === 'ValidationException' && says(error.message);
}

/** Waits a random time that grows with the attempts, so that conflicting writers do not collide again. */
async function untilNextAttempt(attempt: number, cause: Error): Promise<void> {
  if (attempt === ATTEMPTS) throw new StoreBusy('other writers kept changing the same items', { cause });
  await sleep(Math.random() * 25 * 2 ** attempt);
}

/** TTL attributes are in whole seconds. */
export function secondsAfter(nowMs: number, days: number): number {
  return Math.floor(nowMs / 1_000) + days * 86_400;
}
