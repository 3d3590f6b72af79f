import { StoreBusy } from '../service/ports/store-busy.ts';
import { logger } from './log.ts';

/**
 * The result of a write on which nothing else may depend, such as that of a statistic; undefined when AWS did not take it, for any
 * reason, which is logged. Other errors are thrown.
 */
export async function bestEffort<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    // The SDK adds it to every error of a request.
    if (!(error instanceof StoreBusy || '$metadata' in (error as Error))) throw error;
    logger.warn('a write that nothing depends on failed', error as Error);
    return undefined;
  }
}
