/** The delays between the tries of one message. */
export interface Backoff {
  /** The longest delay, in seconds. @default 900 */
  readonly secondsMax?: number;
  /** Milliseconds after which a retry is useless. Each delay is at most half of it. @default no limit */
  readonly withinMs?: number | undefined;
}

/**
 * Seconds to wait before another try: about 1, 4, 16, … up to `secondsMax`, and at least 1.
 * @param tries the number of tries so far, from 1
 * @param random in [0, 1), shortens the delay by up to a quarter, so that failed messages do not return at the same time
 */
export function backoffSeconds(
  tries: number,
  random: number,
  { secondsMax = 900, withinMs = Number.POSITIVE_INFINITY }: Backoff = {},
): number {
  const seconds = Math.min(secondsMax, 4 ** (tries - 1)) * (1 - random / 4);
  return Math.max(1, Math.round(Math.min(seconds, withinMs / 2_000)));
}
