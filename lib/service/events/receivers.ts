import type { OutboundResult } from '../ports/outbound.ts';
import type { ReceiverRecord, ReceiverStore, Slowness } from '../ports/receiver-store.ts';

/** A receiver is marked as down after this many consecutive posts without a response. */
const FAILURES_MAX = 5;
/** A receiver is slow after a response that took this long. */
const SLOW_MS = 1_000;
/** How long a receiver stays in the slow lane after its last slow response or failure. It doubles each time. */
export const SLOW_FOR_MS = { min: 60_000, max: 3_600_000 } as const;
/** A receiver that has been fast for this long is marked again, and its earlier slowness is forgotten. */
const FAST_FOR_MS = 24 * 3_600_000;
/** How long a receiver may take to respond, in each lane. */
export const RESPONSE_MS = { first: 2_000, slow: 5_000 } as const;
/** How long other deliveries wait for a probe: the timeout of a post and a margin, in case the function is killed. */
const PROBE_MS = 10_000;
/** How long deliveries to new receivers of a queue wait, on their way to the slow lane, while one of them is tried. */
const TRIAL_MS = 1_000;
/** The time between two probes. It grows with the outage. */
const PROBE_EVERY_MS = { min: 10_000, max: 60_000 } as const;
/** How long a delivery to a receiver that is down is postponed. It grows with its wait, up to the maximum of SQS. */
const POSTPONE_MS = { min: 1_000, max: 900_000 } as const;
/** Statuses of a receiver, or of a gateway in front of it, that accepts no requests now. */
const DOWN_STATUSES: readonly number[] = [429, 502, 503, 504];

export type Lane = 'first' | 'slow';

/** A delivery that may be posted, with the receiver's record. A probe finds out whether the receiver is still down. */
export type Admitted =
  | {
      readonly outcome: 'post';
      readonly receiver: ReceiverRecord | undefined;
      readonly probe: false;
      /** The trial of several receivers, which ends with the post; see {@link endTrial}. That of one ends when it is marked. */
      readonly trial?: string;
    }
  | { readonly outcome: 'post'; readonly receiver: ReceiverRecord; readonly probe: true };

export type Admission =
  | Admitted
  | { readonly outcome: 'to the slow lane' }
  /** The receiver is new, and another delivery of its queue finds out whether a new receiver is fast. */
  | { readonly outcome: 'on trial'; readonly afterMs: number }
  | { readonly outcome: 'postponed' };

/** A post that may be made. */
export interface NewPost {
  readonly url: string;
  /** What the trial of the receiver is named: its URL, or the same for several receivers of which one is tried at a time. */
  readonly trial: string;
}

/** How long a receiver may take to respond to a delivery of this lane, in milliseconds. */
export function responseMs(lane: Lane): number {
  return RESPONSE_MS[lane];
}

/**
 * Whether a delivery may be posted now. What is posted in the first lane may hold its invocation while deliveries to all
 * others wait, so only receivers that have shown to be fast are called there.
 *
 *     fast                            posted
 *     new                             one delivery to the new receivers of a queue is posted, the others wait in the slow lane:
 *                                     in the first one they would come again and again, as long as each of several trials
 *                                     takes. A crash after the claim: the next trial begins after PROBE_MS
 *     slow or failing                 posted in the slow lane only, where a fast response marks it as fast
 *     down                            postponed, until the time of the next probe
 *     down, and a probe is due        one delivery of the slow lane is posted, the others are postponed. A crash
 *                                     after the claim: the next probe is due after PROBE_MS
 */
export async function admit(
  store: ReceiverStore,
  { url, trial }: NewPost,
  lane: Lane,
  nowMs: number,
): Promise<Admission> {
  const receiver = await store.get(url);
  const downUntilMs = receiver?.downUntilMs;
  if (receiver === undefined || downUntilMs === undefined) {
    if (lane === 'slow' || receiver?.fastAtMs !== undefined)
      return { outcome: 'post', receiver, probe: false };
    if (!isNew(receiver)) return { outcome: 'to the slow lane' };
    const untilMs = (trial === url ? receiver : await store.get(trial))?.trialUntilMs ?? 0;
    const isTried = nowMs < untilMs || !(await store.beginTrial(trial, nowMs, nowMs + PROBE_MS));
    return isTried
      ? { outcome: 'on trial', afterMs: TRIAL_MS }
      : { outcome: 'post', receiver, probe: false, ...(trial !== url && { trial }) };
  }
  if (nowMs < downUntilMs) return { outcome: 'postponed' };
  if (lane === 'first') return { outcome: 'to the slow lane' };
  const claimed = await store.markDown(url, nowMs + PROBE_MS, downUntilMs);
  return claimed ? { outcome: 'post', receiver, probe: true } : { outcome: 'postponed' };
}

