import type { Interceptor } from '../../lib/local/aws-endpoint.ts';
import type { AwsCall } from '../../lib/local/aws-json.ts';

/**
 * Retries failed messages and webhooks immediately instead of after the requested time, and records that time. A retry
 * of a webhook is a message with a delay in the slow lane.
 */
export function retriesAtOnce(): { readonly intercept: Interceptor; readonly askedSeconds: number[] } {
  const askedSeconds: number[] = [];
  return {
    askedSeconds,
    intercept: (call, service) => {
      const input = atOnce(call, askedSeconds);
      return service(input === undefined ? call : { ...call, input, body: JSON.stringify(input) });
    },
  };
}

/** The call without its delay; undefined for a call that retries nothing. */
function atOnce({ operation, input }: AwsCall, askedSeconds: number[]): AwsCall['input'] | undefined {
  if (operation === 'ChangeMessageVisibility') {
    askedSeconds.push(input.VisibilityTimeout);
    return { ...input, VisibilityTimeout: 0 };
  }
  if (operation !== 'SendMessageBatch' || !input.QueueUrl.includes('SlowLane')) return undefined;
  for (const { DelaySeconds } of input.Entries) askedSeconds.push(DelaySeconds);
  return { ...input, Entries: input.Entries.map((entry: object) => ({ ...entry, DelaySeconds: 0 })) };
}
