/**
 * The endpoint of DynamoDB, SQS, EventBridge and Secrets Manager for functions. It identifies each function by its
 * access key and rejects calls that the function's role does not allow, as AWS does.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accessesOf } from './access.ts';
import type { AwsDelays } from './aws-delays.ts';
import { type AwsCall, type AwsReply, type AwsService, errorReply } from './aws-json.ts';
import { ACCOUNT_ID } from './local-account.ts';
import { refusalOf as foreignRequest } from './local-requests.ts';
import { isAllowed, type Statement } from './policy.ts';
import { stepOf } from './request-step.ts';

/** The function that makes a call. */
export interface Caller {
  readonly name: string;
  readonly roleName: string;
  readonly statements: readonly Statement[];
}

export interface AwsEndpoint {
  /** Has no trailing slash. */
  readonly url: string;
  /** Starts to serve calls. Calls that arrive earlier get status 503. */
  open(routes: AwsRoutes): void;
  stop(): Promise<void>;
}

export interface AwsRoutes {
  /** Services by the prefix of `X-Amz-Target`. */
  readonly services: Readonly<Record<string, AwsService>>;
  /** Functions by access key. A caller with another key may call everything. */
  readonly callers: ReadonlyMap<string, Caller>;
  /** Observes or changes calls between callers and services. @default calls pass unchanged */
  readonly intercept?: Interceptor | undefined;
  /** Delays of the calls of functions. Other callers are not delayed. */
  readonly delays: AwsDelays;
  readonly log: (line: string) => void;
}

/** Handles a call instead of its service, which it may call. `caller` is the function's name, if a function calls. */
export type Interceptor = (
  call: AwsCall,
  service: AwsService,
  caller: string | undefined,
) => Promise<AwsReply>;

export async function listenForAws(): Promise<AwsEndpoint> {
  let routes: AwsRoutes | undefined;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    handle(request, routes)
      .catch((error) => errorReply('InternalFailure', String(error), 500))
      .then((reply) => send(response, reply));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open(opened) {
      routes = opened;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function handle(request: IncomingMessage, routes: AwsRoutes | undefined): Promise<AwsReply> {
  const foreign = foreignRequest(request);
  if (foreign !== undefined)
    return errorReply('com.amazon.coral.service#AccessDeniedException', foreign, 403);
  const body = await readText(request);
  if (routes === undefined) return errorReply('ServiceUnavailable', 'The local cloud is starting.', 503);
  const [target = '', operation = ''] = String(request.headers['x-amz-target']).split('.');
  const service = routes.services[target];
  if (service === undefined) {
    return errorReply('UnknownOperationException', `${target}.${operation} has no local counterpart.`);
  }
  const call: AwsCall = { target, operation, body, input: JSON.parse(body) };
  const accessKeyId = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const caller = routes.callers.get(accessKeyId);
  const refusal = caller && refusalOf(caller, call);
  if (refusal === undefined) {
    const step = caller && stepOf(target, operation);
    return routes.delays.atLeast(
      step,
      async () => routes.intercept?.(call, service, caller?.name) ?? service(call),
    );
  }
  routes.log(refusal);
  return errorReply('com.amazon.coral.service#AccessDeniedException', refusal);
}

function refusalOf(caller: Caller, { target, operation, input }: AwsCall): string | undefined {
  const refused = accessesOf(target, operation, input).find(
    (access) => !isAllowed(caller.statements, access),
  );
  if (refused === undefined) return undefined;
  const user = `arn:aws:sts::${ACCOUNT_ID}:assumed-role/${caller.roleName}/${caller.name}`;
  const { action, resourceArn } = refused;
  return `User: ${user} is not authorized to perform: ${action} on resource: ${resourceArn} because no identity-based policy allows the ${action} action`;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, { status, headers, body }: AwsReply): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
