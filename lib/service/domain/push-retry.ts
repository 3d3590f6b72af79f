import * as z from 'zod';
import { type Read, readWith } from './unreadable.ts';

/** Tickets whose players could not be reached on their sockets. `sinceMs`: when the first try failed. */
const pushRetry = z.object({ queue: z.string(), ticketIds: z.array(z.string()), sinceMs: z.number() });
export type PushRetry = Read<typeof pushRetry>;

/**
 * Parses a message of this or another version of Muster.
 * @throws Unreadable
 */
export function readPushRetry(value: unknown): PushRetry {
  return readWith(pushRetry, value, 'a push to try again');
}
