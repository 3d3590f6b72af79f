/** A request for a game session, and its state. */
export interface GameSessionPlacement {
  readonly placementId: string;
  readonly status: 'pending' | 'fulfilled' | 'ended';
  /** With `ended`: why there is no game session, in the words of the service. */
  readonly why?: string;
  /** When it was fulfilled or ended, in milliseconds since the epoch. */
  readonly endedAtMs?: number;
  /** With `fulfilled`. A field is absent when the report is incomplete. */
  readonly session?: {
    readonly arn?: string;
    /** The host name if there is one, because servers with TLS need it. Otherwise the IP address. */
    readonly address?: string;
    readonly port?: number;
    /** The ids of player sessions by playerId. */
    readonly playerSessions: Readonly<Record<string, string>>;
  };
}

/** A request for a new placement. */
export interface GameSessionRequest {
  /** The idempotency key: 1 to 48 letters, digits and hyphens. */
  readonly placementId: string;
  /** The name or ARN of the queue of game sessions. */
  readonly gameSessionQueue: string;
  readonly playersMax: number;
  readonly playerIds: readonly string[];
  /** Milliseconds by playerId and region. */
  readonly latenciesMs: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly properties: Readonly<Record<string, string>>;
  /** Text for the game server, at most {@link SESSION_DATA_LENGTH_MAX} characters. */
  readonly data: string;
}

/** The maximum length of the text that is passed to a game server. */
export const SESSION_DATA_LENGTH_MAX = 262_144;

/** `refused`: the service rejects the request and every repetition of it. `busy`: a retry may succeed. */
export type GameSessionFailure =
  | { readonly outcome: 'refused'; readonly why: string }
  | { readonly outcome: 'busy'; readonly why: string };

export type GameSessionResult =
  | { readonly outcome: 'found'; readonly placement: GameSessionPlacement }
  | { readonly outcome: 'unknown' }
  | GameSessionFailure;

/** Places game sessions on the servers of a fleet. Every call may be repeated. */
export interface GameSessions {
  /**
   * Starts a placement. `invalid`: the service rejects the request as invalid, for example because a placement with this id
   * exists; `why` is the service's reason.
   */
  start(
    request: GameSessionRequest,
  ): Promise<
    | { readonly outcome: 'found'; readonly placement: GameSessionPlacement }
    | { readonly outcome: 'invalid'; readonly why: string }
    | GameSessionFailure
  >;
  /** @param gameSessionQueue the queue of the placement, whose region receives the request */
  describe(placementId: string, gameSessionQueue: string): Promise<GameSessionResult>;
  /** Cancels a pending placement. `invalid`: it has ended or was fulfilled. */
  stop(
    placementId: string,
    gameSessionQueue: string,
  ): Promise<GameSessionResult | { readonly outcome: 'invalid'; readonly why: string }>;
  /** Ends a game session and its server process. `unknown`: there is no such session. */
  terminate(
    sessionArn: string,
    gameSessionQueue: string,
  ): Promise<{ readonly outcome: 'done' } | { readonly outcome: 'unknown' } | GameSessionFailure>;
}
