/** The store was throttled, could not be reached, or lost every race against other writers, until the retries ran out. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';
  /** The further queue of a linked ticket, if the keys of its entries were throttled. */
  readonly queue: string | undefined;

  constructor(message: string, { queue, ...options }: ErrorOptions & { readonly queue?: string } = {}) {
    super(message, options);
    this.queue = queue;
  }
}

/** The result of a task; undefined when the store was too busy for it. */
export async function unlessBusy<T>(task: Promise<T>): Promise<T | undefined> {
  try {
    return await task;
  } catch (error) {
    if (!(error instanceof StoreBusy)) throw error;
    return undefined;
  }
}
