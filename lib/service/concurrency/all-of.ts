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
