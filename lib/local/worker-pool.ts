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
  /** How long an invocation waits for a busy worker before a further one is started. @default see PATIENCE_MIN_MS */
  readonly patienceMs?: number | undefined;
  /** The delays of invocations and starts, added to the function's own time. */
  readonly delays: AwsDelays;
  /** Called with each line that the function writes. */
  readonly log: (line: string) => void;
  /** Called when an invocation ends. The time excludes the wait for a worker. */
  readonly ended: (result: InvocationResult, durationMs: number, cpuMs: number) => void;
}

/** The number is limited because each worker has its own heap. Further invocations wait in order. */
const WORKERS_MAX = 20;
/** Starts are CPU-bound, so more at a time would only slow each other down. */
const STARTING_MAX = 2;
/**
 * An invocation waits for a busy worker as long as the last start of a worker took, and at least this long, before a further one
 * is started. A start takes 0.3 s of a core and 40 MB, more than most invocations. On a busy machine invocations are slow because
 * they wait for a core, which a further worker would only take from the others: there a start takes seconds, and so does the
 * patience. Lambda does not wait, so neither does a cloud with its delays.
 */
const PATIENCE_MIN_MS = 100;
/** On the slowest machine too, invocations that wait for something, such as long polls, get further workers after this time. */
const PATIENCE_MAX_MS = 5_000;
/** A worker ends after this time without an invocation, unless it is the last one of its function. */
const IDLE_MS = 5_000;
/** The last worker of a function ends after this time. The next invocation then starts one. */
const LAST_IDLE_MS = 300_000;
/**
 * The limit of a worker's young generation, which V8 would let grow to 48 MB in each worker. Functions keep little between
 * two invocations, so a small one is collected fast.
 */
const YOUNG_GENERATION_MB = 6;

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
  const { start, environment, timeoutMs, reservedConcurrency = WORKERS_MAX, delays, log, ended } = options;
  const workersMax = Math.min(reservedConcurrency, WORKERS_MAX);
  let patienceMs = options.patienceMs ?? (delays.instant ? PATIENCE_MIN_MS : 0);
  const waiting: Job[] = [];
  const runners = new Set<Runner>();
  let stopped = false;
  let patience: NodeJS.Timeout | undefined;
  /** When a worker has last become ready. It gets time to work off the jobs that have waited for its start. */
  let readyMs = 0;

  /** Gives waiting jobs to idle workers, and starts workers for the rest, within the limits. */
  const assign = () => {
    for (const runner of runners) {
      if (waiting.length === 0) return;
      if (runner.state === 'idle') run(runner, waiting.shift()!);
    }
    const inState = (state: Runner['state']) =>
      [...runners].filter((runner) => runner.state === state).length;
    let starting = inState('starting');
    const wanted = overdue() - inState('cold');
    while (starting < Math.min(wanted, STARTING_MAX) && runners.size < workersMax) {
      addWorker();
      starting++;
    }
    clearTimeout(patience);
    if (waiting.length > 0 && runners.size < workersMax) patience = setTimeout(assign, patienceMs);
  };

  /** The number of waiting jobs that shall not wait for a busy worker any longer. */
  const overdue = () => {
    if (runners.size === 0) return waiting.length;
    const sinceMs = performance.now() - patienceMs;
    return readyMs > sinceMs ? 0 : waiting.filter((job) => job.sinceMs <= sinceMs).length;
  };

  const run = (runner: Runner, job: Job) => {
    clearTimeout(runner.timer);
    runner.state = 'busy';
    runner.job = job;
    runner.startedMs = performance.now();
    runner.timer = setTimeout(() => {
      end(runner, 'Sandbox.Timedout', `Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`);
    }, timeoutMs);
    const { event } = job;
    const deadlineMs = Date.now() + timeoutMs;
    runner.worker.postMessage({ event, requestId: randomUUID(), deadlineMs } satisfies Invocation);
  };

  const addWorker = () => {
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
    runners.add(runner);
    for (const stream of [worker.stdout, worker.stderr]) eachLine(stream, log);
    const coldMs = delays.ms('lambdaColdStart');
    worker.on('message', (message: InvocationEnd | 'ready') => {
      if (message !== 'ready') settle(runner, message.result, message.cpuMs);
      else started(performance.now() - runner.startedMs);
      const restMs = message === 'ready' ? coldMs - (performance.now() - runner.startedMs) : 0;
      if (restMs <= 0) return rest(runner);
      runner.state = 'cold';
      runner.timer = setTimeout(() => rest(runner), restMs);
      // Another worker may start now.
      assign();
    });
    worker.on('error', (error: Error) => {
      log(error.stack ?? String(error));
      end(runner, error.name, error.message);
    });
    worker.on('exit', () =>
      end(runner, 'Runtime.ExitError', 'Error: Runtime exited without providing a reason'),
    );
  };

  const started = (tookMs: number) => {
    readyMs = performance.now();
    if (options.patienceMs === undefined && delays.instant)
      patienceMs = Math.min(PATIENCE_MAX_MS, Math.max(PATIENCE_MIN_MS, tookMs));
  };

  /** Makes the worker available for jobs. */
  const rest = (runner: Runner) => {
    if (!runners.has(runner)) return;
    runner.state = 'idle';
    clearTimeout(runner.timer);
    runner.timer = setTimeout(() => endIdle(runner), IDLE_MS).unref();
    assign();
  };

  /** Ends the worker. Its job fails with the error; if the worker never started, a waiting job fails instead. */
  const end = (runner: Runner, errorType: string, errorMessage: string) => {
    if (!runners.delete(runner)) return;
    clearTimeout(runner.timer);
    void runner.worker.terminate();
    if (runner.state === 'starting') runner.job = waiting.shift();
    settle(runner, { ok: false, errorType, errorMessage });
    assign();
  };

  const settle = (runner: Runner, result: InvocationResult, cpuMs = 0) => {
    if (runner.job === undefined) return;
    ended(result, performance.now() - runner.startedMs, cpuMs);
    runner.job.settle(result);
    runner.job = undefined;
  };

  /** The last worker stays longer, for the next ticket. */
  const endIdle = (runner: Runner) => {
    if (runner.state !== 'idle') return;
    if (runners.size === 1 && performance.now() - runner.startedMs < LAST_IDLE_MS) {
      runner.timer = setTimeout(() => endIdle(runner), LAST_IDLE_MS - IDLE_MS).unref();
      return;
    }
    runners.delete(runner);
    void runner.worker.terminate();
  };

  return {
    async run(event) {
      await delays.wait('lambdaInvocation');
      if (stopped) return STOPPED;
      return new Promise((settle) => {
        waiting.push({ event, settle, sinceMs: performance.now() });
        assign();
      });
    },
    async stop() {
      stopped = true;
      clearTimeout(patience);
      const unfinished = [...waiting.splice(0), ...[...runners].flatMap(({ job }) => job ?? [])];
      const workers = [...runners];
      runners.clear();
      for (const job of unfinished) job.settle(STOPPED);
      for (const { timer } of workers) clearTimeout(timer);
      await Promise.all(workers.map(({ worker }) => worker.terminate()));
    },
  };
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
