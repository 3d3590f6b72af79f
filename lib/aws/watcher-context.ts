import * as z from 'zod';
import type { Watcher } from '../service/domain/connection.ts';
import { readWith } from '../service/domain/unreadable.ts';

/** The watcher in the authorizer's context. API Gateway passes it to every function of the connection. */
export type WatcherContext = Watcher & Record<string, string | number | undefined>;

const context = z.object({
  ticketId: z.string(),
  queue: z.string(),
  also: z.string().optional(),
  playerId: z.string(),
  // API Gateway may pass numbers as text.
  enqueuedAtMs: z.coerce.number().int(),
  player: z.coerce.number().int().min(0),
});

/**
 * The watcher of a connection, from the context of a request.
 * @throws Unreadable when the context has none
 */
export function watcherOf(authorizer: unknown): Watcher {
  return readWith(context, authorizer, 'the context of a connection');
}
