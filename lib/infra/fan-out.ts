import { EventBus, Match } from 'aws-cdk-lib/aws-events';
import { FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Limits } from './limits.ts';
import { MusterFunction } from './muster-function.ts';
import { ENDED_TICKETS, GAMES, readStream } from './read-stream.ts';
import { allowSecrets, type SecretsAccess } from './secrets-access.ts';
import type { StagePolicy } from './stage-policy.ts';
import type { Store, StoreTable } from './store.ts';
import { Subscriber } from './subscriber.ts';
import type { Tick } from './tick.ts';
import { deadLetterQueue, WorkQueue } from './work-queue.ts';

export interface FanOutProps {
  readonly store: Store;
  readonly tick: Tick;
  readonly secrets: SecretsAccess;
  readonly limits: Limits;
  /** See {@link MatchmakerProps.failedShare}. */
  readonly failedShare: number;
  readonly stage: StagePolicy;
}

/**
 * Publishes the changes in the tables' streams. `publish` puts events on the bus. Rules route them to the functions that
 * deliver webhooks, request assignments, end acceptances and placements at their deadlines, and rate players.
 */
export class FanOut extends Construct {
  /** Carries every event of the service, source `muster`. */
  readonly bus: EventBus;
  readonly publish: MusterFunction;
  readonly notify: Subscriber;
  /** The SQS queue of webhooks that are retried or have slow or unavailable receivers. */
  readonly slowLane: WorkQueue;
  readonly provision: Subscriber;
  readonly deadline: Subscriber;
  readonly rate: Subscriber;
  /** Dead letters of `publish` by table. They point to records of the stream and contain no items. */
  readonly unpublished: { readonly tickets: Queue; readonly matches: Queue };

  readonly #props: FanOutProps;

  constructor(scope: Construct, id: string, props: FanOutProps) {
    super(scope, id);
    this.#props = props;
    this.bus = new EventBus(this, 'Bus', { description: 'Events of tickets and matches' });
    this.publish = this.#publish();
    this.unpublished = this.#unpublished();
    this.notify = this.#notify();
    this.slowLane = this.#slowLane();
    this.provision = this.#provision();
    this.deadline = this.#deadline();
    this.rate = this.#rate();
  }

