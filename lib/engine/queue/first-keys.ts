import type { Line } from './line.ts';

/**
 * The narrowest range of skills of consecutive waiting tickets of a line that have enough players for a game with this one; ∞
 * where there are too few. No game of the ticket has a smaller range.
 *
 * @param isFirst whether a game is filed under its first ticket, so that the others are not below it
 */
export function narrowestRange(line: Line, id: number, players: number, isFirst: boolean): number {
  const { tickets, means, after, before } = line;
  let from = id;
  let inside = tickets[id].ticket.size;
  if (!isFirst)
    for (let at = before[id]; at !== -1 && inside < players; at = before[at]) {
      from = at;
      inside += tickets[at].ticket.size;
    }
  let range = Number.POSITIVE_INFINITY;
  inside = 0;
  let last = -1;
  let next = from;
  for (let start = from; ; start = after[start]) {
    while (inside < players && next !== -1) {
      inside += tickets[next].ticket.size;
      last = next;
      next = after[next];
    }
    if (inside < players) break;
    range = Math.min(range, Math.max(means[last], means[id]) - means[start]);
    if (start === id) break;
    inside -= tickets[start].ticket.size;
  }
  const { low, high } = tickets[id].ticket;
  return Math.max(range, high - low);
}
