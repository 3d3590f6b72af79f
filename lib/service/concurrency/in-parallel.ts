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
