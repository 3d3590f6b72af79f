import type { Layout } from '../shapes/layout.ts';
import { countedClassesMax } from '../shapes/seat-counts.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';

/** Classes of seats few enough that sets of them can be counted. */
export interface SeatClasses {
  /** The seats of each class in a game. */
  readonly seats: readonly number[];
  /** The classes, as a bit set, that each player of a ticket accepts. */
  masksOf(ticket: ShapeTicket): Int32Array;
}

/**
 * The classes of seats of a layout. Of more than eight, those of one kind of team are one class, so that more players than
 * can be seated may seem to have seats. Undefined where all players seem to accept all seats.
 */
export function seatClassesOf({ classes, kinds }: Layout): SeatClasses | undefined {
  if (classes === undefined) return undefined;
  if (classes.length <= countedClassesMax)
    return { seats: classes.map(({ seats }) => seats), masksOf: (ticket) => ticket.classes! };
  if (kinds.length === 1 || kinds.length > countedClassesMax) return undefined;
  return { seats: kinds.map(({ size, count }) => size * count), masksOf: (ticket) => ticket.kinds };
}
