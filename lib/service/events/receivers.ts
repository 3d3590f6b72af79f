import type { OutboundResult } from '../ports/outbound.ts';
import type { ReceiverRecord, ReceiverStore } from '../ports/receiver-store.ts';

/** A receiver is marked as down after this many consecutive posts without a response. */
const FAILURES_MAX = 5;
/** A receiver is slow after a response that took this long. */
const SLOW_MS = 1_000;
/** How long a receiver stays in the slow lane after its last slow response or failure. */
const SLOW_FOR_MS = 60_000;
/** How long other deliveries wait for a probe: the timeout of a post and a margin, in case the function is killed. */
const PROBE_MS = 10_000;
/** The time between two probes. It grows with the outage. */
const PROBE_EVERY_MS = { min: 10_000, max: 60_000 } as const;
/** How long a delivery to a receiver that is down is postponed. It grows with the outage, up to the maximum of SQS. */
const POSTPONE_MS = { min: 10_000, max: 900_000 } as const;
/** Statuses of a receiver, or of a gateway in front of it, that accepts no requests now. */
const DOWN_STATUSES: readonly number[] = [429, 502, 503, 504];

export type Lane = 'first' | 'slow';

/** A delivery that may be posted, with the receiver's record. A probe finds out whether the receiver is still down. */
export type Admitted =
  | { readonly outcome: 'post'; readonly receiver: ReceiverRecord | undefined; readonly probe: false }
  | { readonly outcome: 'post'; readonly receiver: ReceiverRecord; readonly probe: true };

export type Admission =
  | Admitted
  | { readonly outcome: 'to the slow lane' }
  | { readonly outcome: 'postponed'; readonly afterMs: number };

/**
 * Whether a delivery may be posted now.
 *
 *     no record                       posted
 *     slow, or failed a minute ago    posted in the slow lane only
 *     down                            postponed, until the time of the next probe
 *     down, and a probe is due        one delivery of the slow lane is posted, the others are postponed. A crash
 *                                     after the claim: the next probe is due after PROBE_MS
 * @param random in [0, 1), spreads deliveries that are postponed together
 */
export async function admit(
  store: ReceiverStore,
  url: string,
  lane: Lane,
  nowMs: number,
  random: number,
): Promise<Admission> {
  const receiver = await store.get(url);
  const downUntilMs = receiver?.downUntilMs;
  if (receiver === undefined || downUntilMs === undefined) {
    return lane === 'first' && receiver !== undefined && nowMs < receiver.slowUntilMs
      ? { outcome: 'to the slow lane' }
      : { outcome: 'post', receiver, probe: false };
  }
  if (nowMs < downUntilMs) return { outcome: 'postponed', afterMs: postponeMs(receiver, nowMs, random) };
  if (lane === 'first') return { outcome: 'to the slow lane' };
  const claimed = await store.markDown(url, nowMs + PROBE_MS, downUntilMs);
  return claimed
    ? { outcome: 'post', receiver, probe: true }
    : { outcome: 'postponed', afterMs: postponeMs(receiver, nowMs, random) };
}

/**
 * Records the result of a post. Returns the record if this post marks the receiver as down.
 *
 *     count the failure      a crash before it: this failure is not counted
 *     mark it as down        a crash before it: the next failure or the next probe does it
 *     clear the failures     a crash before it: the next response does it
 */
export async function recordResult(
  store: ReceiverStore,
  url: string,
  { receiver, probe }: Admitted,
  result: OutboundResult,
  { startMs, nowMs }: { readonly startMs: number; readonly nowMs: number },
): Promise<ReceiverRecord | undefined> {
  const slowUntilMs = nowMs + SLOW_FOR_MS;
  if (!isDown(result)) {
    if (receiver !== undefined && (receiver.failures > 0 || receiver.downUntilMs !== undefined))
      await store.clearFailures(url);
    // An existing mark is kept until half of its time is over, which saves most of the writes.
    const marked = receiver !== undefined && receiver.slowUntilMs > nowMs + SLOW_FOR_MS / 2;
    if (nowMs - startMs >= SLOW_MS && !marked) await store.markSlow(url, nowMs, slowUntilMs);
    return undefined;
  }
  const failing = await store.addFailure(url, nowMs, slowUntilMs);
  if (!probe && failing.failures < FAILURES_MAX) return undefined;
  const untilMs = nowMs + within(PROBE_EVERY_MS, outageMs(failing, nowMs) / 4);
  const alreadyDown = failing.downUntilMs !== undefined && failing.downUntilMs > nowMs;
  // Posts that were in flight when the receiver was marked as down change nothing.
  if (alreadyDown && !probe) return undefined;
  const taken = await store.markDown(url, untilMs, failing.downUntilMs);
  return taken ? { ...failing, downUntilMs: untilMs } : undefined;
}

/** How long a delivery waits for a receiver that is down: about as long as the outage has lasted. */
export function postponeMs(receiver: ReceiverRecord, nowMs: number, random: number): number {
  const spreadMs = within(POSTPONE_MS, outageMs(receiver, nowMs)) * (1 - random / 4);
  return Math.min(POSTPONE_MS.max, Math.max(spreadMs, (receiver.downUntilMs ?? nowMs) - nowMs));
}

/** Whether a receiver accepts no requests now. Any other response concerns only this event. */
export function isDown(result: OutboundResult): boolean {
  return (
    result.outcome === 'unreachable' ||
    (result.outcome === 'responded' && DOWN_STATUSES.includes(result.status))
  );
}

function outageMs({ failingSinceMs }: ReceiverRecord, nowMs: number): number {
  return failingSinceMs === undefined ? 0 : nowMs - failingSinceMs;
}

function within({ min, max }: { readonly min: number; readonly max: number }, value: number): number {
  return Math.min(max, Math.max(min, value));
}
