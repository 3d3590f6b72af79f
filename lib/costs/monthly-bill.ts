import type { QueueDefinition } from '../contract/queue-definition.ts';
import { seatsOf } from '../contract/team-kinds.ts';
import {
  dollarsOf,
  NOT_COUNTED,
  standingDollars,
  sumOf,
  type Usage,
  type UsagePart,
  usageParts,
  usageSum,
} from './usage-costs.ts';

/** The players of a game. */
export interface Players {
  /** Players who play on a day. */
  readonly perDay: number;
  /** Matches that each of them plays on that day. */
  readonly matchesEach: number;
  /** The mean number of players of a ticket. */
  readonly partySize: number;
  /** Long polls of 20 s for each ticket; 0 when the backend uses webhooks. */
  readonly pollsPerTicket: number;
  /** The mean number of further queues in which a ticket waits at the same time, from 0 to 7. @default 0 */
  readonly furtherQueues?: number;
}

/** A line of the bill. */
export interface BillLine {
  /** The service of AWS. */
  readonly service: string;
  readonly what: string;
  /** US dollars a month, before any free tier. */
  readonly dollars: number;
}

export interface MonthlyBill {
  readonly players: number;
  readonly tickets: number;
  readonly matches: number;
  readonly lines: readonly BillLine[];
  readonly total: number;
  /** What of the total is for features of the definitions, for further queues, and for long polls. */
  readonly features: readonly { readonly feature: string; readonly dollars: number }[];
  /** What is not in it. */
  readonly notCounted: readonly string[];
}

const MONTH_SECONDS = 30 * 86_400;
/** Tickets a second at which a bucket is split, so that there is a tick more for each slot. */
const BUCKET_TICKETS_PER_SECOND = 200;
/** How long a ticket waits, which decides how much a tick reads, and how long presence lasts: an assumption. */
const WAIT_SECONDS = 20;
/**
 * The bill of a month of 30 days at list prices, from the resources that `npm run bench:service` has measured (see `usage-costs.ts`).
 * The players are spread evenly over the queues and the day; every ticket is matched, and each queue is searched at every slot.
 *
 * @param queues one or more
 */
export function monthlyBill(players: Players, queues: readonly QueueDefinition[]): MonthlyBill {
  const seats = (players.perDay * players.matchesEach * 30) / queues.length;
  const tickets = seats / players.partySize;
  const matches = queues.map((queue) => seats / seatsOf(queue));
  const parts = queues.flatMap((queue, at) => partsOfQueue(queue, seats, matches[at]!, players));
  const lines = [...usageLines(usageSum(parts)), ...standingLines(queues.length)];
  return {
    players: seats * queues.length,
    tickets: tickets * queues.length,
    matches: matches.reduce((all, one) => all + one, 0),
    lines,
    total: lines.reduce((all, { dollars }) => all + dollars, 0),
    features: featuresOf(parts),
    notCounted: NOT_COUNTED,
  };
}

function partsOfQueue(
  definition: QueueDefinition,
  players: number,
  matches: number,
  { partySize, pollsPerTicket, furtherQueues = 0 }: Players,
): UsagePart[] {
  const tickets = players / partySize;
  const perSecond = tickets / MONTH_SECONDS;
  const buckets = Math.max(1, Math.ceil(perSecond / BUCKET_TICKETS_PER_SECOND));
  const work = {
    tickets,
    players,
    matched: tickets,
    cancelled: 0,
    timedOut: 0,
    matches,
    playersMatched: players,
    waitMinutes: (players * WAIT_SECONDS) / 60,
    polls: tickets * pollsPerTicket,
    furtherQueues: tickets * furtherQueues,
    ticks: (buckets * MONTH_SECONDS) / definition.tickSeconds,
    waiting: (perSecond * WAIT_SECONDS) / buckets,
  };
  return usageParts(work, definition);
}

function featuresOf(parts: readonly UsagePart[]): MonthlyBill['features'] {
  const all = new Map<string, number>();
  for (const { feature, usage } of parts)
    if (feature !== undefined) all.set(feature, (all.get(feature) ?? 0) + sumOf(dollarsOf(usage)));
  return [...all].map(([feature, dollars]) => ({ feature, dollars }));
}

function usageLines(usage: Usage): BillLine[] {
  const dollars = dollarsOf(usage);
  return [
    { service: 'API Gateway', what: requestsOf(usage), dollars: dollars.api },
    {
      service: 'Lambda',
      what: `${amount(usage.invocations)} invocations, ${amount(usage.gbSeconds)} GB-seconds`,
      dollars: dollars.functions,
    },
    {
      service: 'DynamoDB',
      what: `${amount(usage.writeUnits)} write and ${amount(usage.readUnits)} read units`,
      dollars: dollars.tables,
    },
    { service: 'SQS', what: `${amount(usage.queueRequests)} requests`, dollars: dollars.queues },
    { service: 'EventBridge', what: `${amount(usage.busEvents)} events`, dollars: dollars.events },
    { service: 'CloudWatch Logs', what: `${(usage.logBytes / 1e9).toFixed(1)} GB`, dollars: dollars.logs },
  ];
}

function standingLines(queues: number): BillLine[] {
  const { alarms, dashboard, metrics, secrets, emptyReceives } = standingDollars(queues, MONTH_SECONDS);
  return [
    {
      service: 'CloudWatch',
      what: 'alarms, a dashboard and the metrics of each queue',
      dollars: alarms + dashboard + metrics,
    },
    { service: 'Secrets Manager', what: 'the key of the tokens of players', dollars: secrets },
    { service: 'SQS', what: 'empty receives of Lambda, used or not', dollars: emptyReceives },
  ];
}

function requestsOf({ requests, socketMessages, socketMinutes }: Usage): string {
  const sockets = `, ${amount(socketMessages)} messages and ${amount(socketMinutes)} minutes of sockets`;
  return `${amount(requests)} requests${socketMessages === 0 ? '' : sockets}`;
}

/** `15.0 million`, `3,400`. */
function amount(count: number): string {
  if (count >= 1e6)
    return `${(count / 1e6).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} million`;
  return Math.round(count).toLocaleString('en');
}
