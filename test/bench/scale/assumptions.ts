import { CONCURRENCY } from '../../../lib/infra/limits.ts';

/**
 * The assumptions of the simulated region. Latencies are those of services in one region, seen from a function; CPU times
 * were measured on the machine that docs/benchmarks.md names, without a network, and are multiplied by `cpuFactor`.
 */
export const ASSUMPTIONS = {
  /** Milliseconds from a request to its response, without the function's own CPU time. */
  latencyMs: {
    GetItem: 4,
    BatchGetItem: 8,
    PutItem: 6,
    UpdateItem: 6,
    DeleteItem: 6,
    Query: 6,
    TransactWriteItems: 20,
    SendMessageBatch: 10,
  },
  /** Additional milliseconds of a query's page per megabyte. */
  latencyPerMegabyteMs: 30,
  /** Milliseconds from when a message becomes visible to the start of its function. */
  deliveryMs: 20,
  /** Additional milliseconds of a cold start. */
  coldStartMs: 500,
  /** Lambda starts with this many executions for an SQS queue, and adds this many per second while messages wait. */
  executions: { first: 5, perSecond: 5, max: CONCURRENCY.tick },
  /** Lambda's concurrent executions of an account, shared by all functions. */
  accountExecutions: 1_000,

  /** The CPU time of one request in the SDK: marshalling, signing, parsing. */
  cpuPerRequestMs: 0.4,
  /** The same for each item of a response, without parsing the ticket, which is really executed. */
  cpuPerItemMs: 0.004,
  /** The CPU time of a function with 1,769 MB, relative to this machine. */
  cpuFactor: 1.5,

  /** DynamoDB's limits of a partition key, units a second. */
  keyLimits: { write: 1_000, read: 3_000 },
  /** The SDK retries a throttled request this often, after a growing random time. */
  tries: 3,
  retryMs: 60,
} as const;
