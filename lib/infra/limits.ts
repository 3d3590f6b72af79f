/** How much of the account's capacity a deployment may use, and how much is reserved for it. */
export interface LimitProps {
  /**
   * The maximum of concurrent requests to read a ticket, a whole number from 1: the reserved concurrency of the function
   * `tickets`. A long poll (`waitSeconds`) counts until its response. Further requests get an error of API Gateway.
   * Cancelling and accepting have their own function and are not capped. 0 reserves nothing: then the account's Lambda
   * concurrency is the limit.
   * @default - with tokens (`jwt`), with which players call the API themselves, {@link POLL_CONCURRENCY}; else 0
   */
  readonly pollConcurrency?: number | undefined;
  /**
   * Reserved Lambda concurrency of the search: this much for `tick`, a whole number from 2 to 1000, and
   * {@link dispatchReserve} more for `dispatch`, which sends the ticks. It is also the maximum for `tick`.
   * @default - nothing is reserved: the search shares the account's concurrency
   */
  readonly searchReserve?: number | undefined;
  /**
   * Reserved Lambda concurrency of `publish`, a whole number from 1. `publish` reads each shard of two tables' streams by
   * one invocation at a time. It is also the maximum for `publish`.
   * @default - nothing is reserved: events share the account's concurrency
   */
  readonly publishReserve?: number | undefined;
  /**
   * The maximum of buckets searched concurrently, a whole number from 2 to 1000, not above `searchReserve`. Further ticks
   * wait.
   * @default - `searchReserve`; without it, 200
   */
  readonly tickConcurrency?: number | undefined;
  /**
   * The maximum of concurrent executions that deliver new webhooks, a whole number from 2 to 1000. Each delivers ten at
   * most. Further events wait.
   * @default 100
   */
  readonly notifyConcurrency?: number | undefined;
  /**
   * The maximum of concurrent executions that deliver webhooks again, and webhooks of slow receivers, a whole number from
   * 2 to 1000. Each delivers ten at most. Further ones wait.
   * @default 20
   */
  readonly notifySlowConcurrency?: number | undefined;
  /**
   * The maximum of concurrent executions that request assignments, a whole number from 2 to 1000. Each requests ten at
   * most. Further matches wait.
   * @default 100
   */
  readonly provisionConcurrency?: number | undefined;
  /**
   * The maximum of concurrent executions that end acceptances and placements, a whole number from 2 to 1000.
   * @default 20
   */
  readonly deadlineConcurrency?: number | undefined;
  /**
   * The maximum of requests a second to each route that requires credentials, a whole number from 1. API Gateway rejects
   * further requests with status 429. It is a target, not a guarantee, and never above the account's limit for all APIs.
   * @default 1000
   */
  readonly requestsPerSecond?: number | undefined;
  /**
   * The burst of requests allowed above `requestsPerSecond`, a whole number from 1.
   * @default - the same as `requestsPerSecond`
   */
  readonly requestBurst?: number | undefined;
  /**
   * The share of its default capacity (200 tickets a second, 8,000 waiting) at which a bucket of a queue with
   * `"buckets": "auto"` is split, above 0 to 1. Lower it to rehearse a launch with few players, or for an account whose
   * tables have lower limits.
   * @default 1
   */
  readonly bucketCapacity?: number | undefined;
}

export interface Limits {
  /** Reserved concurrency by function. Undefined reserves nothing. */
  readonly reserved: {
    readonly tickets: number | undefined;
    readonly tick: number | undefined;
    readonly dispatch: number | undefined;
    readonly publish: number | undefined;
  };
  /** The maximum of concurrent invocations by each SQS queue. */
  readonly concurrency: Readonly<Record<keyof typeof CONCURRENCY, number>>;
  readonly requests: RequestLimit;
  readonly bucketCapacity: number;
}

/** A token bucket: it gains `perSecond` tokens, holds at most `burst`, and a request takes one. */
export interface RequestLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** The default maximum of concurrent invocations by each SQS queue. */
export const CONCURRENCY = {
  tick: 200,
  /** They post 5,000 webhooks a second to receivers that respond in 0.2 s. */
  notify: 100,
  /** They post 200 at once, or 40 a second to receivers that do not respond within 5 s. */
  notifySlow: 20,
  /** They request 1,000 a second from a provisioner that responds in 1 s. */
  provision: 100,
  /** They end about 4,000 matches a second. */
  deadline: 20,
  rate: 10,
} as const;

/** The invocations of two minutes may overlap when one is slow or late. */
export const dispatchReserve = 2;

/**
 * The default of `pollConcurrency` with tokens. The maxima of the SQS queues add up to 450, so an account with the usual limit of
 * 1000 has 150 left for the other functions of the API, of which AWS requires that 100 stay unreserved.
 */
export const POLL_CONCURRENCY = 400;

/** Checks the limits. Throws an error that names the property when one is out of range. */
export function limitsOf(props: LimitProps & { readonly jwt?: object | undefined }): Limits {
  const searchReserve = whole('searchReserve', props.searchReserve, 2, 1000);
  const tickConcurrency = whole('tickConcurrency', props.tickConcurrency, 2, searchReserve ?? 1000);
  const polls = whole('pollConcurrency', props.pollConcurrency, 0) ?? (props.jwt ? POLL_CONCURRENCY : 0);
  const most = (name: 'notify' | 'notifySlow' | 'provision' | 'deadline') =>
    whole(`${name}Concurrency`, props[`${name}Concurrency`], 2, 1000) ?? CONCURRENCY[name];
  const perSecond = whole('requestsPerSecond', props.requestsPerSecond, 1) ?? 1000;
  return {
    reserved: {
      tickets: polls === 0 ? undefined : polls,
      tick: searchReserve,
      dispatch: searchReserve && dispatchReserve,
      publish: whole('publishReserve', props.publishReserve, 1),
    },
    // Invocations beyond the reserved ones are throttled, and a message throttled three times is given up.
    concurrency: {
      tick: tickConcurrency ?? searchReserve ?? CONCURRENCY.tick,
      notify: most('notify'),
      notifySlow: most('notifySlow'),
      provision: most('provision'),
      deadline: most('deadline'),
      // Further ones would compete for the odds of a ladder. Ten rate some hundred matches a second.
      rate: CONCURRENCY.rate,
    },
    requests: { perSecond, burst: whole('requestBurst', props.requestBurst, 1) ?? perSecond },
    bucketCapacity: share('bucketCapacity', props.bucketCapacity) ?? 1,
  };
}

/** A whole number in this range, or undefined. Throws an error that names the property when it is out of range. */
export function whole(
  name: string,
  value: number | undefined,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} and up` : `from ${min} to ${max}`;
  throw new Error(`Expected \`${name}\` to be a whole number ${range}, got ${value}.`);
}

/** The same for a number above 0 to 1. */
export function share(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (value > 0 && value <= 1)) return value;
  throw new Error(`Expected \`${name}\` to be a number above 0 to 1, got ${value}.`);
}
