/** Runs at most so many tasks at once, in the order in which they are given. */
export class AtMost {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(tasks: number) {
    this.#free = tasks;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
