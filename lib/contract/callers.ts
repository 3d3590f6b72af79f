/**
 * Kinds of callers. A `player` is a game client. It reads, cancels and accepts its own tickets, and reads their matches.
 * A `backend` is the studio's server, for tickets, matches, assignments, backfills and statistics. An `admin` manages queue
 * definitions.
 */
export const SCOPES = ['player', 'backend', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The scope in an OAuth token. */
export function tokenScope(scope: Scope): `muster/${Scope}` {
  return `muster/${scope}`;
}

/** The caller of an admitted request. */
export type Caller =
  /** The caller of an open route. */
  | { readonly scope: 'anybody' }
  /** A backend or an admin, who may do everything that the route offers. */
  | {
      readonly scope: 'backend' | 'admin';
      /** The ARN of the AWS identity, or the `sub` of the token. Absent when the request has neither. */
      readonly name?: string;
    }
  /** One player, limited to their own tickets and matches. */
  | { readonly scope: 'player'; readonly playerId: string };
