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
/** Errors of a connection that could not be made. */
const UNREACHABLE = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'];

/**
 * Makes a request of an SDK client, which retries by itself.
 * @throws StoreBusy when it is throttled, or AWS cannot be reached, until the retries run out
 */
export async function unlessThrottled<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const { name, code = '' } = error as NodeJS.ErrnoException;
    const isTemporary = THROTTLING.includes(name) || UNREACHABLE.includes(code);
    throw isTemporary
      ? new StoreBusy(`AWS is throttling or cannot be reached: ${code || name}`, { cause: error })
      : error;
  }
}
