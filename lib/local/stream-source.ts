/** An event source mapping from a table's stream to a function. */
import type { AwsDelays } from './aws-delays.ts';
import { AwsCallError, type AwsService, callAws } from './aws-json.ts';
import type { DynamoDB } from './dynamodb.ts';
import { STREAMS_TARGET } from './dynamodb-emulator.ts';
import type { LambdaFunction } from './lambda.ts';
import { StreamBatches } from './stream-batches.ts';
import type { StreamPositions } from './stream-positions.ts';
import { changesSomething, recordOf, type StreamRecord, sequenceNumberOf } from './stream-record.ts';
import { type StreamSettings, streamSettings } from './stream-settings.ts';
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

/** Between polls of an idle stream. A write wakes its readers, which then find its record: a poll later finds none. */
const POLL_MS = 2_000;
/** Between two looks for further shards, and after a failure. */
const SHARDS_MS = 1_000;

/**
 * Reads every shard of the stream, a parent before its children, and invokes the function with batches of the records
 * that pass its filters. A failed batch is retried, in halves if the mapping says so, until its retries or its time
 * are used up. Then it goes to the failure destination, and reading continues with the next batch.
 *
 * @throws LocalCloudError when a filter is malformed or uses an operator without local counterpart
 */
export function startStreamSource(options: StreamSourceOptions): StreamSource {
  return new StreamReader(options, streamSettings(options.mapping));
}

class StreamReader implements StreamSource {
  readonly #options: StreamSourceOptions;
  readonly #settings: StreamSettings;
  readonly #streamArn: string;
  /** Names the reader's positions. */
  readonly #reader: string;
  readonly #signal = makeWakeSignal();
  readonly #batches: StreamBatches;
  readonly #reading: Promise<void>;

  constructor(options: StreamSourceOptions, settings: StreamSettings) {
    const { mapping, table, dynamodb, positions } = options;
    this.#options = options;
    this.#settings = settings;
    this.#streamArn = dynamodb.streamArn(table.name);
    this.#reader = `${mapping.logicalId} ${this.#streamArn}`;
    const keep = (shardId: string, sequenceNumber: string) =>
      positions.set(this.#reader, shardId, sequenceNumber);
    this.#batches = new StreamBatches({ ...options, settings, signal: this.#signal, keep });
    this.#reading = this.#read();
  }

  wake(): void {
    this.#signal.wake();
  }

  stop(): Promise<void> {
    this.#signal.stop();
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { mapping, log } = this.#options;
    while (!this.#signal.stopped) {
      try {
        await this.#readStream();
      } catch (error) {
        if (!this.#signal.stopped) log(`${mapping.logicalId}: ${error}`);
      }
      await this.#signal.pause(SHARDS_MS);
    }
  }

  async #readStream(): Promise<void> {
    const all = await this.#shards();
    const ids = new Set(all.map(({ ShardId }) => ShardId));
    const roots = all.filter(({ ParentShardId }) => ParentShardId === undefined || !ids.has(ParentShardId));
    await Promise.all(roots.map(({ ShardId }) => this.#readLineage(ShardId)));
  }

  async #readLineage(shardId: string): Promise<void> {
    await this.#readShard(shardId);
    while (!this.#signal.stopped) {
      const children = (await this.#shards()).filter(({ ParentShardId }) => ParentShardId === shardId);
      if (children.length > 0) {
        await Promise.all(children.map(({ ShardId }) => this.#readLineage(ShardId)));
        return;
      }
      await this.#signal.pause(SHARDS_MS);
    }
  }

  /** Settles when the shard is closed and read to its end. */
  async #readShard(shardId: string): Promise<void> {
    const { delays } = this.#options;
    const signal = this.#signal;
    let iterator = await this.#iteratorOf(shardId);
    while (!signal.stopped && iterator !== undefined) {
      const { Records = [], NextShardIterator }: RecordsReply = await this.#call('GetRecords', {
        ShardIterator: iterator,
      });
      if (Records.length > 0) await this.#handle(Records, shardId);
      else if (delays.streamPollMs !== undefined) await signal.pause(delays.streamPollMs);
      else await signal.woken(POLL_MS);
      iterator = NextShardIterator;
    }
  }

  async #handle(found: readonly StreamRecord[], shardId: string): Promise<void> {
    const { mapping, positions } = this.#options;
    const { filters, batchSize } = this.#settings;
    const eventSourceArn = String(mapping.properties.EventSourceArn);
    const records = found
      .filter(changesSomething)
      .map((record) => recordOf(record, this.#streamArn, eventSourceArn))
      .filter((record) => filters.some((matches) => matches(record)));
    for (let at = 0; at < records.length; at += batchSize) {
      const batch = records.slice(at, at + batchSize);
      if (!(await this.#batches.deliver(batch, shardId))) return;
      positions.set(this.#reader, shardId, sequenceNumberOf(batch.at(-1)!));
    }
    positions.set(this.#reader, shardId, found.at(-1)!.dynamodb.SequenceNumber);
  }

  async #shards(): Promise<readonly Shard[]> {
    const reply = await this.#call<{ StreamDescription: { Shards: Shard[] } }>('DescribeStream', {
      StreamArn: this.#streamArn,
    });
    return reply.StreamDescription.Shards;
  }

  async #iteratorOf(shardId: string): Promise<string | undefined> {
    const sequenceNumber = this.#options.positions.get(this.#reader, shardId);
    const start =
      sequenceNumber === undefined
        ? { ShardIteratorType: this.#settings.startingPosition }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: sequenceNumber };
    const input = { StreamArn: this.#streamArn, ShardId: shardId };
    try {
      return (await this.#call<IteratorReply>('GetShardIterator', { ...input, ...start })).ShardIterator;
    } catch (error) {
      // The stream no longer has the record at this position, so reading starts at the oldest record.
      if (!(error instanceof AwsCallError) || error.code !== 'TrimmedDataAccessException') throw error;
      const oldest = { ...input, ShardIteratorType: 'TRIM_HORIZON' };
      return (await this.#call<IteratorReply>('GetShardIterator', oldest)).ShardIterator;
    }
  }

  #call<Reply>(operation: string, input: object): Promise<Reply> {
    return callAws<Reply>(this.#options.dynamodb.service, STREAMS_TARGET, operation, input);
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
