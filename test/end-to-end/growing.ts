/** How long a test waits for something that should have happened long before. */
const PATIENCE_MS = 60_000;

/** A list that grows while a test runs, and can be waited on. */
export class Growing<T> {
  readonly items: T[] = [];
  readonly #watchers = new Set<() => void>();

  add(item: T): void {
    this.items.push(item);
    for (const watch of [...this.#watchers]) watch();
  }

  /** The items at the first moment they satisfy `done`, which may be now. Rejects, telling what came, if they never do. */
  until(done: (items: readonly T[]) => boolean, patienceMs = PATIENCE_MS): Promise<readonly T[]> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#watchers.delete(look);
      };
      const look = () => {
        if (!done(this.items)) return;
        end();
        resolve([...this.items]);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`waited for more than these in vain: ${JSON.stringify(this.items, null, 1)}`));
      }, patienceMs);
      this.#watchers.add(look);
      look();
    });
  }

  /** The first item that satisfies `wanted`, as soon as there is one. */
  async first(wanted: (item: T) => boolean, patienceMs?: number): Promise<T> {
    return (await this.until((items) => items.some(wanted), patienceMs)).find(wanted)!;
  }
}
