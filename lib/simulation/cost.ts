import type { EventType } from '../contract/event-type.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { Measures } from './measures.ts';

/**
 * Public on-demand prices of us-east-1 in US dollars, as of 2025, without the free tier. Other regions differ by
 * some 10 to 30 %. Unless noted otherwise, they are per million.
 */
export const PRICES = {
  /** Requests to an HTTP API. */
  apiRequests: 1.0,
  lambdaRequests: 0.2,
  /** A GB-second on arm64. */
  lambdaGbSecond: 0.0000133334,
  dynamoWriteUnits: 0.625,
  dynamoReadUnits: 0.125,
  sqsRequests: 0.4,
  eventBridgeEvents: 1.0,
  /** A GB taken in by CloudWatch Logs. */
  logsGb: 0.5,
  /** A metric that an alarm watches, a month. */
  alarmMetric: 0.1,
  /** A custom metric, a month. */
  customMetric: 0.3,
  /** A dashboard, a month. */
  dashboard: 3,
} as const;

/** What a deployment has whether it is used or not. */
export const DEPLOYED = {
  /** Metrics that its alarms watch. */
  alarmMetrics: 46,
  dashboards: 1,
  /** SQS queues that invoke functions. */
  polledQueues: 7,
  /** Custom metrics of a queue definition that is used. */
  metricsPerQueue: 8,
} as const;

/** Pollers that Lambda starts for an SQS queue, and the length of their long polls in seconds. */
const POLLERS = { perQueue: 5, seconds: 20 };

/** US dollars a month that do not depend on the number of players. @param queues the queue definitions that are used */
export function standingDollars(queues: number, seconds: number) {
  const receives = (DEPLOYED.polledQueues * POLLERS.perQueue * seconds) / POLLERS.seconds;
  return {
    alarms: DEPLOYED.alarmMetrics * PRICES.alarmMetric,
    dashboard: DEPLOYED.dashboards * PRICES.dashboard,
    metrics: queues * DEPLOYED.metricsPerQueue * PRICES.customMetric,
    emptyReceives: (receives / 1_000_000) * PRICES.sqsRequests,
  };
}

/**
 * Bytes that are logged: by API Gateway per request, and by `publish` per event of a match or a ticket, and for each ticket of a
 * match.
 */
export const LOG_BYTES = { request: 400, event: 330, eventTicket: 40 } as const;

/**
 * The resources that the service uses for a ticket, a match and a tick, as `npm run bench:service` counts them on the
 * local cloud. The counts are exact. Times depend on the machine, and the number of publish batches on the load: one
 * for each event at 20 players a second and fewer, some 0.7 at 100.
 */
export const MEASURED = {
  /** The item and its entry in the pool's index. */
  enqueue: { writeUnits: 2, readUnits: 0.08, gbSeconds: 0.007 },
  /** The item claimed for its match, and its entry in the index. */
  ticketMatched: { writeUnits: 2 },
  /** The item ended, and its entry in the index. */
  ticketGivenUp: { writeUnits: 2 },
  /** The match itself, and its part of a page of the journal. */
  match: { writeUnits: 1.4 },
  /**
   * A match of a queue with a ladder, beyond another one: its odds, its result, its rating and two events. Times are from a short run
   * on a busy machine.
   */
  ratedMatch: { writeUnits: 8, readUnits: 6, gbSeconds: 0.08, events: 2, queueRequests: 3 },
  /** Its rating, which is read with the ticket, the match and the result, and written in a transaction. */
  ratedPlayer: { writeUnits: 2, readUnits: 2 },
  /** A batch of a stream to the event bus. */
  publish: { readUnits: 0.5, gbSeconds: 0.009 },
  /** A webhook: sent to the queue, received and deleted there. */
  webhook: { readUnits: 1, gbSeconds: 0.038, queueRequests: 3 },
  /**
   * Lease, report and the queue's state, with the statistics of recent players; the definition is read, the state, and
   * the tickets that wait. Ten messages are sent at once; each is received and deleted.
   */
  tick: { writeUnits: 5, readUnits: 2, gbSeconds: 0.125, queueRequests: 2.1, logBytes: 650 },
  /** A waiting ticket in the index of the pool, by which a tick's Query is charged: 8 KB a read unit, half of one at least. */
  waitingTicketBytes: 150,
} as const;

/** What the service does for the tickets of some time, in counts. */
export interface Work {
  readonly tickets: number;
  /** How the tickets end; the others still wait. */
  readonly matched: number;
  readonly cancelled: number;
  readonly timedOut: number;
  readonly matches: number;
  /** Players of these matches, if each match is rated by its result. @default 0 */
  readonly playersRated?: number;
  /** The searches; each bucket's search counts. */
  readonly ticks: number;
  /** The mean number of waiting tickets at a tick. */
  readonly waiting: number;
}

/** The resources of AWS that some work uses. */
export interface Usage {
  readonly requests: number;
  readonly invocations: number;
  readonly gbSeconds: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly queueRequests: number;
  readonly busEvents: number;
  readonly logBytes: number;
}

/** US dollars, by the service of AWS. */
export interface Dollars {
  readonly api: number;
  readonly functions: number;
  readonly tables: number;
  readonly queues: number;
  readonly events: number;
  readonly logs: number;
}

