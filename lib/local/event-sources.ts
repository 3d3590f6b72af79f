/** The template's event source mappings: the queues and streams that Lambda polls, and the functions it invokes. */
import type { AwsDelays } from './aws-delays.ts';
import type { DynamoDB } from './dynamodb.ts';
import type { LambdaFunction } from './lambda.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { isAllowed, type Statement } from './policy.ts';
import { type QueueSource, startQueueSource } from './queue-source.ts';
import type { Sqs } from './sqs.ts';
import type { StreamPositions } from './stream-positions.ts';
import { type StreamSource, startStreamSource } from './stream-source.ts';
import type { Properties, Resource, Stack } from './template.ts';

export interface EventSources {
  /** Wakes the readers of the table's stream after a write to the table. */
  tableWritten(tableName: string): void;
  /** Stops polling. Settles when the running invocations have ended. */
  stop(): Promise<void>;
}

export interface EventSourcesOptions {
  readonly stack: Stack;
  readonly functions: readonly LambdaFunction[];
  readonly roleStatements: ReadonlyMap<string, readonly Statement[]>;
  readonly sqs: Sqs;
  readonly dynamodb: DynamoDB;
  readonly positions: StreamPositions;
  /** Delays of the delivery of records and messages. */
  readonly delays: AwsDelays;
  readonly log: (line: string) => void;
}

/** AWS throttles further readers of a shard. */
const READERS_MAX = 2;

/**
 * @throws LocalCloudError when a mapping's source or function is not in the template, when the function's role does not
 * allow the calls that Lambda makes to the source, or when a stream has more than two readers
 */
export function startEventSources(options: EventSourcesOptions): EventSources {
  const { stack, sqs } = options;
  const mappings = stack
    .resources('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => properties.Enabled !== false)
    .map((mapping) => ({ mapping, ...endsOf(mapping, options) }));
  const streams: { readonly tableName: string; readonly source: StreamSource }[] = [];
  const queues: QueueSource[] = [];
  for (const { mapping, target, source } of mappings) {
    if (source.type === 'AWS::SQS::Queue') {
      queues.push(startQueueSource({ ...options, mapping, target, queue: source, sqs: sqs.service }));
    } else {
      const readers = mappings.filter((one) => one.source === source).length;
      if (readers > READERS_MAX)
        throw new LocalCloudError(
          `Expected at most ${READERS_MAX} event source mappings of the stream of ${source.logicalId}, which AWS lets read a shard at once, got ${readers}. Let one function do the work of two.`,
        );
      const started = startStreamSource({ ...options, mapping, target, table: source, sqs: sqs.service });
      streams.push({ tableName: source.name, source: started });
    }
  }
  return {
    tableWritten(tableName) {
      for (const stream of streams) if (stream.tableName === tableName) stream.source.wake();
    },
    async stop() {
      const stopping = [...queues, ...streams.map(({ source }) => source)].map((source) => source.stop());
      await sqs.endWaitsUntil(Promise.all(stopping));
    },
  };
}

const QUEUE_ACTIONS = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
const STREAM_ACTIONS = [
  'dynamodb:DescribeStream',
  'dynamodb:GetRecords',
  'dynamodb:GetShardIterator',
  'dynamodb:ListStreams',
];

/** The function that a mapping invokes, and its source queue or table. The function's role must allow access. */
function endsOf(
  mapping: Resource,
  { stack, functions, roleStatements }: EventSourcesOptions,
): { target: LambdaFunction; source: Resource } {
  const { FunctionName, EventSourceArn, DestinationConfig } = mapping.properties;
  const sourceArn = String(EventSourceArn);
  const target = functions.find(({ name, arn }) => FunctionName === name || FunctionName === arn);
  const source = stack
    .resources('AWS::SQS::Queue', 'AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table')
    .find(({ arn }) => sourceArn === arn || sourceArn.startsWith(`${arn}/stream/`));
  if (target === undefined || source === undefined) {
    throw new LocalCloudError(
      `The event source mapping ${mapping.logicalId} needs a function and a queue or table stream of the template, got ${FunctionName} and ${sourceArn}.`,
    );
  }
  const require = (action: string, resourceArn: string) => {
    if (isAllowed(roleStatements.get(target.roleName) ?? [], { action, resourceArn })) return;
    throw new LocalCloudError(
      `The event source mapping ${mapping.logicalId} needs the role of ${target.logicalId} to allow ${action} on ${resourceArn}.`,
    );
  };
  for (const action of source.type === 'AWS::SQS::Queue' ? QUEUE_ACTIONS : STREAM_ACTIONS) {
    require(action, sourceArn);
  }
  const onFailure = (DestinationConfig as { OnFailure?: Properties } | undefined)?.OnFailure;
  if (onFailure !== undefined) require('sqs:SendMessage', String(onFailure.Destination));
  return { target, source };
}