function isNew(receiver: ReceiverRecord | undefined): boolean {
  return receiver === undefined || (receiver.failures === 0 && receiver.slowUntilMs === 0);
}

/** Ends the trial of a post, whatever its result. A crash before it: see {@link admit}. */
export async function endTrial(store: ReceiverStore, admitted: Admitted): Promise<void> {
  if ('trial' in admitted && admitted.trial !== undefined) await store.endTrial(admitted.trial);
}

/**
 * Records that a receiver did not respond in the time of the first lane. That is no failure yet: the slow lane gives it
 * more time. A crash before it: the next post does it.
 */
export async function recordSlow(
  store: ReceiverStore,
  url: string,
  { receiver }: Admitted,
  nowMs: number,
): Promise<void> {
  await store.markSlow(url, nowMs, slownessOf(receiver, nowMs));
}

/**
 * Records the result of a post. Returns the record if this post marks the receiver as down.
 *
 *     count the failure      a crash before it: this failure is not counted
 *     mark it as down        a crash before it: the next failure or the next probe does it
 *     clear the failures     a crash before it: the next response does it
 *     mark it as slow        a crash before it: the next slow response does it
 *     mark it as fast        a crash before it: the next fast response of the slow lane does it
 */
export async function recordResult(
  store: ReceiverStore,
  url: string,
  { receiver, probe }: Admitted,
  result: OutboundResult,
  { startMs, nowMs }: { readonly startMs: number; readonly nowMs: number },
): Promise<ReceiverRecord | undefined> {
  const slowness = slownessOf(receiver, nowMs);
  if (!isDown(result)) {
    if (receiver !== undefined && (receiver.failures > 0 || receiver.downUntilMs !== undefined))
      await store.clearFailures(url);
    if (nowMs - startMs >= SLOW_MS) {
      // An existing mark is kept until half of its time is over, which saves most of the writes.
      const halfMs = (slowness.slowUntilMs - nowMs) / 2;
      const isMarked = receiver?.fastAtMs === undefined && (receiver?.slowUntilMs ?? 0) > nowMs + halfMs;
      if (!isMarked) await store.markSlow(url, nowMs, slowness);
    } else if (receiver?.fastAtMs === undefined) {
      const isSlow = nowMs < (receiver?.slowUntilMs ?? 0);
      if (!isSlow) await store.markFast(url, nowMs, receiver?.slowTimes ?? 0);
    } else if (nowMs - receiver.fastAtMs > FAST_FOR_MS) {
      await store.markFast(url, nowMs, 0);
    }
    return undefined;
  }
  const failing = await store.addFailure(url, nowMs, slowness);
  if (!probe && failing.failures < FAILURES_MAX) return undefined;
  const untilMs = nowMs + within(PROBE_EVERY_MS, outageMs(failing, nowMs) / 4);
  const alreadyDown = failing.downUntilMs !== undefined && failing.downUntilMs > nowMs;
  // Posts that were in flight when the receiver was marked as down change nothing.
  if (alreadyDown && !probe) return undefined;
  const taken = await store.markDown(url, untilMs, failing.downUntilMs);
  return taken ? { ...failing, downUntilMs: untilMs } : undefined;
}

/** The slowness of a receiver that is slow or fails now. It counts once for all posts that it was admitted to together. */
function slownessOf(receiver: ReceiverRecord | undefined, nowMs: number): Slowness {
  const earlier = receiver?.slowTimes ?? 0;
  const slowTimes = receiver?.fastAtMs === undefined ? earlier : earlier + 1;
  const forMs = within(SLOW_FOR_MS, SLOW_FOR_MS.min * 2 ** Math.max(0, slowTimes - 1));
  return { slowUntilMs: nowMs + forMs, slowTimes };
}

/**
 * How long a delivery is postponed that has waited this long for a receiver that is down, or for a queue that cannot be read: half as long again. So when the
 * receiver responds again, the newest deliveries come first, each within half of its wait: one of the last two seconds within
 * a second.
 * @param random in [0, 1), shortens it by up to a quarter, so that deliveries are not postponed together
 */
export function postponeMs(waitedMs: number, random: number): number {
  return within(POSTPONE_MS, (waitedMs / 2) * (1 - random / 4));
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
