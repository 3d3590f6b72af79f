/**
 * The capacity of one bucket and the limits of one tick. Everything that depends on AWS quotas is computed here.
 *
 * **Units of a key.** All waiting tickets of a bucket have one partition key in the index `pool`. DynamoDB
 * allows 1,000 writes and 3,000 read units a second per key. A ticket writes to it once when it arrives and once when
 * it leaves.
 *
 * | share of the 1,000 writes | for |
 * |---|---|
 * | 250 | tickets that arrive |
 * | 600 | tickets that commits remove |
 * | 150 | tickets that time out or no longer fit |
 *
 * **Reads.** A waiting ticket has some 150 bytes in the index, and a read unit is 8 KB, so 20,000 tickets are
 * 3 MB and 370 units. At a tick a second that is an eighth of a key's capacity. Reading them takes three round trips
 * and 0.2 s of CPU time.
 *
 * **Memory.** A ticket takes about 1 KB while it is searched: 20 MB of the function's 1,769.
 */
export interface BucketLimits {
  /** The maximum of tickets that one tick reads. Later ticks read the others in turn. */
  readonly readTickets: number;
  /** Tickets a second that commits remove from a range. The burst is half of it. */
  readonly commitsPerSecond: number;
  /** Tickets a second that a tick ends. The burst is half of it. */
  readonly endsPerSecond: number;
}

export const BUCKET_LIMITS: BucketLimits = {
  readTickets: 20_000,
  commitsPerSecond: 600,
  endsPerSecond: 150,
};
