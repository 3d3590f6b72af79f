import type { Outbound } from '../ports/outbound.ts';
import { RENEWED_AFTER_MS, type ReceiverStore } from '../ports/receiver-store.ts';

/** How long a trial may exceed the time-out of its call: the time of the reads and writes around it. */
const TRIAL_MARGIN_MS = 2_000;

/**
 * Calls the endpoints of provisioners. A call occupies an invocation for as long as the endpoint takes, 20 s at most, and all
 * queues share the invocations. So only an endpoint that responds is called without limit:
 *
 *     its last call had a response     called. Its record counts it as fast
 *     new, or the last call had none   one call at a time, the trial, marks it as down for the duration of the call. The others
 *                                      fail at once, and are retried later. A crash after the mark: the next trial starts when
 *                                      the mark expires
 *
 * A crash before the result of a call is recorded: the next call records its own.
 */
export function trialOutbound(
  outbound: Outbound,
  endpoints: Pick<ReceiverStore, 'get' | 'markDown' | 'markUp'>,
  now: () => number,
): Outbound {
  return {
    async post(url, body, headers, timeoutMs, certificate) {
      // The same URL may also be that of a webhook receiver.
      const endpoint = `provisioner ${url}`;
      const record = await endpoints.get(endpoint);
      const nowMs = now();
      const isFree = record?.fastAtMs !== undefined;
      if (!isFree && !(await endpoints.markDown(endpoint, nowMs, nowMs + timeoutMs + TRIAL_MARGIN_MS)))
        return {
          outcome: 'unreachable',
          error: 'it has not responded yet, and another call finds out whether it does',
        };
      const result = await outbound.post(url, body, headers, timeoutMs, certificate);
      const isRenewed = isFree && now() - record.fastAtMs < RENEWED_AFTER_MS;
      const fastAtMs = result.outcome === 'responded' ? now() : undefined;
      if (fastAtMs === undefined || !isRenewed) await endpoints.markUp(endpoint, now(), fastAtMs);
      return result;
    },
  };
}
