import { type EventBus, EventField, type EventPattern, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { MusterFunction, type MusterFunctionProps } from './muster-function.ts';
import { WorkQueue, type WorkQueueProps } from './work-queue.ts';

export interface SubscriberProps
  extends Pick<MusterFunctionProps, 'name' | 'description' | 'timeout' | 'sendsToItself' | 'stage'>,
    Pick<WorkQueueProps, 'variable' | 'maxReceiveCount' | 'maxConcurrency'> {
  readonly bus: EventBus;
  /** The pattern of the events. */
  readonly pattern: EventPattern;
}

/**
 * A function that receives events of the bus through a queue, each at least once, and ten at a time at most. Each message has a
 * second less than the invocation.
 */
export class Subscriber extends Construct {
  readonly fn: MusterFunction;
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, props: SubscriberProps) {
    super(scope, id);
    const { bus, pattern, variable, maxReceiveCount, maxConcurrency, ...of } = props;
    this.fn = new MusterFunction(this, 'Function', of);
    const received = { variable, batchSize: 10, maxReceiveCount, maxConcurrency };
    this.queue = new WorkQueue(this, 'Events', { consumer: this.fn, ...received });
    new Rule(this, 'Rule', {
      eventBus: bus,
      eventPattern: { source: ['muster'], ...pattern },
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
