import { setTimeout } from 'node:timers/promises';

/** The machine's clock, for use cases that wait. */
export const clock = {
  now: () => Date.now(),
  sleep: (ms: number) => setTimeout(ms),
};
