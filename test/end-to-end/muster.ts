import { AsyncLocalStorage } from 'node:async_hooks';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PurgeQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DeleteCommand, DynamoDBDocumentClient, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, aroundEach, expect } from 'vitest';
import {
  type MusterClient,
  musterClient,
  type NewTicket as PostedTicket,
  type Ticket,
} from '../../lib/client/index.ts';
import { openApi } from '../../lib/contract/openapi.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { isFinal, type NewTicket, type TicketStatus, type TicketView } from '../../lib/contract/ticket.ts';
import type { BusEvent } from '../../lib/local/event-bus.ts';
import type { InvocationResult } from '../../lib/local/lambda-worker.ts';
import { type LocalCloud, type LocalCloudOptions, startLocalCloud } from '../../lib/local/local-cloud.ts';
import { PATIENCE_MS } from '../patience.ts';
import { definition } from '../service/definitions.ts';
import type { Answer, OpenApiDocument } from './answer-faults.ts';
import { answerChecker } from './answers.ts';
import { Growing } from './growing.ts';
import { patientApp } from './patient-app.ts';
import { type Receiver, SECRET, SECRET_NAME, startReceiver } from './receiver.ts';

/** The whole service on the local cloud, with a studio's game backend and server. */
export interface TestMuster {
  readonly cloud: LocalCloud;
  readonly api: Api;
  /** The studio's server. */
  readonly receiver: Receiver;
  /** All events on the bus so far. */
  readonly bus: Growing<BusEvent>;
  /** The current rows of a table. */
  rows(table: 'tickets' | 'matches' | 'queues'): Promise<Record<string, unknown>[]>;
  /** Moves the deadline of a match, to accept it or to assign it, to now. */
  timeIsUp(matchId: string): Promise<void>;
  /** Stops everything. Runs automatically after the tests of the file. */
  stop(): Promise<void>;
}

/** What a file changes of the service that it shares. */
type Interceptors = Pick<LocalCloudOptions, 'intercept' | 'interceptCommand' | 'log'>;

/**
 * The service as `muster serve` starts it. The files of a process share one service, whose start takes seconds of processor time.
 * Each file has a studio of its own around it, and names its queues, tickets and players with {@link fresh}. Interceptors are
 * in force until the end of their file. Schedules run when a test runs them: each minute they would hide a lost wake-up. With any
 * other option it is a service of its own, which is stopped after the tests of the file.
 */
export async function testMuster({
  intercept,
  interceptCommand,
  log,
  ...own
}: Partial<LocalCloudOptions> = {}): Promise<TestMuster> {
  const interceptors = { intercept, interceptCommand, log };
  if (Object.keys(own).length > 0) return studioAround(await cloudOf({ ...interceptors, ...own }));
  shared ??= cloudOf({
    schedules: false,
    log: (line) => ofFile.log?.(line),
    intercept: (call, service, caller) => ofFile.intercept?.(call, service, caller) ?? service(call),
    interceptCommand: (...command) => ofFile.interceptCommand?.(...command),
  });
  const cloud = await shared;
  ofFile = interceptors;
  const stop = async () => {
    await endWaiting(cloud);
    // Ticks are sent for two more minutes without tickets, and failed messages are tried again for longer.
    for (const { ref: QueueUrl } of cloud.stack.resources('AWS::SQS::Queue'))
      await new SQSClient(cloud.awsConfig).send(new PurgeQueueCommand({ QueueUrl }));
    ofFile = {};
  };
  // The log of this file: those before it have errors on purpose.
  const earlier = new Set(cloud.logs);
  return studioAround({
    ...cloud,
    get logs() {
      return cloud.logs.filter((line) => !earlier.has(line));
    },
    stop,
  });
}

/** It ends with the process. */
let shared: Promise<LocalCloud> | undefined;
/** Of the file that runs. */
let ofFile: Interceptors = {};

