import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TunePoint } from '../simulation/tune.ts';
import type { TuneTask } from './tune-worker.ts';

/**
 * Tries settings in threads. Once the signal has come, what is under way is given up.
 *
 * @param onDone is told the share of the tasks that are done, in [0, 1]
 * @returns results in the order of the tasks, whatever the order in which they come; those that are there, when aborted
 */
export async function tryInParallel(
  tasks: readonly TuneTask[],
  workers: number,
  signal: AbortSignal,
  onDone: (share: number) => void,
): Promise<TunePoint[]> {
  const points = new Array<TunePoint | undefined>(tasks.length);
  const open = tasks.entries();
  let done = 0;
  const work = async (worker: Worker) => {
    for (const [at, task] of open) {
      worker.postMessage(task);
      [points[at]] = await once(worker, 'message', { signal });
      onDone(++done / tasks.length);
    }
  };
  const staff = Array.from(
    { length: Math.min(workers, tasks.length) },
    () => new Worker(new URL('./tune-worker.ts', import.meta.url)),
  );
  try {
    await Promise.all(staff.map(work));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await Promise.all(staff.map((worker) => worker.terminate()));
  }
  return points.filter((point) => point !== undefined);
}
