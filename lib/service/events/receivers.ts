import type { OutboundResult } from '../ports/outbound.ts';
import { RENEWED_AFTER_MS, type ReceiverRecord, type ReceiverStore } from '../ports/receiver-store.ts';

/** A receiver is marked as down after this many consecutive posts without a response. */
const FAILURES_MAX = 5;
/** A receiver is slow after a response that took this long. */
const SLOW_MS = 1_000;
/** How long a receiver that was slow or failed stays in the slow lane after its first fast response. */
export const SLOW_FOR_MS = 60_000;
/** The response time allowed to a receiver, in each lane. */
export const RESPONSE_MS = { first: 2_000, slow: 5_000 } as const;
/** How long a receiver is marked as down: the time for each failure since its last response. The minimum is longer than any post. */
const DOWN_MS = { each: 2_000, min: 10_000, max: 60_000 } as const;
/** How long a delivery to a receiver that is down is postponed: longer, the longer it has waited, up to the maximum of SQS. */
const POSTPONE_MS = { min: 1_000, max: 900_000 } as const;
/** Statuses with which a receiver, or a gateway in front of it, reports that it accepts no requests now. */
const DOWN_STATUSES: readonly number[] = [429, 502, 503, 504];

export type Lane = 'first' | 'slow';

/** Whether a delivery may be posted now; if not, whether it goes to the slow lane or is postponed until the receiver may be up. */
export type Admission =
  | { readonly outcome: 'post'; readonly receiver: ReceiverRecord | undefined }
  | { readonly outcome: 'slow' | 'down' };

/**
 * Whether a delivery may be posted now. A slow post in the first lane occupies an invocation, and delays deliveries to other
 * receivers. So the first lane posts only to receivers that were fast, and once to new ones.
 *
 *     fast              posted
 *     slow or failing   posted in the slow lane only
 *     down              postponed
 *     new               one delivery marks it as down for ten seconds and is posted. The others are postponed. A crash after the
 *                       mark: the next one is posted when it expires
 *     down, expired     the same, in the slow lane only
 */
export async function admit(
  store: ReceiverStore,
  url: string,
  lane: Lane,
  nowMs: number,
): Promise<Admission> {
  const receiver = await store.get(url);
  if (receiver !== undefined && receiver.downUntilMs === undefined) {
    const isFast = receiver.fastAtMs !== undefined && receiver.fastAtMs <= nowMs;
    return isFast || lane === 'slow' ? { outcome: 'post', receiver } : { outcome: 'slow' };
  }
  if (nowMs < (receiver?.downUntilMs ?? 0)) return { outcome: 'down' };
  if (receiver !== undefined && lane === 'first') return { outcome: 'slow' };
  const isTaken = await store.markDown(url, nowMs, nowMs + DOWN_MS.min);
  return isTaken ? { outcome: 'post', receiver } : { outcome: 'down' };
}

/**
 * Records the result of a post in a lane. Returns the record if the receiver is marked as down. A crash before a write: the next
 * post or failure records the same.
 *
 *     a response               it is up, and fast or slow. One that was slow or failed is fast after {@link SLOW_FOR_MS} without
 *                              a slow response or a failure
 *     none in the first lane   it is slow. This is no failure yet, because the slow lane gives it more time
 *     none in the slow lane    a failure
 */
export async function recordResult(
  store: ReceiverStore,
  url: string,
  receiver: ReceiverRecord | undefined,
  result: OutboundResult,
  { lane, startMs, nowMs }: { readonly lane: Lane; readonly startMs: number; readonly nowMs: number },
): Promise<ReceiverRecord | undefined> {
  if (isDown(result) && !isCutShort(result, lane)) {
    const failing = await store.addFailure(url, nowMs);
    if (failing.failures < FAILURES_MAX) return undefined;
    const downUntilMs = nowMs + downMs(failing);
    return (await store.markDown(url, nowMs, downUntilMs)) ? { ...failing, downUntilMs } : undefined;
  }
  const { fastAtMs } = receiver ?? {};
  const isUp = receiver !== undefined && receiver.failures === 0 && receiver.downUntilMs === undefined;
  if (result.outcome !== 'responded' || nowMs - startMs >= SLOW_MS) {
    if (!isUp || fastAtMs !== undefined) await store.markUp(url, nowMs, undefined);
  } else if (fastAtMs === undefined || !isUp) {
    await store.markUp(url, nowMs, receiver === undefined ? nowMs : nowMs + SLOW_FOR_MS);
  } else if (nowMs - fastAtMs > RENEWED_AFTER_MS) {
    await store.markUp(url, nowMs, nowMs);
  }
  return undefined;
}

/** Whether a receiver did not respond in the time of the first lane. */
export function isCutShort(result: OutboundResult, lane: Lane): boolean {
  return lane === 'first' && result.outcome === 'unreachable' && result.timedOut === true;
}

function downMs({ failures }: ReceiverRecord): number {
  return Math.min(DOWN_MS.max, Math.max(DOWN_MS.min, failures * DOWN_MS.each));
}

/**
 * How long a delivery is postponed whose receiver is down, or whose queue cannot be read: half as long as it has waited. So when
 * the receiver responds again, the newest deliveries come first: one that has waited for two seconds comes within a second.
 * @param random in [0, 1), shortens the delay by up to a quarter, so that postponed deliveries do not return at the same time
 */
export function postponeMs(waitedMs: number, random: number): number {
  const halfMs = (waitedMs / 2) * (1 - random / 4);
  return Math.min(POSTPONE_MS.max, Math.max(POSTPONE_MS.min, halfMs));
}

/** Whether a receiver accepts no requests now. Any other response concerns only this event. */
export function isDown(result: OutboundResult): boolean {
  return (
    result.outcome === 'unreachable' ||
    (result.outcome === 'responded' && DOWN_STATUSES.includes(result.status))
  );
}

/** The maximum age of a cached record. */
const RECENT_MS = 1_000;
/** The maximum of cached records. */
const RECORDS_MAX = 1_000;

/**
 * A store that caches records for a second. Without the cache, the record of a receiver that gets all events would be a hot key.
 * Its own writes are visible immediately, those of other functions within a second.
 */
export function cachedReceivers(store: ReceiverStore, now: () => number): ReceiverStore {
  const recent = new Map<string, { readonly atMs: number; readonly record: Promise<Found> }>();
  const forget = async <T>(url: string, write: Promise<T>): Promise<T> => {
    recent.delete(url);
    return write.finally(() => recent.delete(url));
  };
  return {
    async get(url) {
      const known = recent.get(url);
      if (known !== undefined && now() - known.atMs < RECENT_MS) return known.record;
      if (recent.size >= RECORDS_MAX) recent.clear();
      const record = store.get(url);
      recent.set(url, { atMs: now(), record });
      record.catch(() => recent.delete(url));
      return record;
    },
    addFailure: (url, ...rest) => forget(url, store.addFailure(url, ...rest)),
    markDown: (url, ...rest) => forget(url, store.markDown(url, ...rest)),
    markUp: (url, ...rest) => forget(url, store.markUp(url, ...rest)),
  };
}

type Found = ReceiverRecord | undefined;
