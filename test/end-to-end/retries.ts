import type { Interceptor } from '../../lib/local/aws-endpoint.ts';

/** Retries failed messages immediately instead of after the requested time, and records that time. */
export function retriesAtOnce(): { readonly intercept: Interceptor; readonly askedSeconds: number[] } {
  const askedSeconds: number[] = [];
  return {
    askedSeconds,
    intercept: (call, service) => {
      if (call.operation !== 'ChangeMessageVisibility') return service(call);
      askedSeconds.push(call.input.VisibilityTimeout);
      const input = { ...call.input, VisibilityTimeout: 0 };
      return service({ ...call, input, body: JSON.stringify(input) });
    },
  };
}
