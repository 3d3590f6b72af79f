import * as z from 'zod';
import {
  type Credentials,
  type MusterClient,
  MusterProblem,
  MusterUnreachable,
  musterClient,
  type NewTicket as PostedTicket,
  UnexpectedResponse,
} from '../client/index.ts';
import { type MatchView, matchView } from '../contract/match.ts';
import { check } from '../contract/problem.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { type TicketView, ticketView } from '../contract/ticket.ts';
import { storedDefinition } from '../service/queues/stored-definition.ts';
import { Failure, InvalidInput } from './failure.ts';

/** The requests that a command sends to a running service. */
export interface ServiceClient {
  queues(): Promise<QueueDefinition[]>;
  enqueue(queue: string, ticket: PostedTicket): Promise<TicketView>;
  ticket(ticketId: string): Promise<TicketView>;
  match(matchId: string): Promise<MatchView>;
}

/**
 * A client of a running service for a command. It signs requests to API Gateway with the credentials in the environment, and
 * no requests to this machine. The service may be of another version, so responses are parsed, and fields unknown to this
 * version are ignored.
 *
 * Every request throws Failure when the service does not respond, rejects it, or responds in another form.
 */
export function serviceClient(url: string): ServiceClient {
  const client = clientOf(url);
  const request = async <T extends z.ZodType>(schema: T, what: string, response: Promise<unknown>) =>
    parsed(schema, what, await response.catch((error) => Promise.reject(failureOf(error, url))));
  return {
    queues: () => request(z.array(storedDefinition), 'GET /queues', client.queues.list()),
    enqueue: (queue, ticket) =>
      request(ticketView, `POST /queues/${queue}/tickets`, client.post(queue, ticket)),
    ticket: (ticketId) => request(ticketView, `GET /tickets/${ticketId}`, client.get(ticketId)),
    match: (matchId) => request(matchView, `GET /matches/${matchId}`, client.match(matchId)),
  };
}

/** @throws InvalidInput when the URL is none, or the environment has no credentials to sign requests with */
function clientOf(url: string): MusterClient {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new InvalidInput(`Expected --url to be a URL such as http://127.0.0.1:3000, got ${url}`);
  const isApiGateway = /\.execute-api\./.test(new URL(url).host);
  return musterClient({ url, ...(isApiGateway && { credentials: awsCredentials() }) });
}

function awsCredentials(): Credentials {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new InvalidInput(
      'Expected AWS credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to sign requests with, got none.',
    );
  }
  return {
    aws: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      sessionToken: AWS_SESSION_TOKEN,
    },
  };
}

function failureOf(error: unknown, url: string): unknown {
  if (error instanceof MusterUnreachable)
    return new Failure(`No service responds at ${url} (${error.reason}).`);
  if (error instanceof MusterProblem)
    return new Failure(
      `${error.request}: the service returned status ${error.status}: ${error.problem.detail ?? error.problem.title}`,
    );
  return error instanceof UnexpectedResponse ? new Failure(error.message) : error;
}

function parsed<T extends z.ZodType>(schema: T, what: string, value: unknown): z.output<T> {
  const { data, problems } = check(schema, value);
  if (problems === undefined) return data;
  const faults = problems.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  throw new Failure(
    `${what}: Expected a response of Muster, got one that this version cannot read: ${faults.join('; ')}`,
  );
}
