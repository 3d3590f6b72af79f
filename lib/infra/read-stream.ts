import {
  EventSourceMapping,
  type EventSourceMappingProps,
  FilterCriteria,
  FilterRule,
} from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { MusterFunction } from './muster-function.ts';
import type { StoreTable } from './store.ts';

export interface StreamReaderProps
  extends Pick<
    EventSourceMappingProps,
    'startingPosition' | 'parallelizationFactor' | 'retryAttempts' | 'maxRecordAge'
  > {
  readonly fn: MusterFunction;
  readonly table: StoreTable;
  /** The kinds of writes that are passed. */
  readonly events: readonly ('INSERT' | 'MODIFY')[];
  /** Filters of the new item, of which one must match. @default every item does */
  readonly images?: readonly Record<string, unknown>[];
  /** Whether the function reports the first failed record. Otherwise a failed batch is halved. */
  readonly reportsFailures: boolean;
  /** Dead letters point to records of the stream and contain no items. @default none: records that fail are dropped */
  readonly deadLetters?: Queue;
}

/**
 * Invokes a function with the records of a table's stream, in order per item. AWS lets two readers read a shard at once, for a
 * table in one region; further ones are throttled.
 */
export function readStream(scope: Construct, id: string, props: StreamReaderProps): void {
  const { fn, table, events, images = [undefined], reportsFailures, deadLetters, ...settings } = props;
  const reads = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
  fn.permit('dynamodb', reads, [table.tableStreamArn!]);
  if (deadLetters !== undefined) fn.permit('sqs', ['SendMessage'], [deadLetters.queueArn]);
  new EventSourceMapping(scope, id, {
    ...settings,
    target: fn,
    eventSourceArn: table.tableStreamArn!,
    batchSize: 100,
    reportBatchItemFailures: reportsFailures,
    filters: images.map((NewImage) =>
      FilterCriteria.filter({
        eventName: events.length === 1 ? FilterRule.isEqual(events[0]!) : FilterRule.or(...events),
        ...(NewImage && { dynamodb: { NewImage } }),
      }),
    ),
    ...(deadLetters && {
      bisectBatchOnError: true,
      onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
    }),
  });
}

/**
 * Tickets that have ended without a match, whose change is an event. A ticket that ends with its match is covered by the match's
 * event.
 */
export const ENDED_TICKETS = { status: { S: FilterRule.or('CANCELLED', 'TIMED_OUT', 'FAILED') } };

/** Matches, except abandoned ones, and without the items of answers. */
export const GAMES = { game: { S: FilterRule.exists() } };