const MILLION = 1_000_000;
const QUERY_UNIT_BYTES = 8192;

/**
 * The resources that the measured service uses for some work.
 *
 * A ticket is posted once, by a request of its own, and a webhook reports its match, one per match. Polls, backups, alarms and
 * data transfer are not counted. Tickets that end without a match are assumed to be as large as the others.
 */
export function usageOf(work: Work, { events }: Pick<QueueDefinition, 'events'>): Usage {
  const { tickets, matched, cancelled, timedOut, matches, playersRated = 0, ticks, waiting } = work;
  const { ratedMatch, ratedPlayer } = MEASURED;
  const rated = playersRated > 0 ? matches : 0;
  const onBus = (type: EventType, count: number) =>
    (events?.includes(type) ?? type !== 'TicketQueued') ? count : 0;
  const requests = tickets + cancelled + rated;
  const published =
    onBus('TicketQueued', tickets) + matches + cancelled + timedOut + rated * ratedMatch.events;
  const queryUnits = Math.max(0.5, (waiting * MEASURED.waitingTicketBytes) / QUERY_UNIT_BYTES);
  return {
    requests,
    invocations: requests + published + matches + rated + ticks,
    gbSeconds:
      (tickets + cancelled) * MEASURED.enqueue.gbSeconds +
      rated * ratedMatch.gbSeconds +
      published * MEASURED.publish.gbSeconds +
      matches * MEASURED.webhook.gbSeconds +
      ticks * MEASURED.tick.gbSeconds,
    writeUnits:
      tickets * MEASURED.enqueue.writeUnits +
      matched * MEASURED.ticketMatched.writeUnits +
      (cancelled + timedOut) * MEASURED.ticketGivenUp.writeUnits +
      matches * MEASURED.match.writeUnits +
      rated * ratedMatch.writeUnits +
      playersRated * ratedPlayer.writeUnits +
      ticks * MEASURED.tick.writeUnits,
    readUnits:
      (tickets + cancelled) * MEASURED.enqueue.readUnits +
      rated * ratedMatch.readUnits +
      playersRated * ratedPlayer.readUnits +
      published * MEASURED.publish.readUnits +
      matches * MEASURED.webhook.readUnits +
      ticks * (MEASURED.tick.readUnits + queryUnits),
    queueRequests:
      matches * MEASURED.webhook.queueRequests +
      rated * ratedMatch.queueRequests +
      ticks * MEASURED.tick.queueRequests,
    // Every match is published on the bus, where the webhook subscribes.
    busEvents:
      onBus('TicketQueued', tickets) +
      onBus('TicketCancelled', cancelled) +
      onBus('TicketTimedOut', timedOut) +
      onBus('MatchEnded', rated) +
      onBus('MatchRated', rated) +
      matches,
    logBytes:
      requests * LOG_BYTES.request +
      ticks * MEASURED.tick.logBytes +
      published * LOG_BYTES.event +
      matched * LOG_BYTES.eventTicket,
  };
}

/** What resources cost at the list prices. */
export function dollarsOf(usage: Usage): Dollars {
  return {
    api: (usage.requests / MILLION) * PRICES.apiRequests,
    functions:
      (usage.invocations / MILLION) * PRICES.lambdaRequests + usage.gbSeconds * PRICES.lambdaGbSecond,
    tables:
      (usage.writeUnits / MILLION) * PRICES.dynamoWriteUnits +
      (usage.readUnits / MILLION) * PRICES.dynamoReadUnits,
    queues: (usage.queueRequests / MILLION) * PRICES.sqsRequests,
    events: (usage.busEvents / MILLION) * PRICES.eventBridgeEvents,
    logs: (usage.logBytes / 1e9) * PRICES.logsGb,
  };
}

export function sumOf(dollars: Dollars): number {
  return Object.values(dollars).reduce((sum, part) => sum + part, 0);
}

/** US dollars per million players who arrive. */
export interface CostEstimate {
  readonly perMillionPlayers: number;
  readonly parts: Dollars;
}

/**
 * Estimates the cost of the simulated queue on AWS from the measured resources of the service; see {@link usageOf}.
 *
 * @param ticks the searches; each bucket's search counts
 */
export function estimateCost(
  measures: Measures,
  ticks: number,
  definition: Pick<QueueDefinition, 'events' | 'ladder'>,
): CostEstimate {
  const { tickets, matches, players, outcome, waitingPlayers } = measures;
  const perPlayer = players === 0 ? 0 : tickets / players;
  const work: Work = {
    tickets,
    matched: outcome.matched * perPlayer,
    cancelled: outcome.cancelled * perPlayer,
    timedOut: outcome.timedOut * perPlayer,
    matches,
    playersRated: definition.ladder === undefined ? 0 : outcome.matched,
    ticks,
    waiting: waitingPlayers.mean * perPlayer,
  };
  const dollars = dollarsOf(usageOf(work, definition));
  const perMillion = (part: number) =>
    players === 0 ? 0 : Number(((part / players) * MILLION).toPrecision(4));
  const parts = Object.fromEntries(
    Object.entries(dollars).map(([name, part]) => [name, perMillion(part)]),
  ) as unknown as Dollars;
  return { perMillionPlayers: perMillion(sumOf(dollars)), parts };
}
