import { StoreBusy } from '../service/ports/store-busy.ts';

/** Errors of AWS and the SDK that mean throttling or a temporary failure. */
const THROTTLING = [
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestThrottled',
  'RequestLimitExceeded',
  'TransactionInProgressException',
  'InternalServerError',
  'InternalFailure',
  'ServiceUnavailable',
  // The SDK's own error without a response. The request may have been applied.
  'TimeoutError',
];

/**
 * Makes a request of an SDK client, which retries by itself.
 * @throws StoreBusy when it is throttled until the retries run out
 */
export async function unlessThrottled<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const throttled = error instanceof Error && THROTTLING.includes(error.name);
    throw throttled ? new StoreBusy(`AWS is throttling: ${error.name}`, { cause: error }) : error;
  }
}
