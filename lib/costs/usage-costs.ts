import type { EventType } from '../contract/event-type.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { recentSeconds } from '../rules/moments.ts';
import { isOnBus, subscribers } from '../service/domain/subscribers.ts';

/**
 * Public on-demand prices of us-east-1 in US dollars, as of 2025, without the free tier. Other regions differ by
 * some 10 to 30 %. Unless noted otherwise, they are per million.
 */
export const PRICES = {
  /** Requests to an HTTP API. */
  apiRequests: 1.0,
  /** Messages of a WebSocket API, and minutes of its connections. */
  socketMessages: 1.0,
  socketMinutes: 0.25,
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
  /** A secret, a month. */
  secret: 0.4,
} as const;

/** What a deployment has whether it is used or not. */
export const DEPLOYED = {
  /** Metrics that its alarms watch. */
  alarmMetrics: 52,
  dashboards: 1,
  /** SQS queues that invoke functions. */
  polledQueues: 7,
  /** Keys of the tokens of players. */
  secrets: 1,
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
    secrets: DEPLOYED.secrets * PRICES.secret,
    metrics: queues * DEPLOYED.metricsPerQueue * PRICES.customMetric,
    emptyReceives: (receives / 1_000_000) * PRICES.sqsRequests,
  };
}

/** The resources of AWS that some work uses. */
export interface Usage {
  /** Of the HTTP API. */
  readonly requests: number;
  readonly invocations: number;
  readonly gbSeconds: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly queueRequests: number;
  readonly busEvents: number;
  readonly logBytes: number;
  /** Messages of the WebSocket API, and minutes of its connections. */
  readonly socketMessages: number;
  readonly socketMinutes: number;
}

type Amounts = Partial<Usage>;

/** What the service does for the tickets of some time, in counts. */
export interface Work {
  readonly tickets: number;
  /** The players of these tickets. */
  readonly players: number;
  /** How the tickets end; the others still wait. */
  readonly matched: number;
  readonly cancelled: number;
  readonly timedOut: number;
  readonly matches: number;
  /** The players of these matches. */
  readonly playersMatched: number;
  /** How long the players wait, all together. */
  readonly waitMinutes: number;
  /** Long polls of 20 s. @default 0 */
  readonly polls?: number;
  /** The further queues of all tickets that wait in several, together. @default 0 */
  readonly furtherQueues?: number;
  /** The searches; each bucket's search counts. */
  readonly ticks: number;
  /** The mean number of waiting tickets at a tick. */
  readonly waiting: number;
}

/** What the service uses for each of the counts of some work. */
type Units = Partial<Record<Exclude<keyof Work, 'waiting'>, Amounts>>;

/** Bytes that API Gateway logs for a request. */
export const LOG_BYTES = { request: 400 } as const;

/*
 * What the service uses for the steps of a ticket, as `npm run bench:service` counts them on the local cloud. The counts are
 * exact. Times depend on the machine, and the number of publish batches on the load: one for each event at 20 players a second
 * and fewer, some 0.7 at 100.
 */
const REQUEST: Amounts = { requests: 1, invocations: 1, gbSeconds: 0.007, logBytes: LOG_BYTES.request };
/** Read by the stream, and passed to the event bus. */
const PUBLISHED: Amounts = { invocations: 1, gbSeconds: 0.009, readUnits: 0.5, logBytes: 330 };
/** Sent to the queue of a function, received and deleted there. */
const MESSAGE: Amounts = { invocations: 1, gbSeconds: 0.009, queueRequests: 3 };
/** A message whose function waits for a server outside. */
const CALL: Amounts = { ...MESSAGE, gbSeconds: 0.038 };
const WEBHOOK: Amounts = { ...CALL, readUnits: 1 };
/** The message of a match with a deadline. It comes at once, is sent again, and comes at the deadline. */
const DEADLINE = plus(MESSAGE, MESSAGE);

