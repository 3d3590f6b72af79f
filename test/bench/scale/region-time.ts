/** A timer. */
interface Timer {
  readonly atMs: number;
  readonly number: number;
  readonly wake: () => void;
}

/**
 * A virtual clock that advances to the next timer, and measures the CPU time between two timers: that of the one function
 * that was woken.
 */
export class RegionTime {
  nowMs: number;
  readonly #timers: Timer[] = [];
  readonly #cpuFactor: number;
  #count = 0;
  #cpuMs = threadCpuMs();

  /** @param cpuFactor 0 measures nothing, so that a run depends on its seed alone */
  constructor(startMs: number, cpuFactor: number) {
    this.nowMs = startMs;
    this.#cpuFactor = cpuFactor;
  }

  /** The CPU time since the last call or the last timer, in milliseconds of a function's CPU. */
  spentMs(): number {
    if (this.#cpuFactor === 0) return 0;
    const before = this.#cpuMs;
    this.#cpuMs = threadCpuMs();
    return this.#cpuFactor * (this.#cpuMs - before);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => {
      this.#push({ atMs: this.nowMs + Math.max(0, ms), number: this.#count++, wake });
    });
  }

  /** Runs everything until a time. */
  async runUntil(untilMs: number): Promise<void> {
    await quiet();
    this.spentMs();
    for (let next = this.#timers[0]; next !== undefined && next.atMs <= untilMs; next = this.#timers[0]) {
      this.#pop();
      this.nowMs = next.atMs;
      if (this.#cpuFactor > 0) this.#cpuMs = threadCpuMs();
      next.wake();
      await quiet();
    }
    this.nowMs = untilMs;
  }

  /** A binary heap; timers of one moment are in the order of creation. */
  #push(timer: Timer): void {
    const heap = this.#timers;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): void {
    const heap = this.#timers;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number);
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Resolves when nothing can continue without time passing. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
}