/** It asks for no token unless `verifyToken` is given: see `tokenGateway`. */
function cloudOf(options: Partial<LocalCloudOptions>): Promise<LocalCloud> {
  return startLocalCloud({ ...patientApp(), port: 0, ...options });
}

export interface StudioOptions {
  /** Whether the game backend retries a request that gets status 503, after its `Retry-After`. @default false */
  readonly repeats?: boolean;
}

/** Adds a studio to a running service. Everything is stopped after the tests of the file. */
export async function studioAround(cloud: LocalCloud, options: StudioOptions = {}): Promise<TestMuster> {
  const receiver = await startReceiver();
  const bus = new Growing<BusEvent>();
  const untap = cloud.tapBus((event) => bus.add(event));
  cloud.secrets.set(SECRET_NAME, SECRET);
  let stopping: Promise<unknown> | undefined;
  const stop = async () => {
    untap();
    stopping ??= Promise.all([cloud.stop(), receiver.stop()]);
    await stopping;
  };
  afterAll(stop);
  const api = apiOf(cloud.url, options, endTicksOfEachTest(cloud));
  return { cloud, receiver, bus, api, ...storesOf(cloud), stop };
}

export interface Sending {
  /** Text is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A game backend. Every response is checked against the service's OpenAPI document. */
export interface Api {
  /** The client of the backend. It repeats no request, so that no fault stays hidden. */
  readonly client: MusterClient;
  /**
   * Sends a request without the client and returns the response as it is: for tests of statuses and headers, and of
   * requests that the client does not send, such as broken ones.
   */
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
  get(path: string): Promise<Answer>;
  put(path: string, body: unknown): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Creates a queue with a unique name. */
  queue(changes?: Partial<QueueDefinition>): Promise<string>;
  /** Posts a new ticket with these players, or with one player of this skill. */
  ticket(
    queue: string,
    players: number | NewTicket['players'],
    more?: Pick<PostedTicket, 'split' | 'also'>,
  ): Promise<TicketView>;
  /** Long-polls a ticket until it has one of the statuses. */
  until(ticketId: string, ...statuses: TicketStatus[]): Promise<TicketView>;
}

/** The document that the service serves at /openapi.json. */
export const DOCUMENT: OpenApiDocument = JSON.parse(JSON.stringify(openApi()));

/** Check responses and webhooks against {@link DOCUMENT}. */
export const { checkAnswer, checkWebhook } = answerChecker(DOCUMENT);

let names = 0;
/** A name that is unique in this process. */
export function fresh(what: string): string {
  names += 1;
  return `${what}-${names}`;
}

/** One player. */
export function player(skill: number, roles?: string[]): NewTicket['players'][number] {
  return { playerId: fresh('player'), skill, ...(roles && { roles }) };
}

/** No ticket times out because the machine is busy. */
const TIMEOUT_SECONDS = 3_600;

/** More retries than any request of the tests needs. */
const REPEATS_MAX = 60;

function apiOf(url: string, { repeats = false }: StudioOptions, created: (queue: string) => void): Api {
  const fetchOnce: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const answer = await answerOf(response.clone());
    checkAnswer(init?.method ?? 'GET', String(input).slice(url.length), answer);
    return response;
  };
  const checkedFetch: typeof fetch = async (input, init) => {
    for (let again = repeats ? REPEATS_MAX : 0; ; again--) {
      const response = await fetchOnce(input, init);
      if (response.status !== 503 || again === 0) return response;
    }
  };
  const client = musterClient({ url, tries: 1, timeoutMs: PATIENCE_MS, fetch: checkedFetch });
  const send: Api['send'] = async (method, path, { body, headers } = {}) =>
    answerOf(
      await checkedFetch(`${url}${path}`, {
        method,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      }),
    );
  return {
    client,
    send,
    get: (path) => send('GET', path),
    put: (path, body) => send('PUT', path, { body }),
    post: (path, body) => send('POST', path, { body }),
    delete: (path) => send('DELETE', path),
    async queue(changes = {}) {
      const name = fresh('queue');
      await client.queues.put(definition({ timeoutSeconds: TIMEOUT_SECONDS, ...changes, name }));
      created(name);
      return name;
    },
    async ticket(queue, players, more) {
      const party = typeof players === 'number' ? [player(players)] : players;
      const posted = await client.post(queue, { ticketId: fresh('ticket'), players: party, ...more });
      return posted as TicketView;
    },
    async until(ticketId, ...statuses) {
      // A long poll returns only on a change, so the first request reads the current state without waiting. The client's
      // own wait would hide failed polls.
      for (let waitSeconds = 0; ; waitSeconds = 2) {
        const path = `/tickets/${ticketId}?waitSeconds=${waitSeconds}`;
        const ticket = (await client.request<Ticket>({ method: 'GET', path })) as TicketView;
        if (statuses.includes(ticket.status)) return ticket;
        expect(ticket.status, `${ticketId} should become ${statuses}: ${ticket.reason}`).not.toSatisfy(
          isFinal,
        );
      }
    },
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** Removes all tickets and ticks, which otherwise go on beside the tests after them. */
async function endWaiting(cloud: LocalCloud): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(cloud.awsConfig));
  const { TICKETS_TABLE: TableName, TICK_QUEUE_URL: QueueUrl } = cloud.function('enqueue').environment;
  const { rows } = storesOf(cloud);
  // A scan returns at most 1 MB.
  for (let page = await rows('tickets'); page.length > 0; page = await rows('tickets'))
    for (const { ticketId } of page) await client.send(new DeleteCommand({ TableName, Key: { ticketId } }));
  await new SQSClient(cloud.awsConfig).send(new PurgeQueueCommand({ QueueUrl }));
}

