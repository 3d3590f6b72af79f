/**
 * Allows the reader of the output to stop reading, as `head` does. Further output is dropped, which is not a failure.
 * Commands that print as long as they run also end at `outputClosed`.
 */
export function allowClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Settles when the reader of standard output has closed it, which only a failed write detects. */
export function outputClosed(): Promise<void> {
  return new Promise((resolve) => process.stdout.once('error', () => resolve()));
}
