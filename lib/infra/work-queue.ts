import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { MusterFunction } from './muster-function.ts';

export interface WorkQueueProps {
  /** The only function that receives messages from the queue. */
  readonly consumer: MusterFunction;
  /** The environment variable with the queue's URL. */
  readonly variable: string;
  /** The maximum of messages per invocation. With more than one, the function reports which of them failed. */
  readonly batchSize: number;
  /** How often a message is received before it goes to the dead letters. */
  readonly maxReceiveCount: number;
  /**
   * How long the queue keeps a message.
   * @default 4 days
   */
  readonly retentionPeriod?: Duration;
  /** The maximum of concurrent invocations by this queue, 2 to 1000. */
  readonly maxConcurrency: number;
  /**
   * Where messages go after `maxReceiveCount`.
   * @default a queue of its own
   */
  readonly deadLetters?: Queue;
}

/** A queue, its dead letters, and the function that consumes it. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly #variable: string;

  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    super(scope, id);
    this.#variable = props.variable;
    this.deadLetters = props.deadLetters ?? deadLetterQueue(this, 'DeadLetters');
    this.queue = new Queue(this, 'Queue', {
      visibilityTimeout: visibilityOf(props.consumer.timeout!),
      retentionPeriod: props.retentionPeriod ?? Duration.days(4),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceiveCount },
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    const receives = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
    props.consumer.permit('sqs', receives, [this.queue.queueArn]);
    new EventSourceMapping(this, 'Source', {
      target: props.consumer,
      eventSourceArn: this.queue.queueArn,
      batchSize: props.batchSize,
      reportBatchItemFailures: props.batchSize > 1,
      maxConcurrency: props.maxConcurrency,
    });
  }

  /** Sets the queue's URL in the function's environment and lets it send messages. */
  allowSend(fn: MusterFunction): void {
    fn.addEnvironment(this.#variable, this.queue.queueUrl);
    fn.permit('sqs', ['SendMessage'], [this.queue.queueArn]);
  }

  /** Sets the queue's URL in the function's environment and lets it postpone the next try of a received message. */
  allowPostpone(fn: MusterFunction): void {
    fn.addEnvironment(this.#variable, this.queue.queueUrl);
    fn.permit('sqs', ['ChangeMessageVisibility'], [this.queue.queueArn]);
  }
}

/**
 * How long a received message is hidden: until its function has ended, and some time for Lambda to delete it. A message
 * whose function was stopped is received again after this time.
 *
 * Lambda rejects less than the function's timeout. AWS advises six times as much, so that Lambda can repeat a throttled
 * invocation before others receive its messages. Here no queue invokes more functions than `maxConcurrency`, so only
 * the account's limit throttles; then the messages are received again, and `maxReceiveCount` has room for minutes of it.
 */
function visibilityOf(timeout: Duration): Duration {
  return Duration.seconds(Math.ceil(1.2 * timeout.toSeconds()));
}

/** Sets the URLs of dead-letter queues by consumer in the function's environment and lets it count their messages. */
export function allowCount(fn: MusterFunction, deadLetters: Readonly<Record<string, Queue>>): void {
  const queues = Object.entries(deadLetters);
  const urls = Object.fromEntries(queues.map(([consumer, { queueUrl }]) => [consumer, queueUrl]));
  fn.addEnvironment('DEAD_LETTER_URLS', Stack.of(fn).toJsonString(urls));
  const arns = queues.map(([, { queueArn }]) => queueArn);
  fn.permit('sqs', ['GetQueueAttributes'], arns);
}

/** A queue for failed messages. It keeps them for two weeks, the maximum of SQS. */
export function deadLetterQueue(scope: Construct, id: string): Queue {
  return new Queue(scope, id, {
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
  });
}
