import { PATIENCE_MS } from '../patience.ts';

/** A list that grows while a test runs. Tests can wait for items. */
export class Growing<T> {
  readonly items: T[] = [];
  readonly #watchers = new Set<() => void>();

  add(item: T): void {
    this.items.push(item);
    for (const watch of [...this.#watchers]) watch();
  }

  /** Resolves with the items as soon as they satisfy `done`. Rejects with the items in the message if they never do. */
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
        reject(
          new Error(`the expected items did not arrive, only these: ${JSON.stringify(this.items, null, 1)}`),
        );
      }, patienceMs);
      this.#watchers.add(look);
      look();
    });
  }

  /** Resolves with the first item that satisfies `wanted`, as soon as there is one. */
  async first(wanted: (item: T) => boolean, patienceMs?: number): Promise<T> {
    return (await this.until((items) => items.some(wanted), patienceMs)).find(wanted)!;
  }
}
