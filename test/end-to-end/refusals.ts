import { accessesOf } from '../../lib/local/access.ts';
import type { Interceptor } from '../../lib/local/aws-endpoint.ts';
import type { AwsCall, AwsReply } from '../../lib/local/aws-json.ts';
import { errorReply, jsonReply } from '../../lib/local/aws-json.ts';
import { DYNAMODB_TARGET } from '../../lib/local/dynamodb-emulator.ts';
import { EVENTS_TARGET } from '../../lib/local/event-bus.ts';

/**
 * How often the first request of a kind is rejected. The SDK sends a request three times, and `publish` sends an event
 * to the bus four times, so the invocation fails.
 */
const REFUSALS = 4;

/**
 * Failed messages are retried early only by this call. Without it a message becomes visible again after minutes, which
 * is too long for a test.
 */
const NEVER_REFUSED = ['ChangeMessageVisibility'];

/** AWS's services with faults: the first call of each kind by each function is rejected. */
export interface Refusals {
  readonly intercept: Interceptor;
  /** Starts to reject calls. Earlier calls, such as those of the deployment, pass. */
  begin(): void;
  /** The kinds of calls rejected so far: function, actions and resources. */
  readonly refused: ReadonlySet<string>;
}

/**
 * Rejects the first request of each function, by action and resource, and its repetitions, as AWS does when it
 * throttles: DynamoDB, SQS and Secrets Manager with an error, EventBridge with an entry that failed.
 */
export function refusalsOfEachCall(): Refusals {
  const first = new Map<string, { readonly body: string; refusals: number }>();
  let begun = false;
  return {
    get refused() {
      return new Set(first.keys());
    },
    begin() {
      begun = true;
    },
    intercept: async (call, service, caller) => {
      if (!begun || caller === undefined || NEVER_REFUSED.includes(call.operation)) return service(call);
      const kind = `${caller}: ${kindOf(call)}`;
      const one = first.get(kind) ?? { body: call.body, refusals: 0 };
      first.set(kind, one);
      if (one.body !== call.body || one.refusals === REFUSALS) return service(call);
      one.refusals += 1;
      return refusalOf(call);
    },
  };
}

function kindOf({ target, operation, input }: AwsCall): string {
  const accesses = accessesOf(target, operation, input).map(
    ({ action, resourceArn }) => `${action} ${resourceArn}`,
  );
  return [...new Set([operation, ...accesses])].join(', ');
}

function refusalOf({ target, input }: AwsCall): AwsReply {
  switch (target) {
    case DYNAMODB_TARGET:
      return errorReply(
        'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
        'The level of configured provisioned throughput for the table was exceeded.',
      );
    case EVENTS_TARGET:
      return jsonReply({
        FailedEntryCount: input.Entries.length,
        Entries: input.Entries.map(() => ({
          ErrorCode: 'ThrottlingException',
          ErrorMessage: 'Rate exceeded',
        })),
      });
    default:
      return errorReply('ThrottlingException', 'Rate exceeded');
  }
}