/** What every queue uses. Ticks also read the waiting tickets: see {@link usageParts}. */
function ofEveryQueue(definition: QueueDefinition): Units {
  return {
    // The item and its entry in the index of the pool. It is claimed for its match, or ended, in both.
    tickets: plus(REQUEST, { writeUnits: 2, readUnits: 0.08 }),
    matched: { writeUnits: 2, logBytes: 40 },
    cancelled: plus(REQUEST, { writeUnits: 2, readUnits: 0.08 }, event(definition, 'TicketCancelled')),
    timedOut: plus({ writeUnits: 2 }, event(definition, 'TicketTimedOut')),
    // The match itself, and its part of a page of the journal.
    matches: plus({ writeUnits: 1.4 }, event(definition, 'MatchFound')),
    // Lease, report and the queue's state, with the statistics of recent players; the definition and the state are read. Ten
    // messages are sent at once; each is received and deleted.
    ticks: {
      invocations: 1,
      gbSeconds: 0.125,
      writeUnits: 5,
      readUnits: 2,
      queueRequests: 2.1,
      logBytes: 650,
    },
  };
}

/** A long poll holds a function of 256 MB for 20 s, and reads its ticket about once a second. */
const POLL: Amounts = { ...REQUEST, gbSeconds: 5, readUnits: 20 };

/** A ticket has an entry in each further queue, which is written and deleted, and half a unit at least to read at a tick. */
const SEVERAL_QUEUES: Units = { furtherQueues: { writeUnits: 2 }, ticks: { readUnits: 0.5 } };

/** Something that a queue may have, and that costs more. */
interface Feature {
  readonly name: string;
  readonly has: (definition: QueueDefinition) => boolean;
  readonly units: (definition: QueueDefinition) => Units;
}

/**
 * What features use beyond the rest, with units of the tables as the tables in memory count them in `test/simulation/features.test.ts`,
 * for players who have played before. Requests and messages follow from the code.
 */
export const FEATURES: readonly Feature[] = [
  {
    name: 'TicketQueued',
    has: (definition) => isOnBus(definition, 'TicketQueued'),
    units: (definition) => ({ tickets: event(definition, 'TicketQueued') }),
  },
  {
    // Each ticket, or each player, accepts by a request, which writes the answers and reads the ticket and, eventually
    // consistent, the answers and the match.
    name: 'acceptance',
    has: ({ acceptance }) => acceptance !== undefined,
    units: (definition) => ({
      [definition.acceptance?.by === 'player' ? 'playersMatched' : 'tickets']: plus(REQUEST, {
        writeUnits: 1,
        readUnits: 2,
      }),
      matches: plus(DEADLINE, { writeUnits: 4, readUnits: 4 }, event(definition, 'MatchAccepted')),
    }),
  },
  {
    // The index of deadlines, the assignment and the count of what became of the match.
    name: 'provisioner',
    has: ({ provisioner }) => provisioner !== undefined && provisioner.type !== 'none',
    units: (definition) => ({
      matches: plus(
        definition.provisioner?.type === 'external' ? REQUEST : CALL,
        DEADLINE,
        { writeUnits: 4, readUnits: 2 },
        event(definition, 'MatchAssigned'),
      ),
    }),
  },
  {
    // A place is written in the transaction of its ticket, which pays double. The last ticket of the player and its match are read.
    name: 'onePlace',
    has: ({ onePlace }) => Boolean(onePlace),
    units: () => ({ tickets: { writeUnits: 1, readUnits: 2 }, players: { writeUnits: 2, readUnits: 1 } }),
  },
  {
    name: 'cooldown',
    has: ({ cooldown }) => cooldown !== undefined,
    units: () => ({ players: { readUnits: 1 } }),
  },
  {
    // Who was met is read with a ticket, and written in the transaction of a match.
    name: 'recent rules',
    has: (definition) => recentSeconds(definition) > 0,
    units: () => ({ players: { readUnits: 1 }, playersMatched: { writeUnits: 2 } }),
  },
  {
    // As `npm run bench:watchers` counts a wait of a minute with its three pings, and one without them, in docs/players.md.
    name: 'presence',
    has: ({ presence }) => presence !== undefined,
    units: () => ({
      players: {
        invocations: 3.76,
        gbSeconds: 0.06,
        writeUnits: 2,
        readUnits: 10.8,
        socketMessages: 1,
        socketMinutes: 0.01,
      },
      waitMinutes: {
        invocations: 3,
        gbSeconds: 0.12,
        writeUnits: 3,
        readUnits: 4.5,
        socketMessages: 3,
        socketMinutes: 1,
      },
    }),
  },
  {
    // Odds, result and rating, and the ratings in a transaction. Times are from a short run on a busy machine.
    name: 'ladder',
    has: ({ ladder }) => ladder !== undefined,
    units: (definition) => ({
      matches: plus(
        REQUEST,
        MESSAGE,
        { gbSeconds: 0.064, writeUnits: 8, readUnits: 6 },
        event(definition, 'MatchEnded'),
        event(definition, 'MatchRated'),
      ),
      playersMatched: { writeUnits: 2, readUnits: 2 },
    }),
  },
];

