import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TunePoint } from '../simulation/tune.ts';
import { codeFile } from './code-option.ts';
import type { TuneTask } from './tune-worker.ts';

/**
 * Tries settings in threads. When the signal aborts, tasks in flight are abandoned.
 *
 * @param onDone called with the share of completed tasks, in [0, 1]
 * @returns results in the order of the tasks; when aborted, only those completed so far
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
  const threads = Array.from(
    { length: Math.min(workers, tasks.length) },
    () => new Worker(new URL('./tune-worker.ts', import.meta.url), { workerData: { code: codeFile } }),
  );
  try {
    await Promise.all(threads.map(work));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await Promise.all(threads.map((worker) => worker.terminate()));
  }
  return points.filter((point) => point !== undefined);
}
