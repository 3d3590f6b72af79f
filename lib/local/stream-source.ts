/** An event source mapping from a table's stream to a function. */
import { randomUUID } from 'node:crypto';
import type { AwsDelays } from './aws-delays.ts';
import { AwsCallError, type AwsService, callAws } from './aws-json.ts';
import { failuresOf } from './batch-failures.ts';
import type { DynamoDB } from './dynamodb.ts';
import { STREAMS_TARGET } from './dynamodb-emulator.ts';
import type { LambdaFunction } from './lambda.ts';
import type { InvocationResult } from './lambda-worker.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { compilePattern, type Pattern, PatternError } from './pattern.ts';
import { SQS_TARGET } from './sqs.ts';
import type { StreamPositions } from './stream-positions.ts';
import {
  ageMs,
  arrivalOf,
  changesSomething,
  type LambdaRecord,
  recordOf,
  type StreamRecord,
  sequenceNumberOf,
} from './stream-record.ts';
import type { Resource } from './template.ts';
import { makeWakeSignal } from './wake-signal.ts';

export interface StreamSource {
  /** Signals that there may be new records. */
  wake(): void;
  /** Stops reading. Settles when the running invocation has ended. */
  stop(): Promise<void>;
}

export interface StreamSourceOptions {
  /** The AWS::Lambda::EventSourceMapping. */
  readonly mapping: Resource;
  readonly table: Resource;
  readonly target: LambdaFunction;
  readonly dynamodb: DynamoDB;
  /** Receives the batches that fail permanently. */
  readonly sqs: AwsService;
  readonly positions: StreamPositions;
  /** Determines how often an idle stream is polled. */
  readonly delays: AwsDelays;
  readonly log: (line: string) => void;
}

/** Between polls of an idle stream. The pause is short after a write and grows from poll to poll. */
const LOOK_MIN_MS = 10;
const LOOK_MAX_MS = 1_000;
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 10_000;

/**
 * Reads every shard of the stream, a parent before its children, and invokes the function with batches of the records
 * that pass its filters. A failed batch is retried, in halves if the mapping says so, until its retries or its time
 * are used up. Then it goes to the failure destination, and reading continues with the next batch.
 *
 * @throws LocalCloudError when a filter is malformed or uses an operator without local counterpart
 */
