import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { BundledModule } from '../rules/custom/bundle.ts';
import type { Limits } from './limits.ts';
import { MusterFunction } from './muster-function.ts';
import type { StagePolicy } from './stage-policy.ts';
import type { Store } from './store.ts';
import { WorkQueue } from './work-queue.ts';

export interface TickProps {
  readonly store: Store;
  readonly limits: Limits;
  readonly code: BundledModule | undefined;
  readonly stage: StagePolicy;
}

/** Every minute `dispatch` sends the ticks of the next two minutes, each with its delay. `tick` searches one range of skill. */
export class Tick extends Construct {
  readonly dispatch: MusterFunction;
  readonly tick: MusterFunction;
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, props: TickProps) {
    super(scope, id);
    const { store, limits, stage } = props;

    this.tick = new MusterFunction(this, 'Tick', {
      name: 'tick',
      description: 'Searches one range of a queue and commits the matches that its release policy releases',
      memorySizeMb: 1769,
      code: props.code,
      reservedConcurrency: limits.reserved.tick,
      stage,
    });
    // The odds of a match, in queues with a ladder.
    store.ratings.allow(this.tick, 'BatchGetItem', 'GetItem');
    store.queues.allow(this.tick, 'GetItem', 'UpdateItem');
    store.ranges.allow(this.tick, 'BatchGetItem', 'GetItem', 'UpdateItem');
    store.tickets.allow(this.tick, 'BatchGetItem', 'UpdateItem');
    store.allowPoolReads(this.tick);
    store.entries.allow(this.tick, 'PutItem', 'DeleteItem');
    store.matches.allow(this.tick, 'BatchGetItem', 'PutItem', 'UpdateItem');
    this.queue = new WorkQueue(this, 'Ticks', {
      consumer: this.tick,
      variable: 'TICK_QUEUE_URL',
      batchSize: 1,
      maxReceiveCount: 15,
      // A failed tick is stale when it is retried, and is dropped, because later ticks are due. The alarms on the function report
      // the failure. Only a tick that fails before it computes its age reaches the dead letters, after three minutes. Older
      // messages are useless.
      retentionPeriod: Duration.minutes(10),
      maxConcurrency: limits.concurrency.tick,
    });

    // The message of a slot becomes one for each range, and those send none. Lambda stops a function that invokes itself through
    // a queue 16 times in a row; here the chain is two.
    this.queue.allowSend(this.tick);

    this.dispatch = new MusterFunction(this, 'Dispatch', {
      name: 'dispatch',
      description:
        'Sends the ticks of the next minute for every queue with waiting tickets, and finds overdue matches',
      timeout: Duration.seconds(30),
      // A whole processor: its first run parses the definitions of all queues, which may take 16 ms each.
      memorySizeMb: 1769,
      // The next minute replaces a missed one. A retried or late invocation would only send its ticks late.
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      reservedConcurrency: limits.reserved.dispatch,
      stage,
    });
    store.queues.allow(this.dispatch, 'BatchGetItem', 'DeleteItem', 'UpdateItem');
    store.queues.allowIndexQuery(this.dispatch, 'items');
    store.queues.allow(this.dispatch, 'GetItem');
    store.ranges.allow(this.dispatch, 'BatchGetItem', 'DeleteItem', 'GetItem', 'UpdateItem');
    store.tickets.allow(this.dispatch, 'BatchGetItem', 'UpdateItem');
    store.allowPoolReads(this.dispatch);
    store.entries.allow(this.dispatch, 'PutItem');
    store.matches.allow(this.dispatch, 'UpdateItem');
    store.matches.allowIndexQuery(this.dispatch, 'deadlines');
    this.queue.allowSend(this.dispatch);
    for (const fn of [this.tick, this.dispatch])
      fn.addEnvironment('BUCKET_CAPACITY', String(limits.bucketCapacity));

    new Rule(this, 'EveryMinute', {
      description: 'Dispatches the ticks of the next minute',
      // AWS does not guarantee a second within the minute.
      schedule: Schedule.cron({ minute: '*' }),
      targets: [new LambdaFunction(this.dispatch, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }
}
