/** The store was throttled, or lost every race against other writers, until the retries ran out. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';
  /** The further queue of a linked ticket, if the keys of its entries were throttled. */
  readonly queue: string | undefined;

  constructor(message: string, { queue, ...options }: ErrorOptions & { readonly queue?: string } = {}) {
    super(message, options);
    this.queue = queue;
  }
}