export function startStreamSource(options: StreamSourceOptions): StreamSource {
  const { mapping, table, target, dynamodb, sqs, positions, delays, log } = options;
  const settings = settingsOf(mapping);
  const streamArn = dynamodb.streamArn(table.name);
  const reader = `${mapping.logicalId} ${streamArn}`;
  const eventSourceArn = String(mapping.properties.EventSourceArn);
  const signal = makeWakeSignal();

  const call = <Reply>(operation: string, input: object) =>
    callAws<Reply>(dynamodb.service, STREAMS_TARGET, operation, input);

  const shards = async (): Promise<readonly Shard[]> => {
    const { StreamDescription } = await call<{ StreamDescription: { Shards: Shard[] } }>('DescribeStream', {
      StreamArn: streamArn,
    });
    return StreamDescription.Shards;
  };

  const readStream = async () => {
    const all = await shards();
    const ids = new Set(all.map(({ ShardId }) => ShardId));
    const roots = all.filter(({ ParentShardId }) => ParentShardId === undefined || !ids.has(ParentShardId));
    await Promise.all(roots.map(({ ShardId }) => readLineage(ShardId)));
  };

  const readLineage = async (shardId: string): Promise<void> => {
    await readShard(shardId);
    while (!signal.stopped) {
      const children = (await shards()).filter(({ ParentShardId }) => ParentShardId === shardId);
      if (children.length > 0) {
        await Promise.all(children.map(({ ShardId }) => readLineage(ShardId)));
        return;
      }
      await signal.pause(LOOK_MAX_MS);
    }
  };

  /** Settles when the shard is closed and read to its end. */
  const readShard = async (shardId: string) => {
    let iterator = await iteratorOf(shardId);
    let lookMs = LOOK_MIN_MS;
    while (!signal.stopped && iterator !== undefined) {
      const { Records = [], NextShardIterator }: RecordsReply = await call('GetRecords', {
        ShardIterator: iterator,
      });
      if (Records.length > 0) await handle(Records, shardId);
      else if (delays.streamPollMs !== undefined) await signal.pause(delays.streamPollMs);
      else if (await signal.woken(lookMs)) lookMs = LOOK_MIN_MS;
      else lookMs = Math.min(2 * lookMs, LOOK_MAX_MS);
      iterator = NextShardIterator;
    }
  };

  const iteratorOf = async (shardId: string): Promise<string | undefined> => {
    const sequenceNumber = positions.get(reader, shardId);
    const start =
      sequenceNumber === undefined
        ? { ShardIteratorType: settings.startingPosition }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: sequenceNumber };
    const input = { StreamArn: streamArn, ShardId: shardId };
    try {
      return (await call<IteratorReply>('GetShardIterator', { ...input, ...start })).ShardIterator;
    } catch (error) {
      // The stream no longer has the record at this position, so reading starts at the oldest record.
      if (!(error instanceof AwsCallError) || error.code !== 'TrimmedDataAccessException') throw error;
      const oldest = { ...input, ShardIteratorType: 'TRIM_HORIZON' };
      return (await call<IteratorReply>('GetShardIterator', oldest)).ShardIterator;
    }
  };

  const handle = async (found: readonly StreamRecord[], shardId: string) => {
    const records = found
      .filter(changesSomething)
      .map((record) => recordOf(record, streamArn, eventSourceArn))
      .filter((record) => settings.filters.some((matches) => matches(record)));
    for (let at = 0; at < records.length; at += settings.batchSize) {
      const batch = records.slice(at, at + settings.batchSize);
      if (!(await deliver(batch, shardId, 0))) return;
      positions.set(reader, shardId, sequenceNumberOf(batch.at(-1)!));
    }
    positions.set(reader, shardId, found.at(-1)!.dynamodb.SequenceNumber);
  };

  /** True when every record of the batch was handled or given up; false when the source was stopped earlier. */
  const deliver = async (
    batch: readonly LambdaRecord[],
    shardId: string,
    retries: number,
  ): Promise<boolean> => {
    if (signal.stopped) return false;
    const result = await target.invoke({ Records: batch });
    const failures = failuresOf(result, batch.map(sequenceNumberOf), mapping.properties);
    const firstFailed = batch.findIndex((record) => failures.has(sequenceNumberOf(record)));
    if (firstFailed === -1) return true;
    if (signal.stopped) return false;
    if (firstFailed > 0) positions.set(reader, shardId, sequenceNumberOf(batch[firstFailed - 1]!));
    const rest = batch.slice(firstFailed);
    const tooOld = ageMs(rest[0]!) > settings.recordAgeMaxMs;
    if (tooOld || retries >= settings.retriesMax) {
      const condition = tooOld ? 'RecordAgeExceeded' : 'RetryAttemptsExhausted';
      await giveUp(rest, shardId, retries + 1, result, condition);
      return true;
    }
    await signal.pause(Math.min(RETRY_MIN_MS * 2 ** retries, RETRY_MAX_MS));
    if (firstFailed > 0 || !settings.bisects || rest.length === 1) return deliver(rest, shardId, retries + 1);
    // Halving does not count as a retry.
    const middle = Math.ceil(rest.length / 2);
    return (
      (await deliver(rest.slice(0, middle), shardId, retries)) &&
      (await deliver(rest.slice(middle), shardId, retries))
    );
  };

  const giveUp = async (
    batch: readonly LambdaRecord[],
    shardId: string,
    invokeCount: number,
    result: InvocationResult,
    condition: string,
  ) => {
    log(`${mapping.logicalId}: gave up ${batch.length} records: ${condition}`);
    if (settings.failureQueueName === undefined) return;
    await callAws(sqs, SQS_TARGET, 'SendMessage', {
      QueueUrl: settings.failureQueueName,
      MessageBody: JSON.stringify({
        requestContext: {
          requestId: randomUUID(),
          functionArn: target.arn,
          condition,
          approximateInvokeCount: invokeCount,
        },
        responseContext: {
          statusCode: 200,
          executedVersion: '$LATEST',
          functionError: result.ok ? null : 'Unhandled',
        },
        version: '1.0',
        timestamp: new Date().toISOString(),
        DDBStreamBatchInfo: {
          shardId,
          startSequenceNumber: sequenceNumberOf(batch[0]!),
          endSequenceNumber: sequenceNumberOf(batch.at(-1)!),
          approximateArrivalOfFirstRecord: arrivalOf(batch[0]!),
          approximateArrivalOfLastRecord: arrivalOf(batch.at(-1)!),
          batchSize: batch.length,
          streamArn: eventSourceArn,
        },
      }),
    });
  };

  const read = async () => {
    while (!signal.stopped) {
      try {
        await readStream();
      } catch (error) {
        if (!signal.stopped) log(`${mapping.logicalId}: ${error}`);
      }
      await signal.pause(LOOK_MAX_MS);
    }
  };
  const reading = read();

  return {
    wake: signal.wake,
    stop() {
      signal.stop();
      return reading;
    },
  };
}

interface Settings {
  readonly startingPosition: string;
  readonly batchSize: number;
  readonly bisects: boolean;
  readonly retriesMax: number;
  readonly recordAgeMaxMs: number;
  readonly filters: readonly Pattern[];
  readonly failureQueueName: string | undefined;
}

function settingsOf({ logicalId, properties }: Resource): Settings {
  const {
    StartingPosition = 'TRIM_HORIZON',
    BatchSize = 100,
    BisectBatchOnFunctionError = false,
    MaximumRetryAttempts = -1,
    MaximumRecordAgeInSeconds = -1,
    FilterCriteria,
    DestinationConfig,
  } = properties;
  const { Filters = [] } = (FilterCriteria ?? {}) as { Filters?: { Pattern: string }[] };
  const destination = (DestinationConfig as { OnFailure?: { Destination?: string } } | undefined)?.OnFailure;
  return {
    startingPosition: String(StartingPosition),
    batchSize: Number(BatchSize),
    bisects: BisectBatchOnFunctionError === true,
    retriesMax: unlessForever(MaximumRetryAttempts),
    recordAgeMaxMs: unlessForever(MaximumRecordAgeInSeconds) * 1000,
    filters: Filters.length === 0 ? [() => true] : Filters.map(({ Pattern }) => filterOf(Pattern, logicalId)),
    failureQueueName: destination?.Destination?.split(':').at(-1),
  };
}

function unlessForever(limit: unknown): number {
  return Number(limit) === -1 ? Number.POSITIVE_INFINITY : Number(limit);
}

function filterOf(pattern: string, logicalId: string): Pattern {
  try {
    return compilePattern(JSON.parse(pattern));
  } catch (error) {
    if (error instanceof PatternError || error instanceof SyntaxError) {
      throw new LocalCloudError(`A filter of ${logicalId}: ${error.message}`);
    }
    throw error;
  }
}

interface Shard {
  readonly ShardId: string;
  readonly ParentShardId?: string;
}

interface IteratorReply {
  readonly ShardIterator?: string;
}

interface RecordsReply {
  readonly Records?: readonly StreamRecord[];
  readonly NextShardIterator?: string;
}
