/** How much the clock of the service is ahead of this machine's. */
let aheadMs = 0;
/** Less is not told from the time that a response takes. */
const DIFFERENCE_MIN_MS = 2_000;

/** The time by the clock of the service, with which its times are compared. */
export function serviceNow(): number {
  return Date.now() + aheadMs;
}

/** @param atMs what the clock of the service said between `sentMs` and now */
export function learnServiceTime(atMs: number, sentMs: number): void {
  const foundMs = atMs - (sentMs + Date.now()) / 2;
  if (Math.abs(foundMs - aheadMs) > DIFFERENCE_MIN_MS) aheadMs = foundMs;
}
