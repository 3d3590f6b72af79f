import { setImmediate as turn } from 'node:timers/promises';

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

/**
 * Starts a service, and stops it again if the process is interrupted before it has started.
 *
 * @returns undefined after an interruption, even if the start fails because Ctrl-C reaches its child processes too
 * @throws what `start` throws without an interruption
 */
export async function startUnless<Service extends { stop(): Promise<void> }>(
  interrupted: Promise<void>,
  start: () => Promise<Service>,
): Promise<Service | undefined> {
  let isInterrupted = false;
  void interrupted.then(() => {
    isInterrupted = true;
  });
  let service: Service;
  try {
    service = await start();
  } catch (error) {
    await signalsReported();
    if (isInterrupted) return undefined;
    throw error;
  }
  await signalsReported();
  if (!isInterrupted) return service;
  await service.stop();
  return undefined;
}

/** Settles after the signals that arrived during synchronous work: they are reported within two turns of the event loop. */
async function signalsReported(): Promise<void> {
  await turn();
  await turn();
}

/** The exit status after an interruption, the same as a shell reports after Ctrl-C. */
export const INTERRUPTED_STATUS = 130;

const PARENT_CHECK_MS = 500;

/**
 * Allows the reader of the output to stop reading, as `head` does. Further output is dropped, which is not a failure.
 * Commands that print as long as they run also end at `outputClosed`. Any other failed write, such as on a full disk,
 * ends the process with status 1.
 */
export function allowClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      if (stream === process.stdout) console.error(`cannot write the output: ${error.message}`);
      process.exit(1);
    });
  }
}

/** Settles when the reader of standard output has closed it, which only a failed write detects. */
export function outputClosed(): Promise<void> {
  return new Promise((resolve) => process.stdout.once('error', () => resolve()));
}