/**
 * Runs no further ticks of a test's queues once it has ended. Those of the next two minutes are sent already: without a ticket
 * each costs as much as a request, once a second and queue.
 */
function endTicksOfEachTest(cloud: LocalCloud): (queue: string) => void {
  const ofTest = new AsyncLocalStorage<string[]>();
  const ended = new Set<string>();
  aroundEach(async (runTest) => {
    const queues: string[] = [];
    await ofTest.run(queues, runTest);
    for (const queue of queues) ended.add(queue);
  });
  const tick = cloud.function('tick');
  const { invoke } = tick;
  const isDue = ({ Records }: SQSEvent) => Records.some(({ body }) => !ended.has(JSON.parse(body).queue));
  const done: InvocationResult = { ok: true, payload: null };
  Object.assign(tick, { invoke: async (event: SQSEvent) => (isDue(event) ? invoke(event) : done) });
  afterAll(() => Object.assign(tick, { invoke }));
  return (queue) => ofTest.getStore()?.push(queue);
}

function storesOf(cloud: LocalCloud): Pick<TestMuster, 'rows' | 'timeIsUp'> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(cloud.awsConfig));
  const sqs = new SQSClient(cloud.awsConfig);
  const { TICKETS_TABLE, MATCHES_TABLE, QUEUES_TABLE, DEADLINE_QUEUE_URL } =
    cloud.function('deadline').environment;
  const tables = { tickets: TICKETS_TABLE, matches: MATCHES_TABLE, queues: QUEUES_TABLE };
  return {
    async rows(table) {
      const scan = new ScanCommand({ TableName: tables[table], ConsistentRead: true });
      return (await client.send(scan)).Items ?? [];
    },
    async timeIsUp(matchId) {
      await client.send(
        new UpdateCommand({
          TableName: MATCHES_TABLE,
          Key: { matchId },
          UpdateExpression: 'SET deadline = :now',
          ExpressionAttributeValues: { ':now': new Date().toISOString() },
        }),
      );
      const MessageBody = JSON.stringify({ matchId });
      await sqs.send(new SendMessageCommand({ QueueUrl: DEADLINE_QUEUE_URL, MessageBody }));
    },
  };
}
