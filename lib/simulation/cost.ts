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
} as const;

/** Bytes that API Gateway logs per request, in addition to the functions' own lines. */
export const LOG_BYTES = { request: 400 } as const;

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

/** US dollars per million players who arrive. */
export interface CostEstimate {
  readonly perMillionPlayers: number;
  readonly parts: {
    readonly api: number;
    readonly functions: number;
    readonly tables: number;
    readonly queues: number;
    readonly events: number;
    readonly logs: number;
  };
}

const MILLION = 1_000_000;
const QUERY_UNIT_BYTES = 8192;

/**
 * Estimates the cost of the simulated queue on AWS from the measured resources of the service.
 *
 * A ticket is posted once, and a webhook reports its match, one per match. Polls, backups, alarms and data transfer are
 * not counted. Tickets that end without a match are assumed to be as large as the others.
 *
 * @param ticks the searches; each bucket's search counts
 */
export function estimateCost(
  measures: Measures,
  ticks: number,
  { events }: Pick<QueueDefinition, 'events'>,
): CostEstimate {
  const { tickets, matches, players, outcome, waitingPlayers } = measures;
  const perPlayer = players === 0 ? 0 : tickets / players;
  const cancelled = outcome.cancelled * perPlayer;
  const timedOut = outcome.timedOut * perPlayer;
  const matched = outcome.matched * perPlayer;
  const onBus = (type: EventType, count: number) =>
    (events?.includes(type) ?? type !== 'TicketQueued') ? count : 0;

  const requests = tickets + cancelled;
  const published = onBus('TicketQueued', tickets) + matches + cancelled + timedOut;
  // Every match is published on the bus, where the webhook subscribes.
  const busEvents =
    onBus('TicketQueued', tickets) +
    onBus('TicketCancelled', cancelled) +
    onBus('TicketTimedOut', timedOut) +
    matches;
  const invocations = requests + published + matches + ticks;
  const gbSeconds =
    requests * MEASURED.enqueue.gbSeconds +
    published * MEASURED.publish.gbSeconds +
    matches * MEASURED.webhook.gbSeconds +
    ticks * MEASURED.tick.gbSeconds;
  const writeUnits =
    tickets * MEASURED.enqueue.writeUnits +
    matched * MEASURED.ticketMatched.writeUnits +
    (cancelled + timedOut) * MEASURED.ticketGivenUp.writeUnits +
    matches * MEASURED.match.writeUnits +
    ticks * MEASURED.tick.writeUnits;
  const queryUnits = Math.max(
    0.5,
    (waitingPlayers.mean * perPlayer * MEASURED.waitingTicketBytes) / QUERY_UNIT_BYTES,
  );
  const readUnits =
    requests * MEASURED.enqueue.readUnits +
    published * MEASURED.publish.readUnits +
    matches * MEASURED.webhook.readUnits +
    ticks * (MEASURED.tick.readUnits + queryUnits);
  const queueRequests = matches * MEASURED.webhook.queueRequests + ticks * MEASURED.tick.queueRequests;
  const logBytes = requests * LOG_BYTES.request + ticks * MEASURED.tick.logBytes;

  const perMillionPlayers = (dollars: number) =>
    players === 0 ? 0 : Number(((dollars / players) * MILLION).toPrecision(4));
  const dollars = {
    api: (requests / MILLION) * PRICES.apiRequests,
    functions: (invocations / MILLION) * PRICES.lambdaRequests + gbSeconds * PRICES.lambdaGbSecond,
    tables: (writeUnits / MILLION) * PRICES.dynamoWriteUnits + (readUnits / MILLION) * PRICES.dynamoReadUnits,
    queues: (queueRequests / MILLION) * PRICES.sqsRequests,
    events: (busEvents / MILLION) * PRICES.eventBridgeEvents,
    logs: (logBytes / 1e9) * PRICES.logsGb,
  };
  return {
    perMillionPlayers: perMillionPlayers(Object.values(dollars).reduce((sum, part) => sum + part, 0)),
    parts: {
      api: perMillionPlayers(dollars.api),
      functions: perMillionPlayers(dollars.functions),
      tables: perMillionPlayers(dollars.tables),
      queues: perMillionPlayers(dollars.queues),
      events: perMillionPlayers(dollars.events),
      logs: perMillionPlayers(dollars.logs),
    },
  };
}
