/** How much of the account's capacity a deployment may use, and how much of it is its own. */
export interface LimitProps {
  /**
   * How many requests to read a ticket may be answered at the same time, whole, from 1: the reserved concurrency of the
   * function `tickets`. A request that waits for news (`waitSeconds`) holds one of them until it is answered. Requests
   * beyond it get an error of API Gateway. Cancelling and accepting have a function of their own and are not capped.
   * @default - none is reserved: as many as the account's Lambda concurrency allows
   */
  readonly pollConcurrency?: number | undefined;
  /**
   * Lambda concurrency that nobody else can use up, for the search: this much for `tick`, whole, 2 to 1000, and
   * {@link dispatchReserve} more for `dispatch`, which sends the ticks. Also the most that `tick` gets.
   * @default - none is reserved: the search takes its turn with everything else in the account
   */
  readonly searchReserve?: number | undefined;
  /**
   * Lambda concurrency that nobody else can use up, for `publish`, which reads each shard of two tables' streams by one
   * invocation at a time; whole, from 1. Also the most that it gets.
   * @default - none is reserved: events take their turn with everything else in the account
   */
  readonly publishReserve?: number | undefined;
  /**
   * How many buckets may be searched at the same time, whole, 2 to 1000, and not above `searchReserve`. A tick waits
   * when it is reached.
   * @default - `searchReserve`; without it, as many as the account's Lambda concurrency allows
   */
  readonly tickConcurrency?: number | undefined;
  /**
   * Requests a second that API Gateway lets through to a route that asks for credentials, whole, from 1. Beyond it the
   * answer is 429. A target, not a guarantee, and never above what the account allows to all its APIs.
   * @default 1000
   */
  readonly requestsPerSecond?: number | undefined;
  /**
   * Requests that may come at once, before `requestsPerSecond` counts; whole, from 1.
   * @default - as many as `requestsPerSecond`
   */
  readonly requestBurst?: number | undefined;
}

export interface Limits {
  /** Reserved concurrency by function; undefined reserves nothing. */
  readonly reserved: {
    readonly tickets: number | undefined;
    readonly tick: number | undefined;
    readonly dispatch: number | undefined;
    readonly publish: number | undefined;
  };
  /** Invocations of `tick` that its queue may start at once. */
  readonly tickConcurrency: number | undefined;
  readonly requests: RequestLimit;
}

/** A token bucket: `perSecond` tokens are put in, `burst` at most are in it, a request takes one. */
export interface RequestLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** Two minutes' dispatches may overlap, when one is slow or late. */
export const dispatchReserve = 2;

/** Reads the limits. Throws an error naming the property when one is out of range. */
export function limitsOf(props: LimitProps): Limits {
  const searchReserve = whole('searchReserve', props.searchReserve, 2, 1000);
  const tickConcurrency = whole('tickConcurrency', props.tickConcurrency, 2, searchReserve ?? 1000);
  const perSecond = whole('requestsPerSecond', props.requestsPerSecond, 1) ?? 1000;
  return {
    reserved: {
      tickets: whole('pollConcurrency', props.pollConcurrency, 1),
      tick: searchReserve,
      dispatch: searchReserve && dispatchReserve,
      publish: whole('publishReserve', props.publishReserve, 1),
    },
    // A queue that starts more than are reserved has them refused, and a message refused three times is given up.
    tickConcurrency: tickConcurrency ?? searchReserve,
    requests: { perSecond, burst: whole('requestBurst', props.requestBurst, 1) ?? perSecond },
  };
}

function whole(
  name: keyof LimitProps,
  value: number | undefined,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} and up` : `from ${min} to ${max}`;
  throw new Error(`Expected \`${name}\` to be a whole number ${range}, got ${value}.`);
}
