import type { Watcher } from '../domain/connection.ts';

/** The tokens with which players watch their tickets. */
export interface PlayerTokens {
  /** A signed token. It is valid from now until `untilMs`. */
  issue(watcher: Watcher, untilMs: number): Promise<string>;
  /** The player and ticket of this token; undefined when it is forged, of another service, or expired. */
  verify(token: string, nowMs: number): Promise<Watcher | undefined>;
}
