const WIDTH_MAX = 30;
/** Beside the label and the bar: two spaces, the percentage and the cursor. */
const OTHER_COLUMNS = 8;
const PATIENCE_MS = 1000;

/** Shows a progress bar on standard error if that is a terminal and the work takes more than a second. */
export function progressBar(label: string): { show: (share: number) => void; end: () => void } {
  const start = performance.now();
  let shown = false;
  // A line that wraps could not be replaced.
  const width = () => {
    const free = (process.stderr.columns || 80) - label.length - OTHER_COLUMNS;
    return Math.max(0, Math.min(WIDTH_MAX, free));
  };
  return {
    show(share) {
      if (!process.stderr.isTTY || performance.now() - start < PATIENCE_MS) return;
      const columns = width();
      const full = Math.round(columns * Math.min(1, share));
      shown = true;
      process.stderr.write(
        `\r${label} ${'█'.repeat(full)}${'░'.repeat(columns - full)} ${Math.floor(100 * Math.min(1, share))} %`,
      );
    },
    end() {
      if (shown) process.stderr.write('\r\u001b[K');
    },
  };
}
