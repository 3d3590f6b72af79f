/** Tasks in flight at once. */
const AT_ONCE = 8;

/**
 * Runs a task for every item while there is time, a few at once. Returns the results of the tasks that ran,
 * in the order of the items.
 *
 * After a failure no new task starts. Tasks in flight are awaited, so none is running on return.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  hasTime: () => boolean,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: Promise<R>[] = [];
  let failed = false;
  const worker = async () => {
    while (results.length < items.length && !failed && hasTime()) {
      const result = task(items[results.length]!);
      results.push(result);
      await result.catch(() => {
        failed = true;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return Promise.all(results);
}
