const PATIENCE_MS = 1000;
/** Between the lines in a file or a pipe, in milliseconds. */
const LINE_MS = 10_000;

/**
 * Shows on standard error how much of the work is done: on a terminal in one line, if it takes more than a second, or else in a
 * line every ten seconds.
 */
export function progressLine(label: string): { show: (share: number) => void; end: () => void } {
  let dueMs = performance.now() + (process.stderr.isTTY ? PATIENCE_MS : LINE_MS);
  let shown = false;
  return {
    show(share) {
      if (performance.now() < dueMs) return;
      const text = `${label}: ${Math.floor(100 * Math.min(1, share))} %`;
      shown = process.stderr.isTTY;
      if (!shown) dueMs = performance.now() + LINE_MS;
      process.stderr.write(shown ? `\r${text}` : `${text}\n`);
    },
    end() {
      if (shown) process.stderr.write('\r\u001b[K');
    },
  };
}
