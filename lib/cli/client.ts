import type { Command } from 'commander';
import * as z from 'zod';
import {
  type MusterClient,
  MusterProblem,
  MusterUnreachable,
  musterClient,
  type NewTicket as PostedTicket,
  UnexpectedResponse,
} from '../client/index.ts';
import { type Assignment, type MatchView, matchView } from '../contract/match.ts';
import { check } from '../contract/problem.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { type TicketView, ticketView } from '../contract/ticket.ts';
import { storedDefinition } from '../service/domain/stored-definition.ts';
import { Failure } from './failure.ts';
import { serviceCredentials } from './service-credentials.ts';

/** Where a command sends its requests, and what authorizes them. */
export interface ServiceOptions {
  readonly url: string;
  readonly token?: string | undefined;
}

/** Adds the options of a command that asks a running service. */
export function withService(command: Command): Command {
  return command
    .option('--url <url>', 'the service', 'http://127.0.0.1:3000')
    .option('--token <token>', 'send this bearer token instead of signing (for a service with JWT)');
}

/**
 * Sends requests to a running service by its client. They throw Failure that says what the service returned, and `done`: what
 * has been done until then.
 */
export type Ask = <T>(send: (client: MusterClient) => Promise<T>, done?: string) => Promise<T>;

/** @throws InvalidInput when the URL is invalid, or when the service needs AWS credentials and there are none */
export async function askOf({ url, token }: ServiceOptions): Promise<Ask> {
  const client = musterClient({ url, credentials: await serviceCredentials(url, token) });
  return (send, done) => send(client).catch((error) => Promise.reject(failureOf(error, url, done)));
}

/** The requests that a command sends to a running service. */
export interface ServiceClient {
  queues(): Promise<QueueDefinition[]>;
  enqueue(queue: string, ticket: PostedTicket): Promise<TicketView>;
  /** Reads up to 50 tickets. Unknown ones are omitted. */
  tickets(ticketIds: readonly string[]): Promise<TicketView[]>;
  match(matchId: string): Promise<MatchView>;
  /** Accepts the match of a ticket. */
  accept(ticketId: string, matchId: string): Promise<TicketView>;
  assign(matchId: string, assignment: Assignment): Promise<MatchView>;
  putQueue(definition: QueueDefinition): Promise<QueueDefinition>;
  /** Puts a ladder with the default of each key. */
  putLadder(name: string): Promise<void>;
  /** Says how a match ended: the rank of each team. */
  result(matchId: string, ranks: readonly number[]): Promise<MatchView>;
}

/**
 * A client of a running service for a command, which may be of another version: responses are parsed, and fields unknown to
 * this version are ignored.
 *
 * Every request throws Failure when the service does not respond, rejects it, or responds in another form.
 *
 * @throws InvalidInput when the URL is invalid, or when the service needs AWS credentials and there are none
 */
export async function serviceClient(url: string): Promise<ServiceClient> {
  const client = musterClient({ url, credentials: await serviceCredentials(url) });
  const request = async <T extends z.ZodType>(schema: T, what: string, response: Promise<unknown>) =>
    parsed(schema, what, await response.catch((error) => Promise.reject(failureOf(error, url))));
  return {
    queues: () => request(z.array(storedDefinition), 'GET /queues', client.queues.list()),
    enqueue: (queue, ticket) =>
      request(ticketView, `POST /queues/${queue}/tickets`, client.post(queue, ticket)),
    tickets: (ticketIds) => request(z.array(ticketView), 'GET /tickets', client.getMany(ticketIds)),
    match: (matchId) => request(matchView, `GET /matches/${matchId}`, client.match(matchId)),
    accept: (ticketId, matchId) =>
      request(ticketView, `PUT /tickets/${ticketId}/acceptance`, client.accept(ticketId, matchId)),
    assign: (matchId, assignment) =>
      request(matchView, `PUT /matches/${matchId}/assignment`, client.assign(matchId, assignment)),
    putQueue: (definition) =>
      request(storedDefinition, `PUT /queues/${definition.name}`, client.queues.put(definition)),
    async putLadder(name) {
      const path = `/ladders/${name}`;
      await request(z.unknown(), `PUT ${path}`, client.request({ method: 'PUT', path, body: { name } }));
    },
    result: (matchId, ranks) =>
      request(matchView, `POST /matches/${matchId}/result`, client.result(matchId, { ranks: [...ranks] })),
  };
}

/** @param done what has been done until then: a sentence, or nothing */
function failureOf(error: unknown, url: string, done = ''): unknown {
  const after = done === '' ? '' : ` ${done}.`;
  if (error instanceof MusterUnreachable)
    return new Failure(`No service responds at ${url} (${error.reason}).${after}`);
  if (error instanceof MusterProblem) {
    const { request, status, problem } = error;
    const detail = (problem.detail ?? problem.title).replace(/\.$/, '');
    return new Failure(
      `${request}: the service returned status ${status}: ${detail}${done === '' ? '' : `.${after}`}`,
      status,
    );
  }
  return error instanceof UnexpectedResponse ? new Failure(`${error.message}${after}`) : error;
}

function parsed<T extends z.ZodType>(schema: T, what: string, value: unknown): z.output<T> {
  const { data, problems } = check(schema, value);
  if (problems === undefined) return data;
  const faults = problems.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  throw new Failure(
    `${what}: Expected a response of Muster, got one that this version cannot read: ${faults.join('; ')}`,
  );
}
