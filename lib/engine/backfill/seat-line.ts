import { firstPlace } from '../collections/first-place.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Constraints } from '../types.ts';

/** The waiting tickets of one size, ascending by mean skill. Parties that may be split stand in lines of their own. */
export interface SeatLine {
  readonly size: number;
  readonly isSplit: boolean;
  readonly tickets: readonly ShapeTicket[];
  readonly means: Float64Array;
  /** The numbers of the tickets in the constraints; empty without constraints. */
  readonly numbers: Int32Array;
  readonly isAlive: Uint8Array;
  /** Whether a ticket may come to the running game that is searched for: 2 · search + 1 if it may, 2 · search if not. */
  readonly asked: Int32Array;
}

/**
 * The tickets of a line that are waiting and that the constraints admit beside the joined ones: mostly so few that searches
 * in them take a fraction of the time. Cost: linear.
 */
export function admittedLine(line: SeatLine, constraints: Constraints): SeatLine {
  const { tickets, means, numbers, isAlive } = line;
  const kept = new Int32Array(tickets.length);
  const admitted = constraints.keep(numbers, 0, tickets.length, kept);
  const places = kept.subarray(0, admitted).filter((place) => isAlive[place] === 1);
  return {
    size: line.size,
    isSplit: line.isSplit,
    tickets: Array.from(places, (place) => tickets[place]),
    means: Float64Array.from(places, (place) => means[place]),
    numbers: Int32Array.from(places, (place) => numbers[place]),
    isAlive: new Uint8Array(places.length).fill(1),
    asked: new Int32Array(places.length),
  };
}

/**
 * A place around which a convex function of the mean is least: no place further away on either side has a lower value than
 * those between. Neighbours with one value, of equal means or means that differ by less than rounding, say nothing about the
 * slope; then it is found from the function itself.
 */
export function leastPlace(
  means: Float64Array,
  valueAt: (place: number) => number,
  valueFor: (mean: number) => number,
): number {
  let from = 0;
  let to = means.length - 1;
  while (from < to) {
    const middle = (from + to) >> 1;
    const slope = valueAt(middle + 1) - valueAt(middle);
    if (slope === 0) return leastByThirds(means, from, to, valueFor);
    if (slope < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

function leastByThirds(
  means: Float64Array,
  from: number,
  to: number,
  valueFor: (mean: number) => number,
): number {
  let low = means[from];
  let high = means[to];
  for (let step = 0; step < 60 && low < high; step++) {
    const third = (high - low) / 3;
    if (valueFor(low + third) <= valueFor(high - third)) high -= third;
    else low += third;
  }
  return Math.min(
    means.length - 1,
    firstPlace(means, (mean) => mean >= (low + high) / 2),
  );
}
