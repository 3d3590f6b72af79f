import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TunePoint } from '../simulation/tune.ts';
import { codeFile } from './code-option.ts';
import type { TuneTask } from './tune-worker.ts';

/** Threads that try settings. Each starts when there are tasks enough for it, and loads the modules once for all stages. */
export class TuneThreads {
  readonly #most: number;
  readonly #signal: AbortSignal;
  readonly #threads: Worker[] = [];

  /** @param signal when it aborts, tasks in flight are abandoned */
  constructor(most: number, signal: AbortSignal) {
    this.#most = most;
    this.#signal = signal;
  }

  /**
   * @param onDone called with the share of completed tasks, in [0, 1]
   * @returns results in the order of the tasks; when aborted, only those completed so far
   */
  async tryAll(tasks: readonly TuneTask[], onDone: (share: number) => void): Promise<TunePoint[]> {
    const points = new Array<TunePoint | undefined>(tasks.length);
    const open = tasks.entries();
    let done = 0;
    const work = async (worker: Worker) => {
      for (const [at, task] of open) {
        worker.postMessage(task);
        [points[at]] = await once(worker, 'message', { signal: this.#signal });
        onDone(++done / tasks.length);
      }
    };
    while (this.#threads.length < Math.min(this.#most, tasks.length)) this.#threads.push(startThread());
    try {
      await Promise.all(this.#threads.map(work));
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
    return points.filter((point) => point !== undefined);
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map((worker) => worker.terminate()));
  }
}

function startThread(): Worker {
  return new Worker(new URL('./tune-worker.ts', import.meta.url), { workerData: { code: codeFile } });
}
