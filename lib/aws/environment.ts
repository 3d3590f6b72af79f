/** The variables that a function may read. The template sets those that each function needs. */
export type Variable =
  | 'ENTRIES_TABLE'
  | 'TICKETS_TABLE'
  | 'MATCHES_TABLE'
  | 'QUEUES_TABLE'
  | 'RANGES_TABLE'
  | 'RECEIVERS_TABLE'
  | 'RATINGS_TABLE'
  | 'CONNECTIONS_TABLE'
  /** The URL of the WebSocket API's stage; only in a deployment with push. */
  | 'SOCKETS_URL'
  /** `true` or `false`: whether players can connect. */
  | 'PUSH'
  | 'CUSTOM_FUNCTIONS'
  /** JSON: the keys that sign the tokens of players, see {@link PlayerKey}. */
  | 'PLAYER_KEYS'
  | 'TICK_QUEUE_URL'
  | 'NOTIFY_QUEUE_URL'
  | 'NOTIFY_SLOW_LANE_URL'
  | 'NOTIFY_DEAD_LETTERS_URL'
  /** JSON: the URL of each dead-letter queue by its consumer. */
  | 'DEAD_LETTER_URLS'
  | 'PROVISION_QUEUE_URL'
  | 'GAMELIFT_QUEUE_URL'
  /** JSON: the queues of GameLift that definitions may name. */
  | 'GAME_SESSION_QUEUES'
  | 'DEADLINE_QUEUE_URL'
  | 'RATE_QUEUE_URL'
  | 'EVENT_BUS_NAME'
  | 'PUSH_RETRIES_URL'
  | 'SECRETS_PREFIX'
  /** JSON, see {@link SecretGrants}. */
  | 'SECRET_GRANTS'
  /** The share of the matches of a queue that may fail, above 0 to 1. */
  | 'FAILED_SHARE'
  /** See {@link bucketLimits}. */
  | 'BUCKET_CAPACITY';

/** @throws when the variable is not set, which is an error of the deployment */
export function environment(name: Variable): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(
      `Expected the environment variable ${name}, got none. Check the function in the template.`,
    );
  }
  return value;
}

/** The value of a variable; undefined when the deployment does not have the option and does not set it. */
export function optionalEnvironment(name: Variable): string | undefined {
  return process.env[name] || undefined;
}

/** Whether webhooks and provisioners may run on this machine without TLS. Only the local cloud allows it. */
export function privateAddressesAllowed(): boolean {
  return process.env.MUSTER_LOCAL === '1';
}

/**
 * Whether GameLift can be called. The local cloud has no stand-in for it, unless a test names one in the environment of the
 * function.
 */
export function isGameLiftReachable(): boolean {
  return process.env.MUSTER_LOCAL !== '1' || process.env.AWS_ENDPOINT_URL_GAMELIFT !== undefined;
}
