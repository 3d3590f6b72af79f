/**
 * The delays of AWS, each with its source. The local cloud does these steps immediately by default; with
 * `muster serve --aws-delays` it waits as long as AWS takes.
 */
import { type RandomSource, seededRandom } from '../simulation/random.ts';

/** How long one step takes, in milliseconds. */
export interface DelayFigure {
  /** The median. */
  readonly p50Ms: number;
  /** The 99th percentile. */
  readonly p99Ms: number;
  /** Where the figures come from; `assumption` when no source gives them. */
  readonly source: string;
}

/** Sources published by AWS. */
const FROM = {
  httpApis:
    'AWS Compute Blog, "HTTP APIs now generally available" (2020): "99% of all requests (p99) have less than 10 ms of additional latency". The p50 is an assumption',
  coldStarts:
    'AWS Lambda operator guide, "Execution environments": a cold start takes from under 100 ms to over a second. The p50 is an assumption',
  dynamodb:
    'AWS re:Post, "Troubleshoot high latency on a DynamoDB table": GetItem and PutItem average in single-digit milliseconds inside the service. Both figures are assumptions within it',
} as const;

/** The delay of each step. */
export const AWS_DELAYS = {
  /** What an HTTP API adds to a request and its response together. */
  apiGateway: { p50Ms: 5, p99Ms: 10, source: FROM.httpApis },
  /** From the request for an invocation to the start of the handler in a warm environment. */
  lambdaInvocation: { p50Ms: 3, p99Ms: 15, source: 'assumption' },
  /** The same for a cold start. It includes the time that the local worker takes to start. */
  lambdaColdStart: { p50Ms: 300, p99Ms: 1_000, source: FROM.coldStarts },
  /** From a function: GetItem. */
  dynamodbRead: { p50Ms: 3, p99Ms: 9, source: FROM.dynamodb },
  /** From a function: PutItem, UpdateItem, DeleteItem. */
  dynamodbWrite: { p50Ms: 5, p99Ms: 9, source: 'as of `dynamodbRead`' },
  /** From a function: a page of a Query, Scan or BatchGetItem. */
  dynamodbPage: { p50Ms: 6, p99Ms: 25, source: 'assumption' },
  /** From a function: a transaction or a batch of writes. */
  dynamodbTransaction: { p50Ms: 15, p99Ms: 50, source: 'assumption' },
  /** From a function: a request to SQS. */
  sqsRequest: { p50Ms: 6, p99Ms: 30, source: 'assumption' },
  /** From when a message becomes visible to the request for an invocation: long polling, without a batching window. */
  sqsDelivery: { p50Ms: 15, p99Ms: 80, source: 'assumption' },
  /** From a function: PutEvents. */
  eventBusRequest: { p50Ms: 10, p99Ms: 40, source: 'assumption' },
  /** From when the bus accepts an event to the message in a rule's queue. */
  eventBusDelivery: { p50Ms: 45, p99Ms: 129, source: 'assumption' },
  /** From a function: a command to a connection of a WebSocket API, such as a message. */
  socketRequest: { p50Ms: 10, p99Ms: 40, source: 'assumption' },
  /** From a function: GetSecretValue. */
  secretsRequest: { p50Ms: 10, p99Ms: 40, source: 'assumption' },
} as const satisfies Readonly<Record<string, DelayFigure>>;

export type DelayedStep = keyof typeof AWS_DELAYS;

/** How often Lambda polls a stream for new records. */
export const STREAM_POLL = {
  everyMs: 250,
  source:
    'AWS Lambda developer guide, "Process DynamoDB records with Lambda": a base rate of four polls a second for each shard',
} as const;

/** Delays the steps of the local cloud. */
export interface AwsDelays {
  /** True when no step is delayed. */
  readonly instant: boolean;
  /** Milliseconds between two polls of an idle stream. When undefined, each write wakes the stream's readers. */
  readonly streamPollMs: number | undefined;
  /** Draws the delay of one step, in milliseconds. */
  ms(step: DelayedStep): number;
  /** Waits for the delay of one step. */
  wait(step: DelayedStep): Promise<void>;
  /** Does the work and returns its result, not before the step's delay has passed. */
  atLeast<Result>(step: DelayedStep | undefined, work: () => Promise<Result>): Promise<Result>;
  /** Ends all current waits immediately. Later waits return immediately too. */
  stop(): void;
}

/** No step is delayed. */
export const NO_DELAYS: AwsDelays = {
  instant: true,
  streamPollMs: undefined,
  ms: () => 0,
  wait: async () => {},
  atLeast: (_step, work) => work(),
  stop: () => {},
};

/**
 * AWS's delays. Each delay is drawn from the log-normal distribution that the step's two figures determine. It is
 * capped at {@link CAP} times the p99.
 *
 * @param random the random source of the delays @default a source with a fixed seed
 */
export function awsDelays(random: RandomSource = seededRandom(1)): AwsDelays {
  const sleepers = new Set<() => void>();
  let stopped = false;
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, stopped ? 0 : ms);
      sleepers.add(wake);
    });
  const ms = (step: DelayedStep): number => {
    const { p50Ms, p99Ms } = AWS_DELAYS[step];
    const deviation = Math.log(p99Ms / p50Ms) / NORMAL_P99;
    return Math.min(CAP * p99Ms, p50Ms * Math.exp(deviation * random.normal()));
  };
  return {
    instant: false,
    streamPollMs: STREAM_POLL.everyMs,
    ms,
    wait: (step) => sleep(ms(step)),
    async atLeast(step, work) {
      if (step === undefined) return work();
      const [result] = await Promise.all([work(), sleep(ms(step))]);
      return result;
    },
    stop() {
      stopped = true;
      for (const wake of [...sleepers]) wake();
    },
  };
}

/** The 99th percentile of the standard normal distribution. */
const NORMAL_P99 = 2.326;
const CAP = 3;
