import { narrowestWindows, type WindowCounter } from '../bounds/windows.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Entry } from './entry.ts';

/**
 * The range of mean skills of the narrowest full window of accepted tickets with this one, ∞ if there is none, and the
 * number of tickets examined above it.
 */
export function windowAround(
  entry: Entry,
  accepts: (other: Entry) => boolean,
  counter: WindowCounter,
): { range: number; looked: number } {
  const { mean } = entry.pooled;
  counter.clear();
  counter.add(entry.pooled);
  const above: PooledTicket[] = [];
  for (let other = entry.after; other && !counter.isFull; other = other.after) {
    if (!accepts(other)) continue;
    above.push(other.pooled);
    counter.add(other.pooled);
  }
  const looked = above.length;
  let range = Number.POSITIVE_INFINITY;
  let below = mean;
  for (let other = entry.before; ; other = other.before) {
    if (counter.isFull) {
      // Narrow the window as far as possible for this lowest ticket.
      while (above.length > 0) {
        counter.remove(above[above.length - 1]);
        if (!counter.isFull) {
          counter.add(above[above.length - 1]);
          break;
        }
        above.pop();
      }
      const top = above.length > 0 ? above[above.length - 1].mean : mean;
      range = Math.min(range, top - below);
    }
    while (other && !accepts(other) && mean - other.pooled.mean < range) other = other.before;
    if (!other || mean - other.pooled.mean >= range) return { range, looked };
    below = other.pooled.mean;
    counter.add(other.pooled);
  }
}

/**
 * The least R such that the accepted tickets at most R away, whose own range is at most R, form a full window with
 * this ticket: all tickets of a game of range R are of this kind. ∞ if there is none.
 *
 * When the time is over it returns a value below it, from which on it has not looked.
 *
 * @param least the value to start from, finite
 * @param unit the next value to try after zero, > 0
 */
export function reachNeeded(
  entry: Entry,
  accepts: (other: Entry) => boolean,
  counter: WindowCounter,
  least: number,
  unit: number,
  clock: SearchClock,
): number {
  const { mean } = entry.pooled;
  const near: { needs: number; pooled: PooledTicket }[] = [];
  let below = entry.before;
  let above = entry.after;
  for (let radius = least, known = least; ; radius = 2 * Math.max(radius, unit)) {
    const take = ({ pooled }: Entry) => {
      near.push({ needs: Math.max(Math.abs(pooled.mean - mean), pooled.high - pooled.low), pooled });
    };
    for (; below && mean - below.pooled.mean <= radius; below = below.before) {
      if (accepts(below)) take(below);
    }
    for (; above && above.pooled.mean - mean <= radius; above = above.after) {
      if (accepts(above)) take(above);
    }
    if (clock.isOver(1 + (near.length >> 2))) return known;
    near.sort((a, b) => a.needs - b.needs);
    counter.clear();
    counter.add(entry.pooled);
    for (const { needs, pooled } of near) {
      if (needs > radius) break;
      counter.add(pooled);
      if (counter.isFull) return needs;
    }
    known = radius;
    if (!below && !above && near.every(({ needs }) => needs <= radius)) return Number.POSITIVE_INFINITY;
  }
}

/**
 * For each entry of a sorted list, the range of the narrowest full window that starts with it, ends with it, or contains
 * it anywhere; ∞ if there is none. Cost: linear; for `anywhere` multiplied by the tickets of a window. When the time is over,
 * the ranges that are not known are 0.
 */
export function rangesOfAll(
  sorted: readonly Entry[],
  place: 'starts' | 'ends' | 'anywhere',
  counter: WindowCounter,
  clock: SearchClock,
): Float64Array {
  const count = sorted.length;
  const lastFrom = narrowestWindows(sorted, counter);
  const ranges = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const rangeOf = (from: number, to: number) => sorted[to].pooled.mean - sorted[from].pooled.mean;
  let start = -1;
  for (let i = 0; i < count; i++) {
    if (place === 'starts') {
      if (lastFrom[i] < count) ranges[i] = rangeOf(i, lastFrom[i]);
    } else if (place === 'ends') {
      while (start + 1 < count && lastFrom[start + 1] <= i) start++;
      if (start >= 0) ranges[i] = rangeOf(start, i);
    } else {
      for (let from = i; from >= 0 && rangeOf(from, i) < ranges[i]; from--) {
        if ((from & 63) === 0 && clock.isOver()) return ranges.fill(0, i);
        const to = Math.max(i, lastFrom[from]);
        if (to < count) ranges[i] = Math.min(ranges[i], rangeOf(from, to));
      }
    }
  }
  return ranges;
}
