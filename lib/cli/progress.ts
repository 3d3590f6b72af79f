import { setImmediate as turn } from 'node:timers/promises';
import type { Progress } from '../simulation/simulate.ts';

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

const SLICE_MS = 50;

/**
 * Plays a simulation in slices of time, so that the process can react to Ctrl-C and show the progress.
 *
 * @param players in all; the progress is the share that has arrived
 * @param signal ends it early
 * @returns the results until then
 */
export async function playInSlices<Result>(
  label: string,
  { steps, result }: { readonly steps: Iterable<Progress>; result(): Result },
  players: number,
  signal: AbortSignal,
): Promise<Result> {
  const progress = progressLine(label);
  let sliceEnd = performance.now() + SLICE_MS;
  for (const { players: arrived } of signal.aborted ? [] : steps) {
    if (performance.now() < sliceEnd) continue;
    progress.show(arrived / players);
    await turn();
    if (signal.aborted) break;
    sliceEnd = performance.now() + SLICE_MS;
  }
  progress.end();
  return result();
}
