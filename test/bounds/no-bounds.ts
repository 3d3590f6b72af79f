/** Constants whose names look like bounds but that bound nothing of others, by the reason. */
export const NO_BOUNDS: Readonly<Record<string, readonly string[]>> = {
  'the pace of reading again, which ends with a bound that is listed': [
    'lib/service/tickets/tickets.ts#POLL_MS',
    'lib/service/tickets/tickets.ts#FORMING_MS',
    'lib/service/ticks/measure-load.ts#SURVEY_EVERY_MS',
    'lib/service/ticks/tick.ts#ARRIVALS_EVERY_MS',
    'lib/service/placement/provision.ts#ENDED_MS',
    'lib/provisioners/gamelift.ts#LOOK_MS_MIN',
    'lib/service/waking/schedule.ts#DISPATCH_MS',
    'lib/service/waking/schedule.ts#DISPATCH_LATE_MS',
    'lib/service/waking/schedule.ts#NEEDED_MS',
    'lib/local/schedules.ts#UNIT_MS',
    'lib/local/expiry.ts#EVERY_MS',
    'lib/local/stream-positions.ts#WRITE_EVERY_MS',
    'lib/local/stream-source.ts#LOOK_MIN_MS',
    'lib/local/stream-source.ts#LOOK_MAX_MS',
    'lib/local/stream-source.ts#RETRY_MIN_MS',
    'lib/local/queue-source.ts#WAIT_SECONDS',
    'lib/local/queue-source.ts#AFTER_FAULT_MS',
    'lib/service/ticks/commit-games.ts#TURN_MS',
    'lib/service/ticks/commit-games.ts#SLOW_MS',
  ],
  'the age at which something small is read again or forgotten': [
    'lib/service/events/recent-receivers.ts#RECENT_MS',
    'lib/service/tickets/wait-estimates.ts#REPORT_AGE_MS',
    'lib/service/ticks/rebalance.ts#REPORT_AGE_MS',
    'lib/service/tickets/one-place.ts#RUNNING_MS',
    'lib/aws/match-store.ts#LOOK_AGAIN_MS',
    'lib/aws/range-store.ts#ENDED_MS',
  ],
  'how long a load must last before the buckets change, and how it is averaged': [
    'lib/service/domain/bucket-load.ts#SUSTAINED_MS',
    'lib/service/domain/bucket-load.ts#LULL_MS',
    'lib/service/domain/bucket-load.ts#PEAK_HALF_MS',
    'lib/service/domain/bucket-load.ts#LATELY_HALF_MS',
    'lib/service/ticks/rebalance.ts#SETTLE_MS',
    'lib/service/ticks/rebalance.ts#SETTLED_MS',
    'lib/service/ticks/rebalance.ts#CALM_MS',
    'lib/service/waking/shards.ts#SHARDED_MS',
    'lib/service/domain/buckets.ts#LAYOUT_NOTICE_MS',
    'lib/service/ticks/tick-lease.ts#CLOSING_MS',
    'lib/service/ticks/dispatch.ts#TICK_GRACE_MS',
    'lib/service/domain/bucket-limits.ts#BUCKET_LIMITS.busyShare',
    'lib/service/domain/bucket-limits.ts#BUCKET_LIMITS.busyTickets',
    'lib/service/domain/bucket-limits.ts#BUCKET_LIMITS.splitTo',
    'lib/service/domain/bucket-limits.ts#BUCKET_LIMITS.saturatedShare',
    'lib/service/domain/bucket-limits.ts#BUCKET_LIMITS.saturatedFactor',
    'lib/service/domain/bucket-limits.ts#BUCKET_LIMITS.mergeBelow',
    'lib/service/domain/bucket-limits.ts#BUCKET_LIMITS.starvedBelow',
  ],
  'the window of a statistic': [
    'lib/service/domain/ended-tickets.ts#HORIZON_MS',
    'lib/service/domain/match-tally.ts#HORIZON_MS',
  ],
  'what counts as slow or fast: the bound that follows from it is listed': [
    'lib/service/events/receivers.ts#SLOW_MS',
    'lib/service/events/receivers.ts#FAST_FOR_MS',
  ],
  'a margin within a bound that is listed': [
    'lib/service/players/one-of-few.ts#MARGIN_MS',
    'lib/service/queues/until-in-force.ts#MARGIN_MS',
    'lib/aws/pool-sample.ts#SHARE_MIN',
    'lib/aws/read-pool.ts#LIMIT_MAX',
    'lib/contract/match-size.ts#MATCH_BYTES',
    'lib/contract/match-size.ts#TEAM_BYTES',
    'lib/contract/match-size.ts#RULE_BYTES',
    'lib/contract/match-size.ts#SEAT_BYTES',
  ],
  'how soon a worker of the local cloud starts or ends': [
    'lib/local/worker-pool.ts#PATIENCE_MIN_MS',
    'lib/local/worker-pool.ts#PATIENCE_MAX_MS',
    'lib/local/worker-pool.ts#IDLE_MS',
    'lib/local/worker-pool.ts#LAST_IDLE_MS',
    'lib/local/dynamodb-emulator.ts#SCRATCH_ROOM_BYTES',
  ],
  'what a rule prepares, once for a tick': ['lib/rules/facets.ts#membershipsMax'],
};

const places = new Set(Object.values(NO_BOUNDS).flat());

export function isNoBound(file: string, path: readonly string[]): boolean {
  return path.some((_, n) => places.has(`${file}#${path.slice(0, n + 1).join('.')}`));
}
