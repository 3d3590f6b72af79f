import { type Watcher, watcher } from '../service/domain/connection.ts';
import { readWith } from '../service/domain/unreadable.ts';

/** The watcher in the authorizer's context. API Gateway passes it to every function of the connection. */
export type WatcherContext = Watcher & Record<string, string | number | undefined>;

/**
 * The watcher of a connection, from the context of a request.
 * @throws Unreadable when the context has none
 */
export function watcherOf(authorizer: unknown): Watcher {
  return readWith(watcher, authorizer, 'the context of a connection');
}
