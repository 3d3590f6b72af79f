import type { Interceptor } from '../../lib/local/aws-endpoint.ts';

/** Lets what failed come back at once instead of after the time it asks for, which is kept. */
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
