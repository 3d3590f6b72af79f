/** A clock that advances to the next timer when nothing else can run. */
export class VirtualTime {
  nowMs: number;
  readonly #timers: { atMs: number; wake: () => void }[] = [];

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  now(): number {
    return this.nowMs;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => {
      const atMs = this.nowMs + Math.max(0, ms);
      // Sorted by time; timers of one moment stay in the order of creation.
      const at = this.#timers.findLastIndex((timer) => timer.atMs <= atMs) + 1;
      this.#timers.splice(at, 0, { atMs, wake });
    });
  }

  /** Runs a task to its end. Work that it starts and does not await continues when the next task runs. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    let ended = false;
    const result = task().finally(() => {
      ended = true;
    });
    result.catch(() => {});
    for (;;) {
      await quiet();
      if (ended) return result;
      const next = this.#timers.shift();
      if (next === undefined)
        throw new Error('Expected the task to end or to set a timer, but it waits without a timer');
      this.nowMs = next.atMs;
      next.wake();
    }
  }
}

/** Resolves when nothing can continue without time passing. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
