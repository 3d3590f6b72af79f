import type { Measures } from './measures.ts';

/**
 * Public on-demand prices of us-east-1 in US dollars, as of 2025, free tier left aside. Other regions differ by
 * some 10 to 30 %.
 */
export const PRICES = {
  /** A million requests to an HTTP API. */
  apiRequests: 1.0,
  lambdaRequests: 0.2,
  /** A GB-second on arm64. */
  lambdaGbSecond: 0.0000133334,
  dynamoWriteUnits: 0.625,
  dynamoReadUnits: 0.125,
  sqsRequests: 0.4,
  eventBridgeEvents: 1.0,
} as const;

/** What a request or a tick is taken to need. Assumptions, not measurements: compare with your own bill. */
export const ASSUMPTIONS = {
  /** Status requests per ticket: long polling asks every 20 s. */
  pollSeconds: 20,
  handlerMs: 15,
  handlerGb: 0.25,
  tickMs: 60,
  tickGb: 1.769,
  /** A waiting ticket in the index of the pool, by which a tick's Query is charged. */
  ticketBytes: 300,
} as const;

/** US dollars per million players who come. */
export interface CostEstimate {
  readonly perMillionPlayers: number;
  readonly parts: {
    readonly api: number;
    readonly functions: number;
    readonly tables: number;
    readonly queues: number;
    readonly events: number;
  };
}

const MILLION = 1_000_000;

/**
 * What the simulated queue would cost on AWS, by the requests the service makes for it.
 *
 * Per ticket: one POST, a poll every 20 s of its wait, its writes (table and pool index, in and out, the one out in
 * a transaction) and two events. Per match: its write and its event. Per tick: a message (three requests), a
 * lease and a report, and a Query of the tickets that wait. Webhooks, logs and data transfer are not counted.
 *
 * @param ticks searches, each bucket's its own
 */
export function estimateCost(measures: Measures, ticks: number): CostEstimate {
  const { tickets, matches, players, waitSeconds, waitingPlayers } = measures;
  if (players === 0) {
    return { perMillionPlayers: 0, parts: { api: 0, functions: 0, tables: 0, queues: 0, events: 0 } };
  }
  const { pollSeconds, handlerMs, handlerGb, tickMs, tickGb, ticketBytes } = ASSUMPTIONS;
  const requests = tickets * (1 + Math.ceil((waitSeconds.mean + 0.001) / pollSeconds));
  const events = 2 * tickets + matches;
  const ticketsWaiting = waitingPlayers.mean * (tickets / players);
  const queryUnits = Math.max(0.5, (ticketsWaiting * ticketBytes) / 8192);
  // In: item and index. Out: the item at twice the price, being in a transaction, and the index.
  const writes = tickets * (2 + 3) + matches * 2 + ticks * 3;
  const reads = requests + ticks * (2 + queryUnits);
  const streamBatches = events / 10;
  const dollars = {
    api: (requests / MILLION) * PRICES.apiRequests,
    functions:
      ((requests + ticks + streamBatches) / MILLION) * PRICES.lambdaRequests +
      (((requests + streamBatches) * handlerMs * handlerGb + ticks * tickMs * tickGb) / 1000) *
        PRICES.lambdaGbSecond,
    tables: (writes / MILLION) * PRICES.dynamoWriteUnits + (reads / MILLION) * PRICES.dynamoReadUnits,
    queues: ((3 * ticks) / MILLION) * PRICES.sqsRequests,
    events: (events / MILLION) * PRICES.eventBridgeEvents,
  };
  const perMillion = (value: number) => Number(((value / players) * MILLION).toPrecision(4));
  const total = dollars.api + dollars.functions + dollars.tables + dollars.queues + dollars.events;
  return {
    perMillionPlayers: perMillion(total),
    parts: {
      api: perMillion(dollars.api),
      functions: perMillion(dollars.functions),
      tables: perMillion(dollars.tables),
      queues: perMillion(dollars.queues),
      events: perMillion(dollars.events),
    },
  };
}
