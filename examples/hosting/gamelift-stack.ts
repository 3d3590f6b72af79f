import { Stack, type StackProps } from 'aws-cdk-lib';
import { CfnGameSessionQueue } from 'aws-cdk-lib/aws-gamelift';
import type { Construct } from 'constructs';
import { Matchmaker } from '../../lib/infra/matchmaker.ts';

export interface GameLiftStackProps extends StackProps {
  /** The ARNs of the fleets or aliases that host the games, in order of preference. */
  readonly fleets: readonly string[];
  /** The folder of queue definitions; one of them names the queue `arena-sessions`. */
  readonly queues: string;
}

/** A queue of Amazon GameLift Servers and the matchmaker that places matches with it. */
export class GameLiftStack extends Stack {
  constructor(scope: Construct, id: string, props: GameLiftStackProps) {
    super(scope, id, props);
    new CfnGameSessionQueue(this, 'ArenaSessions', {
      name: 'arena-sessions',
      destinations: props.fleets.map((destinationArn) => ({ destinationArn })),
      // Well below the `timeoutSeconds` of the definition, so that a placement that finds no server is tried again.
      timeoutInSeconds: 60,
    });
    new Matchmaker(this, 'Matchmaker', { queues: props.queues });
  }
}
