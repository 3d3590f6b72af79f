/**
 * Lets the reader of the output go away, as `head` does: what nobody reads is not written, and that is no failure.
 * Commands that print for as long as they run also end at `outputClosed`.
 */
export function allowClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Settles when nobody reads standard output any more. Known only after something was written in vain. */
export function outputClosed(): Promise<void> {
  return new Promise((resolve) => process.stdout.once('error', () => resolve()));
}
