/** The permissions that a call to AWS needs: actions and the ARNs of their resources. */
import { DYNAMODB_TARGET, STREAMS_TARGET } from './dynamodb-emulator.ts';
import { busNameOf, EVENTS_TARGET } from './event-bus.ts';
import { ACCOUNT_ID, REGION, secretArn } from './local-account.ts';
import type { AccessRequest } from './policy.ts';
import { SECRETS_TARGET } from './secrets.ts';
import { SQS_TARGET } from './sqs.ts';
import type { Properties } from './template.ts';

/**
 * @param target the prefix of `X-Amz-Target`
 * @param input the request's body
 */
export function accessesOf(target: string, operation: string, input: Properties): AccessRequest[] {
  switch (target) {
    case DYNAMODB_TARGET:
      return tablesOf(operation, input).map(({ action, table, index }) => ({
        action: `dynamodb:${action}`,
        resourceArn: arn('dynamodb', `table/${table}${index === undefined ? '' : `/index/${index}`}`),
      }));
    case EVENTS_TARGET:
      return (input.Entries as Properties[]).map(({ EventBusName }) => ({
        action: `events:${operation}`,
        resourceArn: arn('events', `event-bus/${busNameOf(EventBusName)}`),
      }));
    case SECRETS_TARGET:
      return [{ action: `secretsmanager:${operation}`, resourceArn: secretArn(String(input.SecretId)) }];
    case SQS_TARGET:
      return [
        {
          // A batch operation needs the permission of the single operation.
          action: `sqs:${operation.replace(/Batch$/, '')}`,
          resourceArn: arn(
            'sqs',
            String(input.QueueUrl ?? input.QueueName)
              .split('/')
              .at(-1)!,
          ),
        },
      ];
    case STREAMS_TARGET:
      return [{ action: `dynamodb:${operation}`, resourceArn: String(input.StreamArn ?? '*') }];
    default:
      return [];
  }
}

interface TableAccess {
  readonly action: string;
  readonly table: string;
  readonly index?: string;
}

/** The tables that a call to DynamoDB reads or writes, each with the IAM action that the call needs. */
export function tablesOf(operation: string, input: Properties): TableAccess[] {
  switch (operation) {
    case 'BatchGetItem':
    case 'BatchWriteItem':
      return Object.keys(input.RequestItems as Properties).map((name) => ({
        action: operation,
        table: tableName(name),
      }));
    case 'TransactGetItems':
    case 'TransactWriteItems':
      return (input.TransactItems as Record<string, { TableName: string }>[]).flatMap((item) =>
        Object.entries(item).map(([kind, { TableName }]) => ({
          action: kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`,
          table: tableName(TableName),
        })),
      );
    case 'ListTables':
      return [{ action: operation, table: '*' }];
    default:
      return [
        {
          action: operation,
          table: tableName(String(input.TableName)),
          ...(input.IndexName !== undefined && { index: String(input.IndexName) }),
        },
      ];
  }
}

/** DynamoDB accepts a table's ARN wherever it accepts its name. */
function tableName(nameOrArn: string): string {
  return nameOrArn.split('/').at(-1)!;
}

function arn(service: string, rest: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT_ID}:${rest}`;
}
