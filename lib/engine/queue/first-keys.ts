import type { Line } from './line.ts';

/**
 * The narrowest range of skills of consecutive tickets of a line that have enough players for a game with each ticket, by
 * id; ∞ where there are too few. No game of the ticket has a smaller range.
 *
 * @param isFirst whether a game is filed under its first ticket, so that the others are not below it
 */
export function narrowestRanges({ tickets, means }: Line, players: number, isFirst: boolean): Float64Array {
  const count = tickets.length;
  // By ticket: the last one of the narrowest window that starts with it.
  const lastOf = new Int32Array(count);
  for (let start = 0, end = 0, inside = 0; start < count; start++) {
    while (inside < players && end < count) inside += tickets[end++].ticket.size;
    lastOf[start] = inside >= players ? end - 1 : count;
    inside -= tickets[start].ticket.size;
  }
  return Float64Array.from(tickets, ({ ticket: { low, high } }, id) => {
    let range = Number.POSITIVE_INFINITY;
    const from = isFirst ? id : Math.max(0, id - players + 1);
    for (let start = from; start <= id; start++) {
      if (lastOf[start] < count)
        range = Math.min(range, Math.max(means[lastOf[start]], means[id]) - means[start]);
    }
    if (!isFirst && id >= players) range = Math.min(range, means[id] - means[id - players + 1]);
    return Math.max(range, high - low);
  });
}

/** The same range for one ticket, among those that wait now. */
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
