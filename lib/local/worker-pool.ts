import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { AwsDelays } from './aws-delays.ts';
import type { FunctionStart, Invocation, InvocationEnd, InvocationResult } from './lambda-worker.ts';
import { workerEntry } from './worker-entry.ts';

/** The workers of one function. */
export interface WorkerPool {
  /** Runs one invocation as soon as a worker is free. @param event JSON */
  run(event: string): Promise<InvocationResult>;
  /** Ends all workers. Running and waiting invocations fail. */
  stop(): Promise<void>;
}

export interface WorkerPoolOptions {
  readonly start: FunctionStart;
  /** The complete environment of the function. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** How many invocations may run at once. @default 20 */
  readonly reservedConcurrency?: number | undefined;
  /** How long an invocation waits for a busy worker before another one is started. @default see PATIENCE_MIN_MS */
  readonly patienceMs?: number | undefined;
  /** The delays of invocations and starts, added to the function's own time. */
  readonly delays: AwsDelays;
  /** Called with each line that the function writes. */
  readonly log: (line: string) => void;
  /** Called when an invocation ends. The time excludes the wait for a worker. */
  readonly ended: (result: InvocationResult, durationMs: number, cpuMs: number) => void;
}

/** The maximum of workers, because each has its own heap. Further invocations wait in order. */
const WORKERS_MAX = 20;
/** Starts are CPU-bound, so more at a time would only slow each other down. */
const STARTING_MAX = 2;
/**
 * The minimum time that an invocation waits for a busy worker before another one is started. It waits as long as the last start
 * took, if that is longer, and for the first start however long it takes. A start takes 0.25 s of a core and 40 MB, more than most
 * invocations. On a busy machine starts take seconds, and another worker would only take a core from the others. Lambda does not
 * wait, so with AWS delays the pool does not either.
 */
const PATIENCE_MIN_MS = 100;
/**
 * The maximum of this time. Invocations that wait for something, such as long polls, get further workers even on a slow machine.
 */
const PATIENCE_MAX_MS = 5_000;
/** A worker ends after this time without an invocation, unless it is the last one of its function. */
const IDLE_MS = 30_000;
/** The last worker of a function ends after this time. The next invocation then starts one. */
const LAST_IDLE_MS = 300_000;
/**
 * The limit of a worker's young generation, which V8 would let grow to 48 MB in each worker. Functions keep little between
 * two invocations, so a small one is collected fast. With 6 MB the collections of a start take a tenth of its time.
 */
const YOUNG_GENERATION_MB = 12;

interface Job {
  readonly event: string;
  /** When it began to wait. */
  readonly sinceMs: number;
  readonly settle: (result: InvocationResult) => void;
}

/** A worker and its state. */
interface Runner {
  readonly worker: Worker;
  /** `cold`: the worker is ready, but would still be starting on AWS. */
  state: 'starting' | 'cold' | 'idle' | 'busy';
  job: Job | undefined;
  /** When the worker or its current job started. */
  startedMs: number;
  /** Ends the worker at its job's timeout, or after a long idle time. */
  timer?: NodeJS.Timeout;
}

/** Starts workers on demand. A worker that does not respond in time is ended, and a new one takes the next job. */
export function makeWorkerPool(options: WorkerPoolOptions): WorkerPool {
  return new Workers(options);
}

