/**
 * How long a request to AWS may take before it counts as lost and is sent again: a stalled connection must not
 * eat the whole time of a function.
 */
export const REQUEST_TIMEOUTS = {
  connectionTimeout: 1_000,
  requestTimeout: 3_000,
  throwOnRequestTimeout: true,
};
