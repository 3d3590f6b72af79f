/** Runs a task for every item, a few concurrently: see {@link inParallelWhile}. */
export function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  return inParallelWhile(items, atOnce, async () => true, task);
}

/**
 * Runs a task for every admitted item, a few concurrently. Returns the results of the tasks that ran, in the order of
 * the items.
 *
 * After a failure no new task starts. Tasks in flight are awaited, so none is running on return.
 * @param admits called before each item; false ends the run
 */
export async function inParallelWhile<T, R>(
  items: readonly T[],
  atOnce: number,
  admits: () => Promise<boolean>,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: Promise<R>[] = [];
  let ended = false;
  const worker = async () => {
    while (results.length < items.length && !ended) {
      if (!(await admits())) ended = true;
      if (ended || results.length >= items.length) return;
      const result = task(items[results.length]!);
      results.push(result);
      await result.catch(() => {
        ended = true;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return Promise.all(results);
}

/**
 * Waits for all tasks, then returns their results or throws the first failure, if any. `Promise.all` would throw while
 * others are still in flight, and they would continue after the function has ended.
 */
export async function allOf<const T extends readonly Promise<unknown>[]>(
  tasks: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}

/** Limits the number of concurrent tasks. Tasks start in the order in which they are given. */
export class TaskLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(tasks: number) {
    this.#free = tasks;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