  #publish(): MusterFunction {
    const { store, limits, stage, failedShare } = this.#props;
    const fn = new MusterFunction(this, 'Publish', {
      name: 'publish',
      description: 'Puts an event on the bus for each change of status of a ticket or match',
      timeout: Duration.seconds(30),
      reservedConcurrency: limits.reserved.publish,
      stage,
    });
    fn.addEnvironment('EVENT_BUS_NAME', this.bus.eventBusName);
    fn.permit('events', ['PutEvents'], [this.bus.eventBusArn]);
    store.queues.allow(fn, 'GetItem');
    // The outcomes of matches are counted by queue and minute.
    store.ranges.allow(fn, 'BatchGetItem', 'UpdateItem');
    fn.addEnvironment('FAILED_SHARE', String(failedShare));
    return fn;
  }

  #unpublished(): FanOut['unpublished'] {
    const { store } = this.#props;
    return {
      tickets: this.#readStream(
        'Tickets',
        store.tickets,
        ENDED_TICKETS,
        // Of QUEUED tickets, only those of queues that publish the event.
        { status: { S: FilterRule.isEqual('QUEUED') }, announced: { S: FilterRule.isEqual('TicketQueued') } },
      ),
      matches: this.#readStream('Matches', store.matches, GAMES),
    };
  }

  #notify(): Subscriber {
    const { store, secrets, limits, stage } = this.#props;
    const notify = new Subscriber(this, 'Notify', {
      bus: this.bus,
      pattern: { resources: Match.prefix('webhooks/') },
      name: 'notify',
      description: 'Delivers signed webhooks',
      variable: 'NOTIFY_QUEUE_URL',
      // A message for several webhooks becomes one message for each, and a retry is a new message. A message ends after eight
      // failures or a day, or after 13 days while its queue cannot be read.
      sendsToItself: true,
      // A receiver may take 5 s to respond. The rest of the time is for calls to AWS.
      timeout: Duration.seconds(10),
      // Retries are counted in the message. A message is received again only when the function or AWS fails: for eight
      // minutes while the account has no concurrency, for half an hour while the function fails.
      maxReceiveCount: 40,
      maxConcurrency: limits.concurrency.notify,
      stage,
    });
    store.queues.allow(notify.fn, 'GetItem');
    store.receivers.allow(notify.fn, 'BatchGetItem', 'GetItem', 'UpdateItem');
    allowSecrets(notify.fn, secrets);
    // An event with several subscribed webhooks is split into one message for each.
    notify.queue.allowSend(notify.fn);
    notify.queue.allowPostpone(notify.fn);
    return notify;
  }

  #slowLane(): WorkQueue {
    const { fn } = this.notify;
    const { deadLetters } = this.notify.queue;
    const slowLane = new WorkQueue(this, 'NotifySlowLane', {
      consumer: fn,
      variable: 'NOTIFY_SLOW_LANE_URL',
      batchSize: 10,
      maxReceiveCount: 40,
      maxConcurrency: this.#props.limits.concurrency.notifySlow,
      deadLetters,
    });
    slowLane.allowSend(fn);
    slowLane.allowPostpone(fn);
    fn.addEnvironment('NOTIFY_DEAD_LETTERS_URL', deadLetters.queueUrl);
    fn.permit('sqs', ['SendMessage'], [deadLetters.queueArn]);
    return slowLane;
  }

  #provision(): Subscriber {
    const { store, secrets, limits, failedShare, stage } = this.#props;
    const provision = new Subscriber(this, 'Provision', {
      bus: this.bus,
      pattern: {
        detailType: ['MatchFound', 'MatchAccepted'],
        detail: { match: { status: ['PLACING'] } },
        resources: Match.prefix('provisioner/http'),
      },
      name: 'provision',
      description: "Requests the assignment of a match from the queue's provisioner",
      variable: 'PROVISION_QUEUE_URL',
      // A provisioner may take 20 s to respond. The match of a function that was stopped is placed in less than 30 s.
      timeout: Duration.seconds(24),
      // A message is deleted when the placement of its match ends, after an hour at most: about 90 tries. The other
      // receives are for messages that Lambda has no concurrency for. A message that always fails becomes a dead
      // letter in less than two hours.
      maxReceiveCount: 120,
      maxConcurrency: limits.concurrency.provision,
      stage,
    });
    store.queues.allow(provision.fn, 'GetItem');
    store.matches.allow(provision.fn, 'GetItem', 'UpdateItem');
    store.ranges.allow(provision.fn, 'BatchGetItem', 'UpdateItem');
    provision.fn.addEnvironment('FAILED_SHARE', String(failedShare));
    // Whether an endpoint responds.
    store.receivers.allow(provision.fn, 'GetItem', 'UpdateItem');
    allowSecrets(provision.fn, secrets);
    provision.queue.allowPostpone(provision.fn);
    return provision;
  }

  #deadline(): Subscriber {
    const { store, tick, limits, stage } = this.#props;
    const deadline = new Subscriber(this, 'Deadline', {
      bus: this.bus,
      pattern: {
        detailType: ['MatchFound', 'MatchAccepted', 'MatchFailed'],
        // The tickets of a match that is requeued are returned.
        detail: { match: { $or: [{ status: ['REQUIRES_ACCEPTANCE', 'PLACING'] }, { requeued: [true] }] } },
      },
      name: 'deadline',
      description: 'Ends acceptances and placements at their deadlines, and returns tickets to the pool',
      variable: 'DEADLINE_QUEUE_URL',
      // A placement takes an hour at most and SQS delays by a quarter of it, so a message is sent on four times. Messages of one
      // batch may count as one chain, which grows with the load. The chain ends at the deadline, not after a number of messages.
      sendsToItself: true,
      timeout: Duration.seconds(15),
      maxReceiveCount: 20,
      maxConcurrency: limits.concurrency.deadline,
      stage,
    });
    store.matches.allow(deadline.fn, 'GetItem', 'UpdateItem');
    store.tickets.allow(deadline.fn, 'BatchGetItem', 'UpdateItem');
    store.entries.allow(deadline.fn, 'PutItem');
    store.queues.allow(deadline.fn, 'GetItem', 'UpdateItem');
    // For the cooldowns of players who do not respond, and the presence of players.
    store.ranges.allow(deadline.fn, 'BatchGetItem', 'GetItem', 'UpdateItem');
    // Tickets that return to the pool wake their queue. A deadline that is not due yet is sent again with a delay.
    tick.queue.allowSend(deadline.fn);
    deadline.queue.allowSend(deadline.fn);
    // Dispatch sends matches that are overdue because their message was lost.
    deadline.queue.allowSend(tick.dispatch);
    deadline.queue.allowPostpone(deadline.fn);
    return deadline;
  }

  #rate(): Subscriber {
    const { store, limits, stage } = this.#props;
    const rate = new Subscriber(this, 'Rate', {
      bus: this.bus,
      pattern: { detailType: ['MatchEnded'], resources: ['rate'] },
      name: 'rate',
      description: 'Changes the ratings of players by the results of their matches',
      variable: 'RATE_QUEUE_URL',
      timeout: Duration.seconds(15),
      maxReceiveCount: 40,
      maxConcurrency: limits.concurrency.rate,
      stage,
    });
    store.matches.allow(rate.fn, 'GetItem', 'UpdateItem');
    store.ratings.allow(rate.fn, 'BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem');
    rate.queue.allowPostpone(rate.fn);
    return rate;
  }

  /**
   * Connects `publish` to a table's stream: each change at least once, in order per item. Returns the dead letters.
   * @param images filters of the new item, of which one must match; without any, every item does
   */
  #readStream(name: string, table: StoreTable, ...images: readonly Record<string, unknown>[]): Queue {
    const deadLetters = deadLetterQueue(this, `Unpublished${name}`);
    Validations.of(deadLetters).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is itself the dead-letter queue of a stream, which the rule does not detect.',
    });
    readStream(this, `${name}Stream`, {
      fn: this.publish,
      table,
      events: ['INSERT', 'MODIFY'],
      ...(images.length > 0 && { images }),
      reportsFailures: true,
      deadLetters,
      startingPosition: StartingPosition.TRIM_HORIZON,
      // One invocation at a time for each shard, so the number of shards bounds the invocations.
      parallelizationFactor: 1,
      // A failing record blocks its shard, so retries are limited. They outlast a temporary failure of the bus.
      retryAttempts: 50,
    });
    return deadLetters;
  }
}
