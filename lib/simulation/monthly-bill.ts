import type { QueueDefinition } from '../contract/queue-definition.ts';
import { seatsOf } from '../contract/team-kinds.ts';
import { dollarsOf, MEASURED, standingDollars, type Usage, usageOf } from './cost.ts';

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
}

const MONTH_SECONDS = 30 * 86_400;
/** Tickets a second at which a bucket is split, so that there is a tick more for each slot. */
const BUCKET_TICKETS_PER_SECOND = 200;
/** How long a ticket waits, which decides how much a tick reads: an assumption. */
const WAIT_SECONDS = 20;
/** A long poll holds a function of 256 MB for this long, and reads its ticket about once a second. */
const POLL = { seconds: 20, gb: 0.25, readUnits: 20 };
/** Write units of a match for each time that it waits, for acceptance or for a server: its entry in the index of deadlines, and its count. */
const STEP_WRITE_UNITS = 3;

/**
 * The bill of a month of 30 days at list prices, from the resources that `npm run bench:service` has measured (see `cost.ts`).
 * The players are spread evenly over the queues and the day; every ticket is matched, and each queue is searched at every slot.
 *
 * @param queues one or more
 */
export function monthlyBill(players: Players, queues: readonly QueueDefinition[]): MonthlyBill {
  const seats = (players.perDay * players.matchesEach * 30) / queues.length;
  const tickets = seats / players.partySize;
  const matches = queues.map((queue) => seats / seatsOf(queue));
  const usage = sum(queues.map((queue, at) => usageOfQueue(queue, tickets, matches[at]!, players)));
  const lines = [...usageLines(usage), ...standingLines(queues.length)];
  return {
    players: seats * queues.length,
    tickets: tickets * queues.length,
    matches: matches.reduce((all, one) => all + one, 0),
    lines,
    total: lines.reduce((all, { dollars }) => all + dollars, 0),
  };
}

function usageOfQueue(
  definition: QueueDefinition,
  tickets: number,
  matches: number,
  { pollsPerTicket }: Players,
): Usage {
  const perSecond = tickets / MONTH_SECONDS;
  const buckets = Math.max(1, Math.ceil(perSecond / BUCKET_TICKETS_PER_SECOND));
  const ticks = (buckets * MONTH_SECONDS) / definition.tickSeconds;
  const waiting = (perSecond * WAIT_SECONDS) / buckets;
  const playersRated = definition.ladder === undefined ? 0 : matches * seatsOf(definition);
  const work = {
    tickets,
    matched: tickets,
    cancelled: 0,
    timedOut: 0,
    matches,
    playersRated,
    ticks,
    waiting,
  };
  const usage = usageOf(work, definition);
  const answers = definition.acceptance === undefined ? 0 : tickets;
  const steps = [definition.acceptance, definition.provisioner].filter((step) => step !== undefined).length;
  const polls = tickets * pollsPerTicket;
  return {
    ...usage,
    requests: usage.requests + answers + polls,
    invocations: usage.invocations + answers + polls,
    gbSeconds: usage.gbSeconds + answers * MEASURED.enqueue.gbSeconds + polls * POLL.seconds * POLL.gb,
    writeUnits: usage.writeUnits + matches * steps * STEP_WRITE_UNITS + answers,
    readUnits: usage.readUnits + answers + polls * POLL.readUnits,
  };
}

function sum(all: readonly Usage[]): Usage {
  const total: Record<string, number> = {};
  for (const one of all)
    for (const [name, amount] of Object.entries(one)) total[name] = (total[name] ?? 0) + amount;
  return total as unknown as Usage;
}

function usageLines(usage: Usage): BillLine[] {
  const dollars = dollarsOf(usage);
  return [
    { service: 'API Gateway', what: `${amount(usage.requests)} requests`, dollars: dollars.api },
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
  const { alarms, dashboard, metrics, emptyReceives } = standingDollars(queues, MONTH_SECONDS);
  return [
    {
      service: 'CloudWatch',
      what: 'alarms, a dashboard and the metrics of each queue',
      dollars: alarms + dashboard + metrics,
    },
    { service: 'SQS', what: 'empty receives of Lambda, used or not', dollars: emptyReceives },
  ];
}

/** `15.0 million`, `3,400`. */
function amount(count: number): string {
  if (count >= 1e6)
    return `${(count / 1e6).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} million`;
  return Math.round(count).toLocaleString('en');
}
