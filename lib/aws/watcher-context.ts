import * as z from 'zod';
import type { Watcher } from '../service/domain/connection.ts';
import { readWith } from '../service/domain/unreadable.ts';

/** Who watches, as the authorizer tells API Gateway, which tells every later function of the connection. */
export type WatcherContext = Watcher & Record<string, string | number>;

const context = z.object({
  ticketId: z.string(),
  queue: z.string(),
  playerId: z.string(),
  // API Gateway may pass numbers as text.
  player: z.coerce.number().int().min(0),
});

/**
 * Who has a connection, from the context of a request.
 * @throws Unreadable when the authorizer has not admitted it
 */
export function watcherOf(authorizer: unknown): Watcher {
  return readWith(context, authorizer, 'the context of a connection');
}
