/** The store was throttled, or lost every race against other writers, until the retries ran out. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';
}
