import { type RandomSource, seededRandom } from '../../lib/simulation/random.ts';
import { Killed } from './faults.ts';
import type { Line } from './virtual-cloud.ts';

/** A function that runs. */
export interface Process {
  readonly name: string;
  readonly startMs: number;
  dead: boolean;
}

/** A call that waits for its turn. */
interface Waiting {
  readonly process: Process;
  readonly what: string;
  go(fate: Fate): void;
  readonly over: Promise<void>;
}

type Fate = 'happens' | 'fails before' | 'fails after' | 'kills before' | 'kills after';

/** How often, of all calls, a fate other than the good one. */
export interface Trouble {
  readonly fails: number;
  readonly kills: number;
}

/** A call that failed; the function goes on with it as it likes. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

/**
 * Lets processes run side by side, one call to the outside at a time, in an order that a seed decides: the same
 * seed gives the same run.
 */
export class Interleaving {
  readonly random: RandomSource;
  readonly processes = new Set<Process>();
  /** What has happened, a line each. */
  readonly trace: string[] = [];
  /** Writes of functions that had ended already. */
  readonly stray: string[] = [];
  trouble: Trouble = { fails: 0, kills: 0 };
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

  /** Begins a process; `then` hears of its result, or of undefined when it failed or was killed. */
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

  /** A function that has answered is frozen; what it still writes happens at any time later, or never. */
  #seeEnd(process: Process): void {
    for (const call of this.#waiting.filter((call) => call.process === process && !process.dead)) {
      if (!/^(Get|Query|Scan)/.test(call.what))
        this.stray.push(`${process.name} has ended, but its ${call.what} goes on`);
    }
  }

  /** Ends a process at once, as the time limit of its function does. */
  kill(process: Process): void {
    process.dead = true;
    for (const call of this.#waiting.filter((call) => call.process === process))
      this.#go(call, 'kills before');
  }

  /** Lets one call that waits happen, or fail. False: none waits. */
  async step(): Promise<boolean> {
    await quiet();
    if (this.#waiting.length === 0) return false;
    const call = this.#waiting[this.random.integer(this.#waiting.length)]!;
    const fate = this.#fate();
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

  #fate(): Fate {
    const { fails, kills } = this.trouble;
    const draw = this.random.uniform();
    if (draw < kills) return draw < kills / 2 ? 'kills before' : 'kills after';
    if (draw < kills + fails) return draw < kills + fails / 2 ? 'fails before' : 'fails after';
    return 'happens';
  }

  #line(process: Process): Line {
    return async (what, effect) => {
      if (process.dead) throw new Killed(what);
      const over = Promise.withResolvers<void>();
      const fate = await new Promise<Fate>((go) => {
        this.#waiting.push({ process, what, go, over: over.promise });
      });
      try {
        if (fate === 'kills before') throw new Killed(what);
        if (fate === 'fails before') throw new CallFailed(what);
        const result = await effect();
        if (fate === 'kills after' || process.dead) throw new Killed(what);
        if (fate === 'fails after') throw new CallFailed(what);
        return result;
      } finally {
        over.resolve();
      }
    };
  }
}

/** What a use case says no with. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && (error.name === 'Problem' || error.name === 'StoreBusy');
}

/** Until every process waits for a call, or has ended. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
