import * as z from 'zod';
import type { Watcher } from '../service/domain/connection.ts';
import { readWith } from '../service/domain/unreadable.ts';

/** The watcher, as the authorizer returns it to API Gateway, which passes it to every later function of the connection. */
export type WatcherContext = Watcher & Record<string, string | number>;

const context = z.object({
  ticketId: z.string(),
  queue: z.string(),
  playerId: z.string(),
  // API Gateway may pass numbers as text.
  enqueuedAtMs: z.coerce.number().int(),
  player: z.coerce.number().int().min(0),
});

/**
 * The owner of a connection, from the context of a request.
 * @throws Unreadable when the authorizer has not admitted it
 */
export function watcherOf(authorizer: unknown): Watcher {
  return readWith(context, authorizer, 'the context of a connection');
}
