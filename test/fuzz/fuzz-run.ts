import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { Interceptor } from '../../lib/local/aws-endpoint.ts';
import type { AwsService } from '../../lib/local/aws-json.ts';
import { startLocalCloud } from '../../lib/local/local-cloud.ts';
import type { Template } from '../../lib/local/template.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { answerFaults, type OpenApiDocument } from '../end-to-end/answer-faults.ts';
import { patient } from '../end-to-end/patient-app.ts';
import { builtApp } from '../infra/built-app.ts';
import { type FuzzedDocument, type FuzzRequest, requestMaker } from './requests.ts';

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** Requests to send instead of generated ones. */
  readonly replay?: readonly FuzzRequest[];
  /** Called with each failure when it is found. */
  readonly onFailure?: (failure: FuzzFailure) => void;
  /** Called after each request. */
  readonly progress?: (sent: number) => void;
}

export interface FuzzResult {
  /** The number of responses by operation and status, such as `POST /queues/{queue}/tickets 201`. */
  readonly answers: ReadonlyMap<string, number>;
  readonly failures: readonly FuzzFailure[];
  /** Errors that functions logged, including the functions of the search; one of each kind. */
  readonly errors: readonly string[];
}

/** A request with a response or an effect that is not allowed. */
export interface FuzzFailure {
  /** The number of the request, from 0. Its state is the result of the seed's earlier requests. */
  readonly number: number;
  readonly request: FuzzRequest;
  readonly status: number;
  readonly body: string;
  readonly faults: readonly string[];
}

/** After this time the next request is sent although a long poll is still waiting: it changes nothing. */
const AWAITED_MS = 50;
/** The run stops after this many failures. */
const FAILURES_MAX = 50;
/** Operations that change nothing. */
const READS = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'Scan',
  'TransactGetItems',
  'GetSecretValue',
  'GetQueueAttributes',
];
/** Methods that must change nothing. */
const SAFE = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];
/** Functions that call the addresses in queue definitions, which are random here. */
const CALLING_OUT = ['notify', 'provision'];

/**
 * Sends requests generated from the service's OpenAPI document to a local cloud, one after the other, and checks that
 *
 * - no response has status 5xx, every response fits the document, and every error is a problem document;
 * - a rejected request or a GET changes nothing: the functions behind the API send no write, message or event.
 *
 * Errors that functions log are returned. The search runs at the same time, so requests refer to tickets and matches of
 * every status.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const cloud = await startFuzzed();
  try {
    return await cloud.fuzz(options);
  } finally {
    await cloud.stop();
  }
}

/** A local cloud for several runs, one after the other. */
export interface FuzzedCloud {
  fuzz(options: FuzzOptions): Promise<FuzzResult>;
  stop(): Promise<void>;
}

/** @param intercept the functions' calls to AWS, for tests of the fuzzer itself */
export async function startFuzzed(intercept?: Interceptor): Promise<FuzzedCloud> {
  const { template, assetPathOf } = patient(builtApp());
  const journal: string[] = [];
  const errors = new Map<string, string>();
  const behindApi = new Set<string>();
  const cloud = await startLocalCloud({
    template: withoutCallsOut(template),
    assetPathOf,
    port: 0,
    log: ({ source, line }) => {
      if (isError(line) && errors.size < FAILURES_MAX) errors.set(`${source} ${kindOfError(line)}`, line);
    },
    intercept: async (call, service, caller) => {
      const journaling: AwsService = async (one) => {
        const reply = await service(one);
        if (reply.status < 300 && !READS.includes(one.operation) && behindApi.has(caller ?? ''))
          journal.push(`${one.operation} ${one.body}`);
        return reply;
      };
      return intercept?.(call, journaling, caller) ?? journaling(call);
    },
  });
  const routes = cloud.stack.resources('AWS::ApiGatewayV2::Integration');
  for (const { logicalId } of cloud.stack.resources('AWS::Lambda::Function')) {
    const fn = cloud.function(logicalId);
    if (routes.some(({ properties }) => properties.IntegrationUri === fn.arn)) behindApi.add(fn.name);
  }
  const client = new Client(cloud.url);
  return {
    async fuzz(options) {
      errors.clear();
      const document: OpenApiDocument & FuzzedDocument = JSON.parse(
        (await client.send({ method: 'GET', path: '/openapi.json', headers: {} })).text,
      );
      const paths = withoutTests(document.paths);
      const result = await send({ ...document, paths }, client, journal, options);
      return { ...result, errors: [...errors.values()] };
    },
    async stop() {
      client.close();
      await cloud.stop();
    },
  };
}

/** A test of webhooks calls the addresses in queue definitions as well. */
function withoutTests<Paths extends FuzzedDocument['paths']>(paths: Paths): Paths {
  const { '/queues/{queue}/webhooks/test': _, ...rest } = paths;
  return rest as Paths;
}

