import type { Duration } from 'aws-cdk-lib';
import { type EventBus, EventField, type EventPattern, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { FunctionName } from './bundle.ts';
import { MusterFunction } from './muster-function.ts';
import type { StagePolicy } from './stage-policy.ts';
import { WorkQueue } from './work-queue.ts';

export interface SubscriberProps {
  readonly bus: EventBus;
  /** The pattern of the events. */
  readonly pattern: EventPattern;
  /** The function that receives them, at most ten at a time. */
  readonly name: FunctionName;
  readonly description: string;
  /** See {@link WorkQueueProps.variable}. */
  readonly variable: string;
  /** How long an invocation may take. Each message has a second less. */
  readonly timeout: Duration;
  /** See {@link WorkQueueProps.maxReceiveCount}. */
  readonly maxReceiveCount: number;
  /** See {@link WorkQueueProps.maxConcurrency}. */
  readonly maxConcurrency: number;
  /** See {@link MusterFunctionProps.sendsToItself}. */
  readonly sendsToItself?: boolean;
  readonly stage: StagePolicy;
}

/** A function that receives events of the bus through a queue, each at least once. */
export class Subscriber extends Construct {
  readonly fn: MusterFunction;
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, props: SubscriberProps) {
    super(scope, id);
    this.fn = new MusterFunction(this, 'Function', {
      name: props.name,
      description: props.description,
      timeout: props.timeout,
      sendsToItself: props.sendsToItself ?? false,
      stage: props.stage,
    });
    this.queue = new WorkQueue(this, 'Events', {
      consumer: this.fn,
      variable: props.variable,
      batchSize: 10,
      maxReceiveCount: props.maxReceiveCount,
      maxConcurrency: props.maxConcurrency,
    });
    new Rule(this, 'Rule', {
      eventBus: props.bus,
      eventPattern: { source: ['muster'], ...props.pattern },
      targets: [
        new SqsQueue(this.queue.queue, {
          // Each queue of the studio is a group, so that one with many slow messages does not delay the others.
          messageGroupId: EventField.fromPath('$.detail.queue'),
          // Events that cannot be sent to the SQS queue have the format of its messages, so they share its dead letters.
          deadLetterQueue: this.queue.deadLetters,
        }),
      ],
    });
  }
}
