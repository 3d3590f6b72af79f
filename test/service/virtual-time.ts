/** A clock that moves on to the next moment somebody waits for, once nothing else can happen. */
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
      // Kept in order; those of one moment in the order they came.
      const at = this.#timers.findLastIndex((timer) => timer.atMs <= atMs) + 1;
      this.#timers.splice(at, 0, { atMs, wake });
    });
  }

  /** Runs a task to its end. What it begins and does not wait for goes on when the next task is run. */
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
      if (next === undefined) throw new Error('the task waits for something that no timer will bring');
      this.nowMs = next.atMs;
      next.wake();
    }
  }
}

/** Until all that can go on without time has. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
