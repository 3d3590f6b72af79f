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

/** Aborts at `interruption`: for work that ends early and writes what it has. */
export function interruptionSignal(): AbortSignal {
  const controller = new AbortController();
  void interruption().then(() => controller.abort());
  return controller.signal;
}

/** The exit status of what was interrupted: that of a shell's command which Ctrl-C has ended. */
export const INTERRUPTED_STATUS = 130;

const PARENT_CHECK_MS = 500;
