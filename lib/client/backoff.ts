/** The delays between the tries of a request. */
export interface Backoff {
  /** The longest delay before the second try, in milliseconds; it doubles with each further one. */
  readonly firstMs: number;
  /** The longest delay of all, in milliseconds. */
  readonly maxMs: number;
}

/** The maximum delay of a `Retry-After`. */
const RETRY_AFTER_MAX_MS = 60_000;

/**
 * The delay before the next try, in milliseconds. It is random between half of its maximum and all of it, so that the clients
 * of a service that was down do not return at the same moment. A `Retry-After` of the service is the least delay.
 * @param tries how often the request was tried, from 1
 * @param random returns a number in [0, 1)
 */
export function delayMs(
  { firstMs, maxMs }: Backoff,
  tries: number,
  random: () => number,
  retryAfterMs = 0,
): number {
  const longest = Math.min(maxMs, firstMs * 2 ** Math.min(tries - 1, 30));
  const drawn = (longest / 2) * (1 + random());
  return retryAfterMs === 0 ? drawn : retryAfterMs + drawn - longest / 2;
}

/** The delay of a `Retry-After` header in milliseconds; 0 without a valid one. The header is a number of seconds or a date. */
export function retryAfterMs(header: string | null, nowMs: number): number {
  if (header === null || header.trim() === '') return 0;
  const ms = /^\d+(\.\d+)?$/.test(header.trim()) ? 1_000 * Number(header) : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? 0 : Math.max(0, Math.min(RETRY_AFTER_MAX_MS, ms));
}

/**
 * Waits. Ends early with the reason of the signal when it aborts.
 * @throws the reason of the signal
 */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
