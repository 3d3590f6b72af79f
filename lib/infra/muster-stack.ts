import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { CfnOutput, Stack, type StackProps, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { Matchmaker, type MatchmakerProps } from './matchmaker.ts';

export interface MusterStackProps extends StackProps, MatchmakerProps {
  /**
   * The ARN of an existing topic that is notified when an alarm starts and ends.
   * @default - `alarmTopic`
   */
  readonly alarmTopicArn?: string | undefined;
  /**
   * An address that gets an e-mail when an alarm starts and ends, through a topic of this stack. AWS first asks it to confirm.
   * @default - none
   */
  readonly alarmEmail?: string | undefined;
}

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
    this.matchmaker = new Matchmaker(this, 'Matchmaker', { ...props, alarmTopic: alarmTopicOf(this, props) });
    const { apiUrl, socketUrl, bus, tables } = this.matchmaker;
    new CfnOutput(this, 'ApiUrl', { value: apiUrl, description: 'The URL of the API' });
    if (socketUrl !== undefined)
      new CfnOutput(this, 'SocketUrl', { value: socketUrl, description: 'Where game clients watch' });
    new CfnOutput(this, 'EventBusName', { value: bus.eventBusName, description: 'The event bus' });
    new CfnOutput(this, 'TicketsTable', { value: tables.tickets.tableName });
    new CfnOutput(this, 'MatchesTable', { value: tables.matches.tableName });
    new CfnOutput(this, 'QueuesTable', { value: tables.queues.tableName });
  }
}

function alarmTopicOf(
  scope: Construct,
  { alarmTopic, alarmTopicArn, alarmEmail }: MusterStackProps,
): ITopic | undefined {
  if (alarmTopicArn !== undefined) return Topic.fromTopicArn(scope, 'AlarmTopic', alarmTopicArn);
  if (alarmEmail === undefined) return alarmTopic;
  const topic = new Topic(scope, 'Alarms', { enforceSSL: true });
  Validations.of(topic).acknowledge({
    id: 'AwsSolutions-SNS2',
    reason:
      'Its messages name alarms of this stack and no player, and CloudWatch could not send them to a topic that the key of AWS encrypts.',
  });
  topic.addSubscription(new EmailSubscription(alarmEmail));
  return topic;
}
