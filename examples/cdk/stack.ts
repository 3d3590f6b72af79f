import { Stack, type StackProps } from 'aws-cdk-lib';
import { CfnGameSessionQueue } from 'aws-cdk-lib/aws-gamelift';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { Matchmaker } from 'muster';

export interface StudioStackProps extends StackProps {
  /** The ARNs of the GameLift fleets or aliases that host the games, in order of preference. */
  readonly fleets: readonly string[];
  /** Who gets an e-mail when an alarm starts or ends. */
  readonly onCall: string;
  /** The issuer of the players' and the servers' tokens, an https URL. */
  readonly issuer: string;
}

/**
 * A studio's own stack with a matchmaker in it: games run on Amazon GameLift Servers, players are rated by their results, alarms
 * go to a topic, and callers send tokens (JWT) instead of AWS credentials.
 */
export class StudioStack extends Stack {
  readonly matchmaker: Matchmaker;

  constructor(scope: Construct, id: string, { fleets, onCall, issuer, ...props }: StudioStackProps) {
    super(scope, id, props);
    // The definition in `queues` names it, so the matchmaker may start placements with it.
    new CfnGameSessionQueue(this, 'Sessions', {
      name: 'studio-sessions',
      destinations: fleets.map((destinationArn) => ({ destinationArn })),
      timeoutInSeconds: 60,
    });
    const alarms = new Topic(this, 'Alarms', { enforceSSL: true });
    alarms.addSubscription(new EmailSubscription(onCall));
    this.matchmaker = new Matchmaker(this, 'Matchmaker', {
      stage: 'prod',
      queues: `${import.meta.dirname}/queues`,
      ladders: `${import.meta.dirname}/ladders`,
      jwt: { issuer, audience: ['studio'] },
      alarmTopic: alarms,
    });
  }
}
