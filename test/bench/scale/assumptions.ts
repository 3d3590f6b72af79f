/**
 * What the simulated region assumes. Latencies are those of services in one region, seen from a function; CPU times
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
  /** A page of a query takes this much longer for each megabyte. */
  latencyPerMegabyteMs: 30,
  /** From the moment a message is visible to the start of its function. */
  deliveryMs: 20,
  /** A function that starts anew takes this much longer. */
  coldStartMs: 500,
  /** Lambda starts this many executions for an SQS queue at first, and so many more each second while messages wait. */
  executions: { first: 5, perSecond: 5, max: 1_000 },

  /** The CPU time of one request in the SDK: marshalling, signing, parsing. */
  cpuPerRequestMs: 0.4,
  /** The same for each item of a response, without the parsing of the ticket, which runs as it is. */
  cpuPerItemMs: 0.004,
  /** How much longer a function of 1,769 MB computes than this machine. */
  cpuFactor: 1.5,

  /** DynamoDB's limits of a partition key, units a second. */
  keyLimits: { write: 1_000, read: 3_000 },
  /** A throttled request is tried again so often by the SDK, after a growing random time. */
  tries: 3,
  retryMs: 60,
} as const;
