/**
 * Kinds of callers. A `player` is a game client. It reads, cancels and accepts its own tickets, and reads their matches.
 * A `backend` is the studio's server, for tickets, matches, assignments, backfills and statistics. An `admin` manages queue
 * definitions.
 */
export const SCOPES = ['player', 'backend', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Every route of the API and the scopes that may call it. A route without scopes is open to everybody. The template, the
 * functions and the OpenAPI document use this list.
 *
 * In an IAM permission a path parameter is a `*`, which also matches slashes. So a caller that may GET
 * `/queues/{queue}` may GET its statistics as well, and an admin has both.
 */
export const ROUTES = {
  'GET /health': [],
  'GET /openapi.json': [],

  'POST /queues/{queue}/tickets': ['backend'],
  'POST /queues/{queue}/ticket-batches': ['backend'],
  'GET /tickets': ['backend'],
  'GET /tickets/{ticketId}': ['player', 'backend'],
  'DELETE /tickets/{ticketId}': ['player', 'backend'],
  'PUT /tickets/{ticketId}/acceptance': ['player', 'backend'],

  'GET /matches/{matchId}': ['player', 'backend'],
  'PUT /matches/{matchId}/assignment': ['backend'],
  'POST /matches/{matchId}/backfill': ['backend'],
  'POST /matches/{matchId}/end': ['backend'],
  'GET /backfills/{backfillId}': ['backend'],
  'DELETE /backfills/{backfillId}': ['backend'],

  'GET /queues/{queue}/stats': ['backend', 'admin'],
  'GET /queues/{queue}/matches': ['backend', 'admin'],
  'GET /queues/{queue}/waiting': ['backend', 'admin'],
  'POST /queues/{queue}/dry-run': ['backend', 'admin'],

  'GET /dead-letters': ['admin'],

  'GET /players/{playerId}': ['admin'],
  'DELETE /players/{playerId}': ['admin'],

  'GET /queues': ['admin'],
  'GET /queues/{queue}': ['admin'],
  'PUT /queues/{queue}': ['admin'],
  'DELETE /queues/{queue}': ['admin'],
  'GET /queues/{queue}/versions': ['admin'],
  'POST /queues/{queue}/versions/{version}/restore': ['admin'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

/** A method and a path, as `GET /tickets/{ticketId}`. */
export type RouteKey = keyof typeof ROUTES;

/** The keys of all routes. */
export const ROUTE_KEYS = Object.keys(ROUTES) as RouteKey[];

/** The scopes that may call a route; empty when it is open to everybody. */
export function scopesOf(route: RouteKey): readonly Scope[] {
  return ROUTES[route];
}

/** The scope in an OAuth token. */
export function tokenScope(scope: Scope): `muster/${Scope}` {
  return `muster/${scope}`;
}

/** The caller of an admitted request. */
export type Caller =
  /** The caller of an open route. */
  | { readonly scope: 'anybody' }
  /** May do everything that the route offers. */
  | {
      readonly scope: 'backend' | 'admin';
      /** Who it is: the ARN of the AWS identity, or the `sub` of the token. Absent when neither says so. */
      readonly name?: string;
    }
  /** One player, limited to their own tickets and matches. */
  | { readonly scope: 'player'; readonly playerId: string };
