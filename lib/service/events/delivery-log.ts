import type { RecentResults } from '../../contract/webhook-failing.ts';
import type { DeliveryFailure, DeliveryStore } from '../ports/delivery-store.ts';

/** For each webhook, each function records a success, and that deliveries wait, at most once in this interval. */
const RECORD_EVERY_MS = 10_000;
/** The same interval for failures after the first ones. */
const FAILURE_EVERY_MS = 1_000;
/** The first failures after a success, up to this number, are all recorded. */
const FIRST_FAILURES = 5;
/** The number of latest results kept for each webhook, to detect one that fails often but never for long. */
const RESULTS_MAX = 20;
/** The maximum length of the stored text of a failure. */
const TEXT_MAX = 300;
/** The maximum of webhooks that a function remembers. */
const WEBHOOKS_MAX = 1_000;

/** A recorded failure. */
export interface RecordedFailure {
  /** The number of failures since the last success. */
  readonly failures: number;
  readonly recent: RecentResults;
}

/** What a function has recorded for a webhook. */
interface WebhookState {
  successMs: number;
  failureMs: number;
  /** Failures since the last success. */
  failures: number;
  /** The latest results, the newest last: whether each is a failure. Results from before the end of an outage are dropped. */
  results: boolean[];
  waitingMs: number;
  /** Since when the longest-waiting delivery recorded recently has been waiting. */
  firstMs: number;
}

/**
 * Keeps statistics of the deliveries to each webhook. For a webhook that works, each function that posts to it writes once in ten
 * seconds. A failure of these writes affects no delivery.
 */
export class DeliveryLog {
  readonly #store: DeliveryStore;
  readonly #now: () => number;
  readonly #webhooks = new Map<string, WebhookState>();

  constructor(store: DeliveryStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** A delivery was accepted. */
  async succeeded(queue: string, url: string): Promise<void> {
    const state = this.#of(queue, url);
    const nowMs = this.#now();
    // The recorded failures have already reported this outage.
    if (state.failures >= FIRST_FAILURES) state.results.length = 0;
    const recent = withResult(state, false);
    state.failures = 0;
    // The first success after a failure is always recorded.
    if (nowMs - state.successMs < RECORD_EVERY_MS && state.failureMs < state.successMs) return;
    state.successMs = nowMs;
    await this.#store.succeeded(queue, url, recent, nowMs);
  }

  /**
   * A delivery has failed. Returns the failures since the last success and the latest results; undefined when this failure was
   * not recorded.
   */
  async failed(
    queue: string,
    url: string,
    { text, status }: Omit<DeliveryFailure, 'atMs'>,
  ): Promise<RecordedFailure | undefined> {
    const state = this.#of(queue, url);
    const atMs = this.#now();
    state.failures += 1;
    const recent = withResult(state, true);
    if (state.failures > FIRST_FAILURES && atMs - state.failureMs < FAILURE_EVERY_MS) return undefined;
    state.failureMs = atMs;
    const failure = { atMs, text: text.slice(0, TEXT_MAX), ...(status !== undefined && { status }) };
    const failures = await this.#store.failed(queue, url, recent, failure);
    return failures === undefined ? undefined : { failures, recent };
  }

  /** A delivery starts to wait. */
  async waitStarted(queue: string, url: string, sinceMs: number): Promise<void> {
    await this.#store.waitStarted(queue, url, sinceMs, this.#now());
  }

  /** A delivery is still waiting. */
  async stillWaiting(queue: string, url: string, sinceMs: number): Promise<void> {
    const state = this.#of(queue, url);
    const nowMs = this.#now();
    if (nowMs - state.waitingMs < RECORD_EVERY_MS && state.firstMs <= sinceMs) return;
    state.waitingMs = nowMs;
    state.firstMs = sinceMs;
    await this.#store.stillWaiting(queue, url, sinceMs, nowMs);
  }

  /** A waiting delivery has ended. */
  async waitEnded(queue: string, url: string, sinceMs: number): Promise<void> {
    await this.#store.waitEnded(queue, url, sinceMs, this.#now());
  }

  #of(queue: string, url: string): WebhookState {
    const key = `${queue} ${url}`;
    const known = this.#webhooks.get(key);
    if (known !== undefined) return known;
    if (this.#webhooks.size >= WEBHOOKS_MAX) this.#webhooks.clear();
    const never = Number.NEGATIVE_INFINITY;
    const state = {
      successMs: never,
      failureMs: never,
      failures: 0,
      results: [],
      waitingMs: never,
      firstMs: never,
    };
    this.#webhooks.set(key, state);
    return state;
  }
}

/** Adds a result, and returns the latest ones. */
function withResult({ results }: WebhookState, isFailure: boolean): RecentResults {
  results.push(isFailure);
  if (results.length > RESULTS_MAX) results.shift();
  return { posted: results.length, failed: results.filter(Boolean).length };
}
