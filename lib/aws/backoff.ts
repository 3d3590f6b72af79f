const SECONDS_MAX = 900;

/**
 * Seconds to wait before another try: about 1, 4, 16, … and never more than 15 minutes.
 * @param tries how often it has been tried, from 1
 * @param random in [0, 1), takes up to a quarter off so that failures do not return together
 */
export function backoffSeconds(tries: number, random: number): number {
  const seconds = Math.min(SECONDS_MAX, 4 ** (tries - 1));
  return Math.max(1, Math.round(seconds * (1 - random / 4)));
}