async function send(
  document: OpenApiDocument & FuzzedDocument,
  client: Client,
  journal: string[],
  { requests, seed, replay, progress, onFailure }: FuzzOptions,
): Promise<Omit<FuzzResult, 'errors'>> {
  const maker = requestMaker(document);
  const faultsOf = answerFaults(document);
  const random = seededRandom(seed);
  const answers = new Map<string, number>();
  const failures: FuzzFailure[] = [];
  const waiting = new Set<Promise<void>>();

  const fail = (failure: FuzzFailure) => {
    failures.push(failure);
    onFailure?.(failure);
  };
  // After a timeout a call of the function may still be in flight. It does not belong to the next request.
  let ended = false;
  const check = (number: number, request: FuzzRequest, reply: Reply, changes: readonly string[]) => {
    const body = parsed(reply);
    const operation = operationOf(document, request);
    const what = `${operation} ${reply.status}`;
    answers.set(what, (answers.get(what) ?? 0) + 1);
    maker.learn(request, reply.status, body.value);
    const answer = { status: reply.status, headers: headersOf(reply.headers), body: body.value };
    const refused = !ended && (reply.status >= 400 || SAFE.includes(request.method));
    ended = reply.status >= 500;
    const faults = [
      ...(reply.status >= 500 ? [`the status is ${reply.status}`] : []),
      ...body.faults,
      ...faultsOf(request.method, request.path, answer),
      ...(refused ? changes.map((change) => `it changed something: ${change.slice(0, 500)}`) : []),
    ];
    if (faults.length > 0)
      fail({ number, request, status: reply.status, body: reply.text.slice(0, 2_000), faults });
  };

  for (let number = 0; number < (replay?.length ?? requests); number++) {
    const request = replay?.[number] ?? maker.make(random.fork(`request ${number}`));
    journal.length = 0;
    let alone = true;
    const sending = client.send(request).then(
      // With other requests in flight, a change cannot be attributed to this one.
      (reply) => check(number, request, reply, alone ? [...journal] : []),
      (error) => fail({ number, request, status: 0, body: '', faults: [`no response: ${error}`] }),
    );
    const done = sending.finally(() => waiting.delete(done));
    waiting.add(done);
    const mayWait = request.method === 'GET' && request.path.includes('?');
    await (mayWait ? Promise.race([done, elapsed(AWAITED_MS)]) : done);
    alone = false;
    progress?.(number + 1);
    if (failures.length >= FAILURES_MAX) break;
  }
  await Promise.all(waiting);
  return { answers, failures: failures.toSorted((a, b) => a.number - b.number) };
}

function isError(line: string): boolean {
  return /"level":"ERROR"| failed: /.test(line);
}

/** The kind of an error: its text without names and numbers. */
function kindOfError(line: string): string {
  const message = /"message":"(?:[^"\\]|\\.)*"/g;
  return (line.match(message)?.join() ?? line).replace(/[\d-]+/g, '0').slice(0, 300);
}

/** The template without the event sources of functions that call the addresses in requests. */
function withoutCallsOut(template: Template): Template {
  const resources = Object.entries(template.Resources ?? {});
  const callers = resources
    .filter(([, { Type, Properties }]) => Type === 'AWS::Lambda::Function' && isCallingOut(Properties))
    .map(([logicalId]) => logicalId);
  const kept = resources.filter(
    ([, { Type, Properties }]) =>
      Type !== 'AWS::Lambda::EventSourceMapping' ||
      !callers.some((id) => JSON.stringify(Properties?.FunctionName).includes(`"${id}"`)),
  );
  return { ...template, Resources: Object.fromEntries(kept) };
}

function isCallingOut(properties: unknown): boolean {
  const { Environment } = properties as { Environment?: { Variables?: Record<string, unknown> } };
  return CALLING_OUT.includes(String(Environment?.Variables?.POWERTOOLS_SERVICE_NAME));
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends requests unchanged, without normalisation. */
class Client {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #url: URL;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  async send(request: FuzzRequest): Promise<Reply> {
    const { method, path, headers, body } = request;
    const outgoing = httpRequest({
      agent: this.#agent,
      host: this.#url.hostname,
      port: this.#url.port,
      method,
      path,
      headers: { ...headers, ...(body !== undefined && { 'content-length': body.length }) },
    });
    // The server may answer before it has read the body, and close the connection: the answer counts.
    outgoing.on('error', () => {});
    outgoing.end(body);
    const [incoming] = await once(outgoing, 'response').catch((error) => {
      // The server has closed an idle connection.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') return [undefined];
      throw error;
    });
    if (incoming === undefined) return this.send(request);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    return {
      status: incoming.statusCode,
      headers: incoming.headers,
      text: Buffer.concat(chunks).toString('utf8'),
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parsed({ text }: Reply): { readonly value: unknown; readonly faults: readonly string[] } {
  if (text === '') return { value: undefined, faults: [] };
  try {
    return { value: JSON.parse(text), faults: [] };
  } catch {
    return { value: {}, faults: ['its body is not JSON'] };
  }
}

function headersOf(headers: IncomingHttpHeaders) {
  return { get: (name: string) => headers[name]?.toString() ?? null };
}

/** The operation of a request, or its method and `other`. */
function operationOf({ paths }: FuzzedDocument, { method, path }: FuzzRequest): string {
  const given = path.split('?')[0]!.split('/');
  const template = Object.keys(paths).find((one) => {
    const wanted = one.split('/');
    return (
      wanted.length === given.length && wanted.every((part, i) => part.startsWith('{') || part === given[i])
    );
  });
  return `${method} ${template ?? 'other'}`;
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
