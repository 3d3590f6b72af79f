import { StoreBusy } from '../service/ports/store-busy.ts';

/** What AWS, or the lack of its answer, says when it is asked for too much or is out of order for a moment. */
const THROTTLING = [
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestThrottled',
  'RequestLimitExceeded',
  'TransactionInProgressException',
  'InternalServerError',
  'InternalFailure',
  'ServiceUnavailable',
  // The SDK's own, when no answer comes: what was asked for may have been done.
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
