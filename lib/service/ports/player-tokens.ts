import type { Watcher } from '../domain/connection.ts';

/** Issues and verifies the tokens with which players watch their tickets. */
export interface PlayerTokens {
  /** A signed token. It is valid from now until `untilMs`. */
  issue(watcher: Watcher, untilMs: number): Promise<string>;
  /** The player and ticket of a token; undefined when it is forged, expired or of another service. */
  verify(token: string, nowMs: number): Promise<Watcher | undefined>;
}
