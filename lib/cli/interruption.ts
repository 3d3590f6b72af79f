/**
 * Settles when the process should end: at Ctrl-C, at a signal, when its terminal closes, or when the npm process that
 * started it ends. npm passes a signal only to its shell, which dies and leaves this process running.
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

/** Aborts at `interruption`, for work that then ends early and writes its partial result. */
export function interruptionSignal(): AbortSignal {
  const controller = new AbortController();
  void interruption().then(() => controller.abort());
  return controller.signal;
}

/** The exit status after an interruption, the same as a shell reports after Ctrl-C. */
export const INTERRUPTED_STATUS = 130;

const PARENT_CHECK_MS = 500;
