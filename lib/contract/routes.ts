/**
 * Kinds of callers. A `player` is a game client: it reads, cancels and accepts tickets it is in, and reads their matches.
 * A `backend` is the studio's server: tickets, matches, assignments, statistics. An `admin` keeps queue definitions.
 */
export const SCOPES = ['player', 'backend', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Every route of the API and who may call it: any of the scopes; without scopes, anybody. The template, the functions and
 * the OpenAPI document take it from here.
 *
 * In a right of IAM a path parameter is a `*`, which also stands for slashes. So a caller that may GET
 * `/queues/{queue}` may GET its statistics as well, and an admin has both.
 */
export const ROUTES = {
  'GET /health': [],
  'GET /openapi.json': [],

  'POST /queues/{queue}/tickets': ['backend'],
  'GET /tickets/{ticketId}': ['player', 'backend'],
  'DELETE /tickets/{ticketId}': ['player', 'backend'],
  'PUT /tickets/{ticketId}/acceptance': ['player', 'backend'],

  'GET /matches/{matchId}': ['player', 'backend'],
  'PUT /matches/{matchId}/assignment': ['backend'],

  'GET /queues/{queue}/stats': ['backend', 'admin'],
  'POST /queues/{queue}/dry-run': ['backend', 'admin'],

  'GET /queues': ['admin'],
  'GET /queues/{queue}': ['admin'],
  'PUT /queues/{queue}': ['admin'],
  'DELETE /queues/{queue}': ['admin'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

/** A method and a path, as `GET /tickets/{ticketId}`. */
export type RouteKey = keyof typeof ROUTES;

export const ROUTE_KEYS = Object.keys(ROUTES) as RouteKey[];

/** The scopes whose callers may use a route; none: it is open to anybody. */
export function scopesOf(route: RouteKey): readonly Scope[] {
  return ROUTES[route];
}

/** The scope as an OAuth token carries it. */
export function tokenScope(scope: Scope): `muster/${Scope}` {
  return `muster/${scope}`;
}

/** Who sent a request, once it is admitted. */
export type Caller =
  /** Anybody, on a route that is open. */
  | { readonly scope: 'anybody' }
  /** Trusted with all that the route offers. */
  | { readonly scope: 'backend' | 'admin' }
  /** One player, who gets what is theirs. */
  | { readonly scope: 'player'; readonly playerId: string };
