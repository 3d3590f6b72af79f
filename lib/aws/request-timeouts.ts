/**
 * How long a request to AWS may take before it counts as lost and is sent again. A stalled connection must not use up
 * the whole timeout of a function.
 */
export const REQUEST_TIMEOUTS = {
  connectionTimeout: 1_000,
  requestTimeout: 3_000,
  throwOnRequestTimeout: true,
};

/**
 * Tries of one request. When it is throttled the SDK waits up to 1 s after the first and up to 2 s after the second:
 * two such requests still fit into the 10 s of a function, and whoever called hears 503, not of a function that was killed.
 */
export const REQUEST_TRIES = 3;

/**
 * Tries of one request of a function that every player's ticket goes through. Retries inside a throttle multiply the
 * function's concurrency when there is least of it: at 1,000 tickets a second, each throttled, three tries hold up to
 * 3,000 invocations (1,500 on average), two hold up to 1,000 (500 on average). The caller hears 503 and repeats, later.
 */
export const REQUEST_TRIES_AT_INTAKE = 2;
