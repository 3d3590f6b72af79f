import { randomBytes } from 'node:crypto';
import type { Unmet } from './dynamo.ts';

/**
 * A mark that a conditional write leaves on its item, as its attribute `writeId`.
 *
 * When a write is applied and its answer is lost, the SDK sends it again. Its condition then meets what the write
 * itself has done, and the mark shows that. What does not need a mark:
 *
 *     write                        the same request again
 *     commit, dissolve, lease of   is the same transaction to DynamoDB: the SDK sends the same client token
 *       several cells
 *     accept, dropLayouts, endLease,  changes nothing more
 *       lease of one cell
 *     assign                       finds the same assignment there
 *     create                       finds its own ticket: the answer is 200 in place of 201, and the queue is
 *                                  woken as for a new one
 *     advance, confirmSent,        loses to itself; no caller does anything else then
 *       putReport
 *     remove                       finds nothing there: it is removed
 *     end, put, extendAwake        finds its mark
 *
 * A write whose answers are all lost ends in an error: it may have been applied or not, as after a crash.
 */
export function newWriteMark(): string {
  return randomBytes(9).toString('base64url');
}

/** Whether a write was applied, including by an earlier request whose response was lost. */
export function wasApplied(write: { met: true } | Unmet, mark: string): boolean {
  return write.met || write.item?.writeId === mark;
}
