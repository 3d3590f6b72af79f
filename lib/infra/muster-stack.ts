import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Matchmaker, type MatchmakerProps } from './matchmaker.ts';

export interface MusterStackProps extends StackProps, MatchmakerProps {}

/** A stack that holds a {@link Matchmaker} and nothing else, `muster-<stage>` by name. */
export class MusterStack extends Stack {
  readonly matchmaker: Matchmaker;

  constructor(scope: Construct, id: string, props: MusterStackProps = {}) {
    const stage = props.stage ?? 'dev';
    super(scope, id, {
      stackName: `muster-${stage}`,
      description: 'Muster, a serverless team matchmaker',
      terminationProtection: stage === 'prod',
      ...props,
    });
    this.matchmaker = new Matchmaker(this, 'Matchmaker', props);
    const { apiUrl, bus, tables } = this.matchmaker;
    new CfnOutput(this, 'ApiUrl', { value: apiUrl, description: 'The URL of the API' });
    new CfnOutput(this, 'EventBusName', { value: bus.eventBusName, description: 'The event bus' });
    new CfnOutput(this, 'TicketsTable', { value: tables.tickets.tableName });
    new CfnOutput(this, 'MatchesTable', { value: tables.matches.tableName });
    new CfnOutput(this, 'QueuesTable', { value: tables.queues.tableName });
  }
}