class Workers implements WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #workersMax: number;
  readonly #waiting: Job[] = [];
  readonly #runners = new Set<Runner>();
  #stopped = false;
  #patienceMs: number;
  #patience: NodeJS.Timeout | undefined;
  /** When the last worker became ready. It first gets time for the jobs that have waited for its start. */
  #readyMs = 0;

  constructor(options: WorkerPoolOptions) {
    const { reservedConcurrency = WORKERS_MAX, delays } = options;
    this.#options = options;
    this.#workersMax = Math.min(reservedConcurrency, WORKERS_MAX);
    this.#patienceMs = options.patienceMs ?? (delays.instant ? PATIENCE_MIN_MS : 0);
  }

  async run(event: string): Promise<InvocationResult> {
    await this.#options.delays.wait('lambdaInvocation');
    if (this.#stopped) return STOPPED;
    return new Promise((settle) => {
      this.#waiting.push({ event, settle, sinceMs: performance.now() });
      this.#assign();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#patience);
    const workers = [...this.#runners];
    const unfinished = [...this.#waiting.splice(0), ...workers.flatMap(({ job }) => job ?? [])];
    this.#runners.clear();
    for (const job of unfinished) job.settle(STOPPED);
    for (const { timer } of workers) clearTimeout(timer);
    await Promise.all(workers.map(({ worker }) => worker.terminate()));
  }

  /** Gives waiting jobs to idle workers, and starts workers for the rest, within the limits. */
  #assign(): void {
    for (const runner of this.#runners) {
      if (this.#waiting.length === 0) return;
      if (runner.state === 'idle') this.#give(runner, this.#waiting.shift()!);
    }
    const inState = (state: Runner['state']) =>
      [...this.#runners].filter((runner) => runner.state === state).length;
    let starting = inState('starting');
    const wanted = this.#overdue() - inState('cold');
    while (starting < Math.min(wanted, STARTING_MAX) && this.#runners.size < this.#workersMax) {
      this.#addWorker();
      starting++;
    }
    clearTimeout(this.#patience);
    if (this.#waiting.length > 0 && this.#runners.size < this.#workersMax)
      this.#patience = setTimeout(() => this.#assign(), this.#patienceMs);
  }

  /** The number of waiting jobs that have exceeded their wait for a busy worker, or for the first start of one. */
  #overdue(): number {
    if (this.#runners.size === 0) return this.#waiting.length;
    if (this.#readyMs === 0 && this.#patienceMs > 0) return 0;
    const sinceMs = performance.now() - this.#patienceMs;
    return this.#readyMs > sinceMs ? 0 : this.#waiting.filter((job) => job.sinceMs <= sinceMs).length;
  }

  #give(runner: Runner, job: Job): void {
    const { timeoutMs } = this.#options;
    clearTimeout(runner.timer);
    runner.state = 'busy';
    runner.job = job;
    runner.startedMs = performance.now();
    runner.timer = setTimeout(() => {
      this.#end(runner, 'Sandbox.Timedout', `Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`);
    }, timeoutMs);
    const { event } = job;
    const deadlineMs = Date.now() + timeoutMs;
    runner.worker.postMessage({ event, requestId: randomUUID(), deadlineMs } satisfies Invocation);
  }

  #addWorker(): void {
    const { start, environment, log } = this.#options;
    const worker = new Worker(workerEntry(), {
      env: environment,
      execArgv: [],
      resourceLimits: {
        maxOldGenerationSizeMb: start.memoryMb,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
      stdout: true,
      stderr: true,
      workerData: start,
    });
    const runner: Runner = { worker, state: 'starting', job: undefined, startedMs: performance.now() };
    this.#runners.add(runner);
    for (const stream of [worker.stdout, worker.stderr]) eachLine(stream, log);
    const coldMs = this.#options.delays.ms('lambdaColdStart');
    worker.on('message', (message: InvocationEnd | 'ready') => {
      if (message === 'ready') this.#ready(runner, coldMs);
      else {
        this.#settle(runner, message.result, message.cpuMs);
        this.#rest(runner);
      }
    });
    worker.on('error', (error: Error) => {
      log(error.stack ?? String(error));
      this.#end(runner, error.name, error.message);
    });
    worker.on('exit', () =>
      this.#end(runner, 'Runtime.ExitError', 'Error: Runtime exited without providing a reason'),
    );
  }

  /** The worker has started. It becomes available when its start would have ended on AWS. */
  #ready(runner: Runner, coldMs: number): void {
    const { delays, patienceMs } = this.#options;
    this.#readyMs = performance.now();
    const tookMs = this.#readyMs - runner.startedMs;
    if (patienceMs === undefined && delays.instant)
      this.#patienceMs = Math.min(PATIENCE_MAX_MS, Math.max(PATIENCE_MIN_MS, tookMs));
    if (coldMs <= tookMs) {
      this.#rest(runner);
      return;
    }
    runner.state = 'cold';
    runner.timer = setTimeout(() => this.#rest(runner), coldMs - tookMs);
    // Now another worker may start.
    this.#assign();
  }

  /** Makes the worker available for jobs. */
  #rest(runner: Runner): void {
    if (!this.#runners.has(runner)) return;
    runner.state = 'idle';
    clearTimeout(runner.timer);
    runner.timer = setTimeout(() => this.#endIdle(runner), IDLE_MS).unref();
    this.#assign();
  }

  /** Ends the worker. Its job fails with the error; if the worker never started, a waiting job fails instead. */
  #end(runner: Runner, errorType: string, errorMessage: string): void {
    if (!this.#runners.delete(runner)) return;
    clearTimeout(runner.timer);
    void runner.worker.terminate();
    if (runner.state === 'starting') runner.job = this.#waiting.shift();
    this.#settle(runner, { ok: false, errorType, errorMessage });
    this.#assign();
  }

  #settle(runner: Runner, result: InvocationResult, cpuMs = 0): void {
    if (runner.job === undefined) return;
    this.#options.ended(result, performance.now() - runner.startedMs, cpuMs);
    runner.job.settle(result);
    runner.job = undefined;
  }

  /** The last worker is kept longer, for the next ticket. */
  #endIdle(runner: Runner): void {
    if (runner.state !== 'idle') return;
    if (this.#runners.size === 1 && performance.now() - runner.startedMs < LAST_IDLE_MS) {
      runner.timer = setTimeout(() => this.#endIdle(runner), LAST_IDLE_MS - IDLE_MS).unref();
      return;
    }
    this.#runners.delete(runner);
    void runner.worker.terminate();
  }
}

const STOPPED: InvocationResult = {
  ok: false,
  errorType: 'LocalCloud.Stopped',
  errorMessage: 'The local cloud is stopping.',
};

function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line !== '') take(line);
  });
}
