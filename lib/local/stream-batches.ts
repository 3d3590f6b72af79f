/** The delivery of a stream's records to a function, with retries. */
import { randomUUID } from 'node:crypto';
import { type AwsService, callAws } from './aws-json.ts';
import { failuresOf } from './batch-failures.ts';
import type { LambdaFunction } from './lambda.ts';
import type { InvocationResult } from './lambda-worker.ts';
import { SQS_TARGET } from './sqs.ts';
import { ageMs, arrivalOf, type LambdaRecord, sequenceNumberOf } from './stream-record.ts';
import type { StreamSettings } from './stream-settings.ts';
import type { Resource } from './template.ts';
import type { WakeSignal } from './wake-signal.ts';

const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 10_000;

export interface StreamBatchesOptions {
  readonly mapping: Resource;
  readonly target: LambdaFunction;
  readonly settings: StreamSettings;
  readonly signal: WakeSignal;
  /** Receives the batches that fail permanently. */
  readonly sqs: AwsService;
  /** Stores the position up to which a shard is handled. */
  readonly keep: (shardId: string, sequenceNumber: string) => void;
  readonly log: (line: string) => void;
}

export class StreamBatches {
  readonly #options: StreamBatchesOptions;

  constructor(options: StreamBatchesOptions) {
    this.#options = options;
  }

  /** True when every record of the batch was handled or given up; false when the source was stopped earlier. */
  async deliver(batch: readonly LambdaRecord[], shardId: string, retries = 0): Promise<boolean> {
    const { signal, target, mapping, settings, keep } = this.#options;
    if (signal.stopped) return false;
    const result = await target.invoke({ Records: batch });
    const failures = failuresOf(result, batch.map(sequenceNumberOf), mapping.properties);
    const firstFailed = batch.findIndex((record) => failures.has(sequenceNumberOf(record)));
    if (firstFailed === -1) return true;
    if (signal.stopped) return false;
    if (firstFailed > 0) keep(shardId, sequenceNumberOf(batch[firstFailed - 1]!));
    const rest = batch.slice(firstFailed);
    const tooOld = ageMs(rest[0]!) > settings.recordAgeMaxMs;
    if (tooOld || retries >= settings.retriesMax) {
      const condition = tooOld ? 'RecordAgeExceeded' : 'RetryAttemptsExhausted';
      await this.#giveUp(rest, shardId, retries + 1, result, condition);
      return true;
    }
    await signal.pause(Math.min(RETRY_MIN_MS * 2 ** retries, RETRY_MAX_MS));
    if (firstFailed > 0 || !settings.bisects || rest.length === 1)
      return this.deliver(rest, shardId, retries + 1);
    // Halving does not count as a retry.
    const middle = Math.ceil(rest.length / 2);
    return (
      (await this.deliver(rest.slice(0, middle), shardId, retries)) &&
      (await this.deliver(rest.slice(middle), shardId, retries))
    );
  }

  async #giveUp(
    batch: readonly LambdaRecord[],
    shardId: string,
    invokeCount: number,
    result: InvocationResult,
    condition: string,
  ): Promise<void> {
    const { mapping, target, settings, sqs, log } = this.#options;
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
          streamArn: mapping.properties.EventSourceArn,
        },
      }),
    });
  }
}
