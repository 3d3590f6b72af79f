/**
 * What one bucket bears, and what one tick may do to it. Everything that depends on the sizes of AWS is
 * computed here.
 *
 * **Units of a key.** All waiting tickets of a bucket have one partition key in the index `pool`. DynamoDB
 * takes 1,000 writes and 3,000 read units a second for a key. A ticket that comes writes it once, and once
 * when it leaves.
 *
 * | share of the 1,000 writes | for |
 * |---|---|
 * | 250 | tickets that come |
 * | 600 | tickets that commits take out |
 * | 150 | tickets that time out or no longer fit |
 *
 * **Reads.** A waiting ticket has some 150 bytes in the index, and a read unit is 8 KB, so 20,000 tickets are
 * 3 MB and 370 units: at a tick a second an eighth of what a key bears. Reading them takes three round
 * trips and 0.2 s of a processor.
 *
 * **Memory.** A ticket takes about 1 KB while it is searched: 20 MB of the function's 1,769.
 */
export interface BucketLimits {
  /** The most tickets that one tick reads. What is left is read by the ticks after it, in turn. */
  readonly readTickets: number;
  /** Tickets a second that commits take out of a range; half of it may go at once. */
  readonly commitsPerSecond: number;
  /** Tickets a second that a tick ends; half of it may go at once. */
  readonly endsPerSecond: number;
}

export const BUCKET_LIMITS: BucketLimits = {
  readTickets: 20_000,
  commitsPerSecond: 600,
  endsPerSecond: 150,
};
