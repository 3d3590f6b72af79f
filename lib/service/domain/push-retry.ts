import * as z from 'zod';
import { readWith } from './unreadable.ts';

/** Tickets whose players could not be reached on their sockets. */
export interface PushRetry {
  readonly queue: string;
  readonly ticketIds: readonly string[];
  /** When the first try failed, in milliseconds since the epoch. */
  readonly sinceMs: number;
}

const pushRetry = z.object({ queue: z.string(), ticketIds: z.array(z.string()), sinceMs: z.number() });

/**
 * Parses a message of this or another version of Muster.
 * @throws Unreadable
 */
export function readPushRetry(value: unknown): PushRetry {
  return readWith(pushRetry, value, 'a push to try again');
}
