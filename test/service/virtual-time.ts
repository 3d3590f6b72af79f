/** A clock that advances to the next timers when nothing else can run. */
export class VirtualTime {
  nowMs: number;
  /** The next one is the last. */
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
      this.#timers.splice(this.#placeOf(atMs), 0, { atMs, wake });
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
      const next = this.#timers.at(-1);
      if (next === undefined)
        throw new Error('Expected the task to end or to set a timer, but it waits without a timer');
      this.nowMs = next.atMs;
      while (this.#timers.at(-1)?.atMs === next.atMs) this.#timers.pop()!.wake();
    }
  }

  /** Where a timer belongs: before all that are earlier, and before those of its moment, which were created earlier. */
  #placeOf(atMs: number): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#timers[middle]!.atMs > atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Resolves when nothing can continue without time passing. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
