import { type RandomSource, seededRandom } from '../../lib/simulation/random.ts';
import { Killed } from './faults.ts';
import type { Line } from './virtual-cloud.ts';

/** A running function. */
export interface Process {
  readonly name: string;
  readonly startMs: number;
  dead: boolean;
}

/** A call that has not been executed yet. */
interface Waiting {
  readonly process: Process;
  readonly what: string;
  go(fate: Fate): void;
  readonly over: Promise<void>;
}

/** The result of a call: it takes effect, fails, or kills its function. */
export type Fate =
  | 'happens'
  | 'loses its answer'
  | 'fails before'
  | 'fails after'
  | 'kills before'
  | 'kills after';

/** The shares of calls that fail, and of calls that kill their function. */
export interface Trouble {
  readonly fails: number;
  readonly kills: number;
  /** The share of writes whose response is lost, so that the SDK repeats the request a little later. */
  readonly lost: number;
}

/** Thrown by a failed call. The function may catch it. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

/**
 * Runs processes concurrently, one call to a port at a time, in random order. The same seed gives the same run.
 */
export class Interleaving {
  readonly random: RandomSource;
  readonly processes = new Set<Process>();
  /** The log of the run, one line per step. */
  readonly trace: string[] = [];
  /** Writes by functions that had already ended. */
  readonly stray: string[] = [];
  trouble: Trouble = { fails: 0, kills: 0, lost: 0 };
  readonly #waiting: Waiting[] = [];
  readonly #context: { now(): number; on<T>(line: Line, task: () => Promise<T>): Promise<T> };
  readonly #ended: (process: Process) => void;

  constructor(
    seed: number,
    context: { now(): number; on<T>(line: Line, task: () => Promise<T>): Promise<T> },
    ended: (process: Process) => void,
  ) {
    this.random = seededRandom(seed);
    this.#context = context;
    this.#ended = ended;
  }

  chance(share: number): boolean {
    return this.random.uniform() < share;
  }

  /** Starts a process. `then` receives its result, or undefined when it failed or was killed. */
  begin<T>(
    name: string,
    task: (process: Process) => Promise<T>,
    then: (result: T | undefined) => void = () => {},
  ) {
    const process: Process = { name, startMs: this.#context.now(), dead: false };
    this.processes.add(process);
    const end = (result: T | undefined) => {
      this.processes.delete(process);
      this.#ended(process);
      then(result);
    };
    this.#context
      .on(this.#line(process), () => task(process))
      .then(
        (result) => {
          this.trace.push(`${name} ended`);
          this.#seeEnd(process);
          end(result);
        },
        (error: unknown) => {
          this.trace.push(`${name} failed: ${error}`);
          this.#seeEnd(process);
          if (!(error instanceof Killed || error instanceof CallFailed || isRefusal(error))) throw error;
          end(undefined);
        },
      );
  }

  /** Lambda freezes a function that has returned, so its pending writes happen at any later time or never: records them. */
  #seeEnd(process: Process): void {
    for (const call of this.#waiting.filter((call) => call.process === process && !process.dead)) {
      if (!/^(Get|Query|Scan)/.test(call.what))
        this.stray.push(`${process.name} has ended, but its ${call.what} is pending`);
    }
  }

  /** Ends a process immediately, as the timeout of its function does. */
  kill(process: Process): void {
    process.dead = true;
    for (const call of this.#waiting.filter((call) => call.process === process))
      this.#go(call, 'kills before');
  }

  /** Executes or fails one pending call. Returns false when no call is pending. */
  async step(): Promise<boolean> {
    await quiet();
    if (this.#waiting.length === 0) return false;
    const call = this.#waiting[this.random.integer(this.#waiting.length)]!;
    const fate = this.#fate(call.what);
    this.#go(call, fate);
    await call.over;
    await quiet();
    return true;
  }

  #go(call: Waiting, fate: Fate): void {
    this.#waiting.splice(this.#waiting.indexOf(call), 1);
    this.trace.push(`${this.#context.now()} ${call.process.name} ${call.what} ${fate}`);
    if (fate.startsWith('kills')) call.process.dead = true;
    call.go(fate);
  }

  #fate(what: string): Fate {
    const { fails, kills, lost } = this.trouble;
    const draw = this.random.uniform();
    if (draw < kills) return draw < kills / 2 ? 'kills before' : 'kills after';
    if (draw < kills + fails) return draw < kills + fails / 2 ? 'fails before' : 'fails after';
    return draw < kills + fails + lost && isRepeatedBySdk(what) ? 'loses its answer' : 'happens';
  }

  #line(process: Process): Line {
    const pass: Line = async (what, effect) => {
      if (process.dead) throw new Killed(what);
      const over = Promise.withResolvers<void>();
      const fate = await new Promise<Fate>((go) => {
        this.#waiting.push({ process, what, go, over: over.promise });
      });
      try {
        if (fate === 'kills before') throw new Killed(what);
        if (fate === 'fails before') throw new CallFailed(what);
        if (fate === 'loses its answer') {
          await effect().catch(() => {});
          over.resolve();
          return await pass(what, effect);
        }
        const result = await effect();
        if (fate === 'kills after' || process.dead) throw new Killed(what);
        if (fate === 'fails after') throw new CallFailed(what);
        return result;
      } finally {
        over.resolve();
      }
    };
    return pass;
  }
}

/** Writes of DynamoDB. Only these may find their own effect when they are repeated. */
function isRepeatedBySdk(what: string): boolean {
  return /^(Put|Update|Delete|TransactWrite)Items?$/.test(what);
}

/** Whether a use case has rejected its input, or the store is busy. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && (error.name === 'Problem' || error.name === 'StoreBusy');
}

/** Resolves when every process has a pending call or has ended. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
