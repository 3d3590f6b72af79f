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
