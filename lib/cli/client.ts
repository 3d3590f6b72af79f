import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import * as z from 'zod';
import { type MatchView, matchView } from '../contract/match.ts';
import { check } from '../contract/problem.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { type TicketView, ticketView } from '../contract/ticket.ts';
import type { Ticket } from '../engine/types.ts';
import { storedDefinition } from '../service/queues/stored-definition.ts';
import { Failure, InvalidInput } from './failure.ts';

/** The requests that a game backend sends to a running service. */
export interface MusterClient {
  queues(): Promise<QueueDefinition[]>;
  enqueue(queue: string, ticket: Pick<Ticket, 'ticketId' | 'players'>): Promise<TicketView>;
  ticket(ticketId: string): Promise<TicketView>;
  match(matchId: string): Promise<MatchView>;
}

/** Statuses after which a request is retried. */
const LATER = [429, 500, 502, 503, 504];
const TRIES = 5;

/**
 * A client of a running service. It signs requests to API Gateway with the credentials in the environment. It does not
 * sign requests to this machine. The service may be of another version, so fields unknown to this one are ignored.
 *
 * Every request throws Failure when the service does not respond, rejects it, or responds in another form.
 */
export function musterClient(url: string): MusterClient {
  const send = senderTo(url);
  const request = async <T extends z.ZodType>(
    schema: T,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<z.output<T>> => {
    for (let attempt = 1; ; attempt++) {
      const response = await send(`${url.replace(/\/$/, '')}${path}`, {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      });
      if (response.ok) return parsed(schema, await response.text(), `${method} ${path}`);
      if (LATER.includes(response.status) && attempt < TRIES) {
        await response.body?.cancel();
        await sleep(1_000 * (Number(response.headers.get('retry-after')) || attempt));
        continue;
      }
      throw new Failure(
        `${method} ${path}: the service returned status ${response.status}: ${await response.text()}`,
      );
    }
  };
  return {
    queues: async () => (await request(queueList, 'GET', '/queues')).queues,
    enqueue: (queue, ticket) => request(ticketView, 'POST', `/queues/${queue}/tickets`, ticket),
    ticket: (ticketId) => request(ticketView, 'GET', `/tickets/${ticketId}`),
    match: (matchId) => request(matchView, 'GET', `/matches/${matchId}`),
  };
}

const queueList = z.object({ queues: z.array(storedDefinition) });

function parsed<T extends z.ZodType>(schema: T, text: string, what: string): z.output<T> {
  const expected = `${what}: Expected a response of Muster, got`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Failure(`${expected} no JSON. Check the URL.`);
  }
  const { data, problems } = check(schema, value);
  if (problems === undefined) return data;
  const faults = problems.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  throw new Failure(`${expected} one that this version cannot read: ${faults.join('; ')}`);
}

type Send = (url: string, init: RequestInit) => Promise<Response>;

function senderTo(url: string): Send {
  if (!URL.canParse(url) || !/^https?:/.test(new URL(url).protocol))
    throw new InvalidInput(`Expected --url to be a URL such as http://127.0.0.1:3000, got ${url}`);
  const send = /\.execute-api\./.test(new URL(url).host) ? signedSend() : fetch;
  return async (target, init) => {
    try {
      return await send(target, init);
    } catch (error) {
      const cause = (error as Error).cause as { code?: string; message?: string } | undefined;
      const reason = cause?.code ?? cause?.message ?? (error as Error).message;
      throw new Failure(`No service responds at ${url} (${reason}).`);
    }
  };
}

function signedSend(): Send {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new InvalidInput(
      'Expected AWS credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to sign requests with, got none.',
    );
  }
  const client = new AwsClient({
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    service: 'execute-api',
  });
  return (target, init) => client.fetch(target, init);
}
