/**
 * The capacity of one bucket and the limits of one tick. Everything that depends on AWS quotas is computed here.
 *
 * **Units of a key.** All waiting tickets of a bucket have one partition key in the index `pool`. DynamoDB
 * allows 1,000 writes and 3,000 read units a second per key. A ticket writes to it once when it arrives and once when
 * it leaves. With 200 tickets a second a key gets 400 writes, so half of its limit remains for uneven load. A tick that
 * catches up removes tickets faster than they arrive:
 *
 * | share of the 1,000 writes | for |
 * |---|---|
 * | 250 | tickets that arrive |
 * | 600 | tickets that commits remove |
 * | 150 | tickets that time out or no longer fit |
 *
 * No tickets arrive under the keys of an earlier layout, so commits may use their share too: 850. All ranges that read a
 * key divide this among themselves: see `pace.ts`.
 *
 * **Reads.** A waiting ticket has some 150 bytes in the index, and a read unit is 8 KB, so 20,000 tickets are
 * 3 MB and 370 units. At a tick a second that is an eighth of a key's capacity. Reading them takes three round trips
 * and 0.2 s of CPU time. A bucket of 8,000 is read whole with room to spare.
 *
 * **Time.** A tick of 8,000 tickets takes 0.1 to 0.5 s of CPU time. With a tick a second it should take half a second at
 * most, so that it ends before the next one starts.
 *
 * A tick prepares all tickets before its search, which cannot be cut short there. So it takes a part of them when their work
 * is above 0.3 s: 20,000 parties of five without rules, 8,000 players under ten rules with lists of ten values.
 *
 * **Memory.** A ticket takes about 1 KB while it is searched: 20 MB of the function's 1,769.
 *
 * **Buckets.** A split leaves parts with 0.4 of the capacity. 10,000 tickets a second then need 10,000 / (0.4 · 200) =
 * 125 buckets, and twice as many allow for an uneven distribution. 256 buckets at a tick a second are at most 256
 * concurrent functions, of the 1,000 that an account has.
 *
 * **Launches.** 500 tickets a second that arrive and leave use the 1,000 writes of a key, 2.5 times the capacity of a
 * bucket. A bucket with this load may have rejected any number of tickets, so it is split into three times as many parts.
 * Superfluous parts are merged ten minutes later. A bucket whose key is throttled gets further keys immediately: see
 * `waking/shards.ts`. Then the load of each key counts.
 *
 * **Hysteresis.** The parts of a split have a load of 0.4 each, 0.8 for two neighbours; neighbours merge when their total
 * load is below 0.25. So a load that has split a bucket never merges it, and one that has merged it never splits it.
 *
 * **Starvation.** When a load ends, each of many buckets keeps up to nine players who are too few for a game. Buckets that
 * together bear less than 0.05, ten tickets a second, are merged a minute after the last change. A load must rise twenty
 * times to split them again.
 */
export interface BucketLimits {
  /** The maximum of tickets that one tick reads. Later ticks read the others in turn. */
  readonly readTickets: number;
  /** The maximum of work that preparing them for the search takes, in units of about 0.1 µs: see `rules/preparation.ts`. */
  readonly prepareWork: number;
  /** Tickets a second that commits remove from a partition key. The burst is half of it. */
  readonly commitsPerSecond: number;
  /** The same for the keys of earlier layouts, where no tickets arrive. */
  readonly drainsPerSecond: number;
  /** Tickets a second that a tick ends. The burst is half of it. */
  readonly endsPerSecond: number;

  /** The capacity of a bucket: arriving tickets per second. */
  readonly arrivalsPerSecond: number;
  /** The capacity of a bucket: waiting tickets. */
  readonly waitingTickets: number;
  /** The capacity of a bucket: the share of `tickSeconds` that a tick may take. */
  readonly busyShare: number;
  /** With fewer tickets than this, the time of a slow tick does not count: the tickets are not its cause. */
  readonly busyTickets: number;

  /** The load of each part after a split, as a share of the capacity. */
  readonly splitTo: number;
  /** The load at which the key of a bucket is at its limit. */
  readonly saturatedShare: number;
  /** At that load the number of parts is multiplied by this. */
  readonly saturatedFactor: number;
  /** Neighbours whose total load is below this are merged. */
  readonly mergeBelow: number;
  /** Neighbours whose total load is below this are merged soon, because they have too few players for matches. */
  readonly starvedBelow: number;
  readonly bucketsMax: number;
}

/** The default limits. */
export const BUCKET_LIMITS: BucketLimits = {
  readTickets: 20_000,
  prepareWork: 3_000_000,
  commitsPerSecond: 600,
  drainsPerSecond: 850,
  endsPerSecond: 150,
  arrivalsPerSecond: 200,
  waitingTickets: 8_000,
  busyShare: 0.5,
  busyTickets: 500,
  splitTo: 0.4,
  saturatedShare: 2.5,
  saturatedFactor: 3,
  mergeBelow: 0.25,
  starvedBelow: 0.05,
  bucketsMax: 256,
};

/**
 * The limits of buckets with a smaller capacity than the default.
 * @param capacity the share of the default number of tickets, above 0 to 1
 */
export function bucketLimits(capacity: number): BucketLimits {
  const { arrivalsPerSecond, waitingTickets } = BUCKET_LIMITS;
  return {
    ...BUCKET_LIMITS,
    arrivalsPerSecond: capacity * arrivalsPerSecond,
    waitingTickets: capacity * waitingTickets,
  };
}
