import { accessesOf } from '../../lib/local/access.ts';
import type { Interceptor } from '../../lib/local/aws-endpoint.ts';
import type { AwsCall, AwsReply } from '../../lib/local/aws-json.ts';
import { errorReply, jsonReply } from '../../lib/local/aws-json.ts';
import { DYNAMODB_TARGET } from '../../lib/local/dynamodb-emulator.ts';
import { EVENTS_TARGET } from '../../lib/local/event-bus.ts';

/**
 * How often the first request of a kind is refused. The SDK sends a request three times, and `publish` offers an event
 * to the bus four times: after these the invocation has failed.
 */
const REFUSALS = 4;

/**
 * The only way back for what failed: a message whose visibility cannot be changed returns after minutes, and no
 * test waits for it.
 */
const NEVER_REFUSED = ['ChangeMessageVisibility'];

/** AWS's services while they refuse work: every function meets a refusal at each of its kinds of calls. */
export interface Refusals {
  readonly intercept: Interceptor;
  /** Calls go through until this; deployment is over by then. */
  begin(): void;
  /** The kinds of calls refused so far: function, actions and resources. */
  readonly refused: ReadonlySet<string>;
}

/**
 * Refuses the first request of each function, by action and resource, and its repetitions, as AWS does when it
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
