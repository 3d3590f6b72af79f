import { Duration } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { MusterFunction } from './muster-function.ts';

export interface WorkQueueProps {
  /** The one function that takes messages from the queue. */
  readonly consumer: MusterFunction;
  /** The environment variable that tells a function the queue's URL. */
  readonly variable: string;
  /** How many messages one invocation gets at most. With more than one, the function reports which of them failed. */
  readonly batchSize: number;
  /** How often a message is tried before it goes to the dead letters. */
  readonly maxReceiveCount: number;
  /**
   * How long a message may wait.
   * @default 4 days
   */
  readonly retentionPeriod?: Duration;
  /**
   * How many invocations may run at once, 2 to 1000.
   * @default as many as the account allows
   */
  readonly maxConcurrency?: number | undefined;
}

/** A queue, its dead letters, and the function that empties it. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly #variable: string;

  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    super(scope, id);
    this.#variable = props.variable;
    this.deadLetters = deadLetterQueue(this, 'DeadLetters');
    this.queue = new Queue(this, 'Queue', {
      // Six times the function's timeout, as Lambda asks: a throttled batch is repeated before it becomes visible again.
      visibilityTimeout: Duration.seconds(6 * props.consumer.timeout!.toSeconds()),
      retentionPeriod: props.retentionPeriod ?? Duration.days(4),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceiveCount },
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    this.#grant(props.consumer, 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes');
    new EventSourceMapping(this, 'Source', {
      target: props.consumer,
      eventSourceArn: this.queue.queueArn,
      batchSize: props.batchSize,
      reportBatchItemFailures: props.batchSize > 1,
      ...(props.maxConcurrency === undefined ? {} : { maxConcurrency: props.maxConcurrency }),
    });
  }

  /** Tells the function the queue's URL and lets it send messages. */
  allowSend(fn: MusterFunction): void {
    fn.addEnvironment(this.#variable, this.queue.queueUrl);
    this.#grant(fn, 'SendMessage');
  }

  /** Tells the function the queue's URL and lets it postpone the next try of a message it has received. */
  allowPostpone(fn: MusterFunction): void {
    fn.addEnvironment(this.#variable, this.queue.queueUrl);
    this.#grant(fn, 'ChangeMessageVisibility');
  }

  #grant(fn: MusterFunction, ...actions: string[]): void {
    Grant.addToPrincipal({
      grantee: fn,
      actions: actions.map((action) => `sqs:${action}`),
      resourceArns: [this.queue.queueArn],
    });
  }
}

/** A queue for what could not be handled, kept two weeks, the longest SQS has, for somebody to look at. */
export function deadLetterQueue(scope: Construct, id: string): Queue {
  return new Queue(scope, id, {
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
  });
}
