const WIDTH_MAX = 30;
/** Beside the label and the bar: two spaces, the percentage and the cursor. */
const OTHER_COLUMNS = 8;
const PATIENCE_MS = 1000;
/** Between the lines in a file or a pipe, in milliseconds. */
const LINE_MS = 10_000;

/**
 * Shows on standard error how much of the work is done: by a bar on a terminal, if it takes more than a second, or else by a line
 * every ten seconds.
 */
export function progressBar(label: string): { show: (share: number) => void; end: () => void } {
  const start = performance.now();
  let lineAt = start;
  let shown = false;
  // A line that wraps could not be replaced.
  const width = () => {
    const free = (process.stderr.columns || 80) - label.length - OTHER_COLUMNS;
    return Math.max(0, Math.min(WIDTH_MAX, free));
  };
  return {
    show(share) {
      const percent = `${Math.floor(100 * Math.min(1, share))} %`;
      const now = performance.now();
      if (!process.stderr.isTTY) {
        if (now - lineAt < LINE_MS) return;
        lineAt = now;
        process.stderr.write(`${label}: ${percent}\n`);
        return;
      }
      if (now - start < PATIENCE_MS) return;
      const columns = width();
      const full = Math.round(columns * Math.min(1, share));
      shown = true;
      process.stderr.write(`\r${label} ${'█'.repeat(full)}${'░'.repeat(columns - full)} ${percent}`);
    },
    end() {
      if (shown) process.stderr.write('\r\u001b[K');
    },
  };
}
