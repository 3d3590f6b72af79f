import type { DelayedStep } from './aws-delays.ts';
import { DYNAMODB_TARGET } from './dynamodb-emulator.ts';
import { EVENTS_TARGET } from './event-bus.ts';
import { SECRETS_TARGET } from './secrets.ts';
import { SQS_TARGET } from './sqs.ts';

/** The step whose delay applies to a function's call to AWS; undefined when the call has no delay. */
export function stepOf(target: string, operation: string): DelayedStep | undefined {
  switch (target) {
    case DYNAMODB_TARGET:
      return DYNAMODB_STEPS[operation] ?? 'dynamodbPage';
    case EVENTS_TARGET:
      return 'eventBusRequest';
    case SECRETS_TARGET:
      return 'secretsRequest';
    case SQS_TARGET:
      return 'sqsRequest';
    default:
      return undefined;
  }
}

const DYNAMODB_STEPS: Readonly<Record<string, DelayedStep>> = {
  GetItem: 'dynamodbRead',
  DeleteItem: 'dynamodbWrite',
  PutItem: 'dynamodbWrite',
  UpdateItem: 'dynamodbWrite',
  BatchWriteItem: 'dynamodbTransaction',
  TransactGetItems: 'dynamodbTransaction',
  TransactWriteItems: 'dynamodbTransaction',
};
