import { setImmediate as turn } from 'node:timers/promises';
import type { Progress } from '../simulation/simulate.ts';
import { progressLine } from './progress.ts';

const SLICE_MS = 50;

/**
 * Plays a simulation in slices of time, so that the process can react to Ctrl-C and update the progress.
 *
 * @param players in all; it shows the share that has arrived
 * @param signal ends it early
 */
export async function playInSlices(
  label: string,
  steps: Iterable<Progress>,
  players: number,
  signal: AbortSignal,
): Promise<void> {
  const bar = progressLine(label);
  let sliceEnd = performance.now() + SLICE_MS;
  for (const { players: arrived } of steps) {
    if (performance.now() < sliceEnd) continue;
    bar.show(arrived / players);
    await turn();
    if (signal.aborted) break;
    sliceEnd = performance.now() + SLICE_MS;
  }
  bar.end();
}
