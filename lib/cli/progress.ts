const WIDTH = 30;
const PATIENCE_MS = 1000;

/** Shows a progress bar on standard error if that is a terminal and the work takes more than a second. */
export function progressBar(label: string): { show: (share: number) => void; end: () => void } {
  const start = performance.now();
  let shown = false;
  return {
    show(share) {
      if (!process.stderr.isTTY || performance.now() - start < PATIENCE_MS) return;
      const full = Math.round(WIDTH * Math.min(1, share));
      shown = true;
      process.stderr.write(
        `\r${label} ${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.floor(100 * Math.min(1, share))} %`,
      );
    },
    end() {
      if (shown) process.stderr.write('\r\u001b[K');
    },
  };
}
