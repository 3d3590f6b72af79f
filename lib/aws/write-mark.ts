import { randomBytes } from 'node:crypto';

/**
 * A mark that a conditional write leaves on its item, as its attribute `writeId`.
 *
 * When a write is applied and its response is lost, the SDK repeats it. The condition of the repeated write fails because
 * of the write itself, and the mark shows this. Not every write needs a mark:
 *
 *     write                        its repetition
 *     lease of several cells,      has the same client token, so DynamoDB applies the transaction once
 *       create of a match with meetings,
 *       rate, create of a ticket with places or
 *       a ticket that it replaces
 *     dropLayouts, endLease,       changes nothing more
 *       lease of one cell, abandon,
 *       putJournal, recordDeployed
 *     claim, close,                finds its own claim, closed lease or match
 *       create of a match
 *     release, cancelWithMatch,    fails its condition, and callers need no outcome
 *       requeue, failWithMatch,
 *       ticketsReturned
 *     assign                       finds the same assignment
 *     an answer to a match         finds its own seats, or its own outcome
 *     create of a ticket           finds its own ticket: the status is 200 instead of 201, and the queue is
 *                                  woken as for a new ticket
 *     advance, requeue of a match,  fails its condition, and callers ignore that outcome
 *       confirmSent, putReport
 *     remove                       finds no item, which counts as removed
 *     end, result, dissolve, put,  finds its mark (the end of a match its `endedAt`, its result that result)
 *       extendAwake, markDown, learn,
 *       an offence of a player
 *     addFailure                   counts twice: a receiver is marked as down one failure early
 *     countFrame                   counts twice: a flood is ended one frame early
 *     failed and the waits of      count twice: they are statistics only
 *       a delivery, outcomes
 *     markUp, forgive, the         changes nothing more
 *       presence of a player
 *     take of a poll slot          finds its own slot taken and takes another; the first is free at its time
 *
 * When all responses of a write are lost, the caller gets an error: the write may have been applied, as after a crash.
 */
export function newWriteMark(): string {
  return randomBytes(9).toString('base64url');
}
