/**
 * The timeouts of a request to AWS, after which it is repeated. A stalled connection must not use up the whole time of a
 * function.
 */
export const REQUEST_TIMEOUTS = {
  connectionTimeout: 1_000,
  requestTimeout: 3_000,
  // Ends a response whose body stops arriving.
  socketTimeout: 3_000,
  throwOnRequestTimeout: true,
};

/**
 * The maximum of tries of a request. When throttled, the SDK waits up to 1 s after the first try and up to 2 s after the
 * second. Two such requests fit into the 10 s of a function, so the caller gets 503 instead of a timeout.
 */
export const REQUEST_TRIES = 3;

/**
 * The maximum of tries of a request of `enqueue`, which handles every ticket. Retries during throttling increase the function's
 * concurrency when little is left: at 1,000 throttled tickets a second, three tries use up to 3,000 invocations (1,500 on
 * average), two use up to 1,000 (500 on average). The caller gets 503 and repeats the request later.
 */
export const REQUEST_TRIES_AT_INTAKE = 2;
