import { vi } from 'vitest';

/**
 * How long a test waits for something that always happens. It passes only when the test has failed: the limit is far above what
 * the busiest machine needs, and below that of a test, so that a failure says what did not happen.
 */
export const PATIENCE_MS = 300_000;

/** Repeats a check until it passes, and returns its result. Fails with the check's own error when it never passes. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 100 });
}
