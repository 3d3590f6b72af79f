import { type EventBus, Match, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Duration, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { gameSessionQueue, parseQueueDefinition } from '../contract/queue-definition.ts';
import type { Limits } from './limits.ts';
import type { MusterFunction } from './muster-function.ts';
import type { StagePolicy } from './stage-policy.ts';
import type { Store } from './store.ts';
import { Subscriber } from './subscriber.ts';

export interface GameLiftProps {
  /** Carries the events of matches. */
  readonly bus: EventBus;
  readonly store: Store;
  /** Names or ARNs, at least one. */
  readonly gameSessionQueues: readonly string[];
  readonly limits: Limits;
  /** See {@link MatchmakerProps.failedShare}. */
  readonly failedShare: number;
  readonly stage: StagePolicy;
}

/**
 * Places matches with queues of Amazon GameLift Servers. GameLift puts the events of placements on the account's default
 * bus, from where a rule sends them to the same function as the matches.
 */
export class GameLift extends Construct {
  readonly provision: Subscriber;

  constructor(scope: Construct, id: string, props: GameLiftProps) {
    super(scope, id);
    const { bus, store, limits, stage } = props;
    const stack = Stack.of(this);
    const arns = props.gameSessionQueues.map((queue) => arnOf(queue, stack));

    this.provision = new Subscriber(this, 'Provision', {
      bus,
      pattern: {
        detailType: ['MatchFound', 'MatchAccepted'],
        detail: { match: { status: ['PLACING'] } },
        resources: Match.prefix('provisioner/gamelift'),
      },
      name: 'provision-gamelift',
      description: 'Places matches with Amazon GameLift Servers',
      variable: 'GAMELIFT_QUEUE_URL',
      timeout: Duration.seconds(24),
      // A message is read at half of the placement's time, and then about six times. While GameLift fails it is read
      // about 90 times in an hour, as in the queue of `provision`.
      maxReceiveCount: 120,
      maxConcurrency: limits.concurrency.provision,
      stage,
    });
    const { fn, queue } = this.provision;
    queue.allowPostpone(fn);
    store.queues.allow(fn, 'GetItem');
    store.matches.allow(fn, 'GetItem', 'UpdateItem');
    store.tickets.allow(fn, 'BatchGetItem');
    store.ranges.allow(fn, 'BatchGetItem', 'UpdateItem');
    fn.addEnvironment('FAILED_SHARE', String(props.failedShare));
    allowPlacements(fn, props.gameSessionQueues, arns);

    new Rule(this, 'Placements', {
      description: 'Events of the placements that Muster has started',
      eventPattern: {
        source: ['aws.gamelift'],
        detailType: ['GameLift Queue Placement Event'],
        resources: arns,
      },
      targets: [new SqsQueue(queue.queue, { deadLetterQueue: queue.deadLetters })],
    });
  }
}

/** The queues of GameLift that the definitions and the option name, each once. Throws when an entry is no name or ARN. */
export function gameSessionQueuesOf(
  definitions: Readonly<Record<string, string>>,
  option: readonly string[],
): string[] {
  for (const queue of option) {
    if (!gameSessionQueue.safeParse(queue).success)
      throw new Error(
        `Expected \`gameSessionQueues\` to be names or ARNs of GameLift queues, got "${queue}".`,
      );
  }
  const named = Object.entries(definitions).flatMap(([name, text]) => {
    const { provisioner } = parseQueueDefinition(text, name);
    return provisioner?.type === 'gamelift' ? [provisioner.gameSessionQueue] : [];
  });
  return [...new Set([...named, ...option])].sort();
}

function arnOf(queue: string, stack: Stack): string {
  if (queue.startsWith('arn:')) return queue;
  return stack.formatArn({ service: 'gamelift', resource: 'gamesessionqueue', resourceName: queue });
}

/**
 * Lets the function start placements with these queues, and describe and end the placements of their regions. IAM has no
 * resources for a placement or a game session.
 */
function allowPlacements(fn: MusterFunction, queues: readonly string[], arns: readonly string[]): void {
  fn.permit('gamelift', ['StartGameSessionPlacement'], arns);
  const regions = queues.map((queue) =>
    queue.startsWith('arn:') ? queue.split(':')[3]! : Stack.of(fn).region,
  );
  const ofPlacements = ['DescribeGameSessionPlacement', 'StopGameSessionPlacement', 'TerminateGameSession'];
  const inRegions = { StringEquals: { 'aws:RequestedRegion': [...new Set(regions)] } };
  fn.permit('gamelift', ofPlacements, ['*'], inRegions);
  Validations.of(fn.role!).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'IAM has no resources for placements and game sessions. The function ends only placements whose ids it derives from matches.',
  });
}
