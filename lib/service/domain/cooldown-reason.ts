import type { Cooldown } from './cooldowns.ts';

/** Why a player gets no ticket, and for how long, as the rest of a sentence that begins with the player. */
export function cooldownReason({ kind, times, untilMs }: Cooldown, nowMs: number): string {
  const what = kind === 'decline' ? 'declined, or did not answer,' : 'left';
  const matches = times === 1 ? 'a match' : `${times} matches`;
  return `${what} ${matches} and gets no ticket for ${durationText(untilMs - nowMs)}`;
}

/** A duration in words, with its two largest units: `1 hour 5 minutes`. Rounded up to seconds. */
function durationText(ms: number): string {
  let left = Math.ceil(ms / 1_000);
  const parts = UNITS.flatMap(([name, seconds]) => {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`];
  });
  return parts.slice(0, 2).join(' ');
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
