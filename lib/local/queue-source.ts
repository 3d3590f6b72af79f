/** An event source mapping from an SQS queue to a function. */
import type { AwsDelays } from './aws-delays.ts';
import { type AwsService, callAws } from './aws-json.ts';
import { failuresOf } from './batch-failures.ts';
import type { LambdaFunction } from './lambda.ts';
import { REGION } from './local-account.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { SQS_TARGET } from './sqs.ts';
import type { Resource } from './template.ts';

export interface QueueSource {
  /** Stops receiving. Settles when the running invocations have ended. */
  stop(): Promise<void>;
}

export interface QueueSourceOptions {
  /** The AWS::Lambda::EventSourceMapping. */
  readonly mapping: Resource;
  readonly queue: Resource;
  readonly target: LambdaFunction;
  readonly sqs: AwsService;
  /** Delays of the delivery of messages. */
  readonly delays: AwsDelays;
  readonly log: (line: string) => void;
}

/** Lambda starts with this many pollers. */
const INVOCATIONS_MAX = 5;
const WAIT_SECONDS = 20;
const AFTER_FAULT_MS = 500;

/** @throws LocalCloudError when the mapping uses filters, which have no local counterpart for queues */
export function startQueueSource({
  mapping,
  queue,
  target,
  sqs,
  delays,
  log,
}: QueueSourceOptions): QueueSource {
  const { BatchSize = 10, FilterCriteria, ScalingConfig } = mapping.properties;
  if (FilterCriteria !== undefined) {
    throw new LocalCloudError(`${mapping.logicalId}: filters on queues have no local counterpart.`);
  }
  const { MaximumConcurrency = INVOCATIONS_MAX } = (ScalingConfig ?? {}) as { MaximumConcurrency?: number };
  const invocationsMax = Math.min(MaximumConcurrency, INVOCATIONS_MAX);
  const underWay = new Set<Promise<void>>();
  let stopped = false;

  const receive = async (): Promise<Message[]> => {
    const { Messages = [] } = await callAws<{ Messages?: Message[] }>(sqs, SQS_TARGET, 'ReceiveMessage', {
      QueueUrl: queue.ref,
      MaxNumberOfMessages: Math.min(Number(BatchSize), 10),
      WaitTimeSeconds: WAIT_SECONDS,
      MessageSystemAttributeNames: ['All'],
    });
    return Messages;
  };

  /** A failed message stays in flight until its visibility timeout ends. Then it is received again. */
  const handle = async (messages: readonly Message[]): Promise<void> => {
    await delays.wait('sqsDelivery');
    const result = await target.invoke({ Records: messages.map((message) => recordOf(message, queue.arn)) });
    const identifiers = messages.map(({ MessageId }) => MessageId);
    const failures = failuresOf(result, identifiers, mapping.properties);
    const done = messages.filter(({ MessageId }) => !failures.has(MessageId));
    if (done.length === 0) return;
    await callAws(sqs, SQS_TARGET, 'DeleteMessageBatch', {
      QueueUrl: queue.ref,
      Entries: done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
    });
  };

  const poll = async () => {
    while (!stopped) {
      try {
        const messages = await receive();
        if (messages.length === 0) continue;
        const handled = handle(messages)
          .catch((error) => log(`${mapping.logicalId}: ${error}`))
          .finally(() => underWay.delete(handled));
        underWay.add(handled);
        if (underWay.size >= invocationsMax) await Promise.race(underWay);
      } catch (error) {
        log(`${mapping.logicalId}: ${error}`);
        await new Promise((resolve) => setTimeout(resolve, AFTER_FAULT_MS));
      }
    }
    await Promise.all(underWay);
  };
  const polling = poll();

  return {
    stop() {
      stopped = true;
      return polling;
    },
  };
}

/** A message as SQS returns it. */
interface Message {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes?: Readonly<Record<string, string>>;
}

/** A message as Lambda passes it to the function. Messages of Muster have no attributes. */
function recordOf(message: Message, eventSourceARN: string) {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: {},
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: REGION,
  };
}
