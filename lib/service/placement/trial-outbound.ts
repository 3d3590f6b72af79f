import type { Outbound } from '../ports/outbound.ts';
import { RENEWED_AFTER_MS, type ReceiverStore } from '../ports/receiver-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';

/** How long a trial may take beyond the time-out of its call: the reads and writes around it. */
const TRIAL_MARGIN_MS = 2_000;

/**
 * Calls the endpoints of provisioners. A call holds an execution for as long as the endpoint takes, 20 s at most, and all queues
 * share the executions. So only an endpoint that responds is called freely:
 *
 *     its last call had a response      called. Its record says that it is fast
 *     it is new, or its last call had   one call at a time marks it as down for its time and finds out whether it responds. The
 *       none                            others end at once without a response, and are tried again. A crash after the mark: the next
 *                                       trial begins when its time is over
 *
 * A crash before the result of a call is noted: the next call notes its own.
 */
export function trialOutbound(
  outbound: Outbound,
  endpoints: Pick<ReceiverStore, 'get' | 'markDown' | 'markUp'>,
  now: () => number,
): Outbound {
  return {
    async post(url, body, headers, timeoutMs, certificate) {
      // The receiver of a webhook may have the same URL.
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
      if (fastAtMs === undefined || !isRenewed)
        await endpoints.markUp(endpoint, now(), fastAtMs).catch(ignoreBusy);
      return result;
    },
  };
}

function ignoreBusy(error: unknown): void {
  if (!(error instanceof StoreBusy)) throw error;
}
