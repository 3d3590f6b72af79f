import type { Command } from '@commander-js/extra-typings';
import * as z from 'zod';
import {
  type MusterClient,
  MusterProblem,
  MusterUnreachable,
  musterClient,
  UnexpectedResponse,
} from '../client/index.ts';
import { check, textOf } from '../contract/problem.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { storedDefinition } from '../service/domain/stored-definition.ts';
import { Failure } from './failure.ts';
import { serviceCredentials } from './service-credentials.ts';

/** Where a command sends its requests, and what authorizes them. */
export interface ServiceOptions {
  readonly url: string;
  readonly token?: string | undefined;
}

/** Adds the options of a command that asks a running service. */
export function withService(command: Command) {
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

/**
 * The queues of a running service, which may be of another version: fields unknown to this one are ignored.
 * @throws Failure that names the invalid fields when they have another form
 */
export async function queuesOf(ask: Ask): Promise<QueueDefinition[]> {
  const { data, problems } = check(z.array(storedDefinition), await ask((client) => client.queues.list()));
  if (problems === undefined) return data;
  throw new Failure(
    `GET /queues: Expected a response of Muster, got one that this version cannot read: ${textOf(problems)}`,
  );
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
