import { computed, type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { updateQueues } from './live-queues.ts';
import type { ServiceProblem } from './service.ts';

/** Why and since when something that the page shows cannot be read. */
interface Outage {
  readonly sinceMs: number;
  readonly detail: string;
}

/** The polls whose last request found an outage, the longest first. */
const failing = signal<ReadonlyMap<Polling, Outage>>(new Map());

/** The longest outage of what the page shows; undefined while everything can be read. */
export const outage = computed(() => [...failing.value.values()][0]);

/** Whether a failure passes by itself, so that the request is repeated. */
export function isOutage(error: unknown): boolean {
  return (error as Partial<ServiceProblem> | undefined)?.isOutage === true;
}

/** The longest pause between two requests while the service does not respond. */
const PAUSE_MAX_MS = 10_000;
/** The first pause before a request that is made once is repeated. */
const RETRY_MS = 1_000;

/** Calls `load` again and again until it is stopped. */
export interface Polling {
  stop(): void;
}

/** The polls that have not been stopped: each function loads now, and then in the usual rhythm. */
const polls = new Set<() => void>();

/** Loads everything that the page shows: after a request of the page that has changed something. */
export function refreshPage(): void {
  for (const refresh of polls) refresh();
}

/**
 * Polls: the next request begins a pause after the last response, so slow responses never pile up. Nothing is sent while
 * the page is hidden. After failures the pause grows up to ten seconds.
 *
 * @param load rejects when it fails; it reports its own results
 * @param pauseMs the pause after a success, asked for each time
 * @param wasPermitted whether a refusal is an outage: credentials that have sufficed have expired. @default after a success
 */
export function poll(
  load: (abort: AbortSignal) => Promise<unknown>,
  pauseMs: () => number,
  wasPermitted = false,
): Polling {
  const stopped = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  /** Whether the response that is under way may be older than a change. */
  let isStale = false;
  let failures = 0;
  const report = (detail: string | undefined) => {
    const sinceMs = failing.value.get(polling)?.sinceMs ?? Date.now();
    if (detail === undefined && !failing.value.has(polling)) return;
    const others = new Map(failing.value);
    if (detail === undefined) others.delete(polling);
    else others.set(polling, { sinceMs, detail });
    failing.value = others;
  };
  const turn = async () => {
    clearTimeout(timer);
    if (running || stopped.signal.aborted || document.hidden) return;
    running = true;
    try {
      await load(stopped.signal);
      failures = 0;
      wasPermitted = true;
      report(undefined);
    } catch (error) {
      failures++;
      const { isRefusal, message } = error as ServiceProblem;
      const isNews = isOutage(error) || (isRefusal && wasPermitted);
      if (!stopped.signal.aborted) report(isNews ? message : undefined);
    }
    running = false;
    if (stopped.signal.aborted) return;
    if (isStale) {
      isStale = false;
      return void turn();
    }
    const pause = pauseMs() * 2 ** Math.min(failures, 8);
    timer = setTimeout(turn, failures === 0 ? pause : Math.min(PAUSE_MAX_MS, pause));
  };
  const refresh = () => {
    isStale = running;
    void turn();
  };
  polls.add(refresh);
  document.addEventListener('visibilitychange', turn, { signal: stopped.signal });
  const polling: Polling = {
    stop() {
      polls.delete(refresh);
      stopped.abort();
      clearTimeout(timer);
      report(undefined);
    },
  };
  void turn();
  return polling;
}

/** The latest result of a polled request. */
export interface Polled<T> {
  readonly data: T | undefined;
  /** Why the last request failed; undefined after a success. `data` is then of an earlier request. */
  readonly error: Error | undefined;
}

/**
 * Polls while the component is shown.
 *
 * @param key polling starts again when it changes
 * @param pauseMs undefined once the data can no longer change, which ends the polling
 */
export function usePolled<T>(
  key: string,
  load: (abort: AbortSignal) => Promise<T>,
  pauseMs: (data: T | undefined) => number | undefined,
): Signal<Polled<T>> {
  const state = useSignal<Polled<T>>({ data: undefined, error: undefined });
  // The key stands for everything that `load` depends on.
  useEffect(() => {
    state.value = { data: undefined, error: undefined };
    const polling = poll(
      async (abort) => {
        try {
          const data = await load(abort);
          if (!abort.aborted) state.value = { data, error: undefined };
        } catch (error) {
          if (!abort.aborted) state.value = { data: state.value.data, error: error as Error };
          throw error;
        } finally {
          // What could not be read for an outage is asked for again.
          if (pauseMs(state.value.data) === undefined && !isOutage(state.value.error))
            queueMicrotask(() => polling.stop());
        }
      },
      () => pauseMs(state.value.data) ?? RETRY_MS,
    );
    return () => polling.stop();
  }, [key]);
  return state;
}

/** Loads once while the component is shown, and again when the key changes. */
export function useLoaded<T>(key: string, load: (abort: AbortSignal) => Promise<T>): Signal<Polled<T>> {
  return usePolled(key, load, () => undefined);
}

/** Keeps queues up to date while the component is shown. @param only the queue; undefined for all */
export function useUpdates(only: string | undefined, pauseMs: () => number): void {
  useEffect(() => poll((abort) => updateQueues(only, abort), pauseMs, true).stop, [only]);
}