/** What is not in the estimates of costs. */
export const NOT_COUNTED = [
  'experiments',
  'offences of players',
  'backfills',
  'declined and failed matches',
  'sockets of players in queues without presence',
  'webhooks that are repeated',
  'what operators read',
  'data transfer',
  'backups',
  'your game servers',
] as const;

/** An event of this type. A queue without webhooks is counted with one for its matches. */
function event(definition: QueueDefinition, type: EventType): Amounts {
  const { webhooks } = definition;
  const posts = webhooks ? subscribers(definition, type).length : Number(type === 'MatchFound');
  return plus(PUBLISHED, { busEvents: Number(isOnBus(definition, type)) }, times(WEBHOOK, posts));
}

function plus(...all: readonly Amounts[]): Amounts {
  const sum: Record<string, number> = {};
  for (const one of all)
    for (const [name, amount] of Object.entries(one)) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}

function times(amounts: Amounts, count: number): Amounts {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount * count]));
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
/** A waiting ticket in the index of the pool, by which a tick's Query is charged: 8 KB a read unit, half of one at least. */
const WAITING_TICKET_BYTES = 150;
const QUERY_UNIT_BYTES = 8192;

const NOTHING: Usage = {
  requests: 0,
  invocations: 0,
  gbSeconds: 0,
  writeUnits: 0,
  readUnits: 0,
  queueRequests: 0,
  busEvents: 0,
  logBytes: 0,
  socketMessages: 0,
  socketMinutes: 0,
};

/** A part of the usage of a queue: of a feature, or of everything else. */
export interface UsagePart {
  /** Undefined: what every queue uses. */
  readonly feature?: string;
  readonly usage: Usage;
}

/**
 * The resources that the measured service uses for some work: what every queue uses, then each feature of the definition, further
 * queues and long polls.
 *
 * A ticket is posted once, by a request of its own, and accepts its match if it has to. `NOT_COUNTED` names what is not in it.
 * Tickets that end without a match are assumed to be as large as the others.
 */
export function usageParts(work: Work, definition: QueueDefinition): UsagePart[] {
  const queryUnits = Math.max(0.5, (work.waiting * WAITING_TICKET_BYTES) / QUERY_UNIT_BYTES);
  const queries = { readUnits: work.ticks * queryUnits };
  const own = FEATURES.filter(({ has }) => has(definition));
  return [
    { usage: { ...NOTHING, ...plus(usageFor(work, ofEveryQueue(definition)), queries) } },
    ...own.map(({ name, units }) => ({ feature: name, usage: usageFor(work, units(definition)) })),
    ...(work.furtherQueues ? [{ feature: 'several queues', usage: usageFor(work, SEVERAL_QUEUES) }] : []),
    ...(work.polls ? [{ feature: 'long polls', usage: usageFor(work, { polls: POLL }) }] : []),
  ];
}

/** All parts together. */
export function usageSum(parts: readonly UsagePart[]): Usage {
  return { ...NOTHING, ...plus(...parts.map(({ usage }) => usage)) };
}

function usageFor(work: Work, units: Units): Usage {
  const all = Object.entries(units) as [keyof Units, Amounts][];
  return { ...NOTHING, ...plus(...all.map(([count, amounts]) => times(amounts, work[count] ?? 0))) };
}

/** What resources cost at the list prices. */
export function dollarsOf(usage: Usage): Dollars {
  return {
    api:
      (usage.requests * PRICES.apiRequests +
        usage.socketMessages * PRICES.socketMessages +
        usage.socketMinutes * PRICES.socketMinutes) /
      MILLION,
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
