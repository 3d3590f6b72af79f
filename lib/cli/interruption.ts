/**
 * Settles when the process is asked to end: by Ctrl-C, by a signal, by the end of its terminal, or by the end
 * of the npm that started it (npm passes a signal on to its shell, which dies of it and leaves us behind).
 */
export function interruption(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  if (process.env.npm_command !== undefined) {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, PARENT_CHECK_MS);
    watch.unref();
  }
  return promise;
}

const PARENT_CHECK_MS = 500;
