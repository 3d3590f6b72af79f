/** The template's event source mappings: what Lambda polls, and which function it calls with what it finds. */
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
  /** Tells that a table was written, so that the readers of its stream look at once. */
  tableWritten(tableName: string): void;
  /** Takes nothing more; settles when the invocations under way have ended. */
  stop(): Promise<void>;
}

export interface EventSourcesOptions {
  readonly stack: Stack;
  readonly functions: readonly LambdaFunction[];
  readonly roleStatements: ReadonlyMap<string, readonly Statement[]>;
  readonly sqs: Sqs;
  readonly dynamodb: DynamoDB;
  readonly positions: StreamPositions;
  /** How long records and messages are on their way. */
  readonly delays: AwsDelays;
  readonly log: (line: string) => void;
}

/**
 * @throws LocalCloudError when a mapping has a source or a function that is not there, or when the function's
 * role does not allow what Lambda does with the source in its name
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

/** The function that a mapping calls, and the queue or table it takes from; what that needs must be allowed. */
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
