import { LOG_BYTES, PRICES } from '../../lib/costs/usage-costs.ts';
import { AWS_DELAYS } from '../../lib/local/aws-delays.ts';
import type { AwsCall, AwsReply } from '../../lib/local/aws-json.ts';
import { DYNAMODB_TARGET } from '../../lib/local/dynamodb-emulator.ts';
import type { InvocationReport } from '../../lib/local/lambda.ts';
import { stepOf } from '../../lib/local/request-step.ts';
import { DESTINATIONS } from '../../lib/service/events/publish.ts';

const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems'];
/** Functions that requests to the API invoke. */
const API = ['enqueue', 'tickets', 'ticket-changes', 'matches', 'queues', 'dry-run', 'meta'];
/** Functions that an SQS queue invokes. */
const CONSUMERS = ['tick', 'notify', 'provision', 'deadline', 'rate'];
/** Lambda's poller receives a batch by one request and deletes it by another. */
const REQUESTS_PER_BATCH = 2;
const MILLION = 1_000_000;
/** The memory that gives a function a whole core. */
const CORE_MB = 1_769;
/** Functions of which one call at a time runs in the benchmark, so that their requests in parallel can be told apart. */
const ONE_AT_A_TIME = ['tick'];
/** How long a webhook receiver takes to respond: an assumption. */
const RECEIVER_MS = 50;

interface Capacity {
  CapacityUnits?: number;
}

/** Counts what AWS would bill: calls by operation, capacity units as the emulator reports them, invocations. */
export class Usage {
  readonly calls = new Map<string, number>();
  readonly invocations = new Map<string, { count: number; cpuMs: number; memoryMb: number }>();
  /** The time that functions wait for AWS, by the function's name; requests in parallel count one after the other. */
  readonly #waitMs = new Map<string, number>();
  /** The same where requests in parallel count once: by the longest chain of requests in each call of the function. */
  readonly #chainMs = new Map<string, number>();
  /** When the chain of the current call of a function has ended so far, counted from its start. */
  readonly #chain = new Map<string, number>();
  readonly #serviceOf = new Map<string, string>();
  writeUnits = 0;
  readUnits = 0;
  events = 0;
  /** Events that the bus sends to the queue of `notify`, and to that of `rate`. */
  deliveries = 0;
  ratings = 0;
  logBytes = 0;

  reset(): void {
    this.calls.clear();
    this.invocations.clear();
    this.#waitMs.clear();
    this.#chainMs.clear();
    this.#chain.clear();
    this.writeUnits = 0;
    this.readUnits = 0;
    this.events = 0;
    this.deliveries = 0;
    this.ratings = 0;
    this.logBytes = 0;
  }

  /** The same call with a request to return the consumed capacity. */
  #asking(call: AwsCall): AwsCall {
    if (call.target !== DYNAMODB_TARGET) return call;
    const input = { ...call.input, ReturnConsumedCapacity: 'INDEXES' };
    return { ...call, input, body: JSON.stringify(input) };
  }

  /**
   * Counts a request and its reply.
   * @param caller the name of the function that sends it
   */
  async request(
    call: AwsCall,
    caller: string | undefined,
    send: (call: AwsCall) => Promise<AwsReply>,
  ): Promise<AwsReply> {
    // The request may depend on every one that has ended before it began.
    const beginMs = this.#chain.get(caller ?? '') ?? 0;
    const reply = await send(this.#asking(call));
    const step = stepOf(call.target, call.operation);
    if (caller !== undefined && step !== undefined) {
      const { p50Ms } = AWS_DELAYS[step];
      this.#waitMs.set(caller, (this.#waitMs.get(caller) ?? 0) + p50Ms);
      this.#chain.set(caller, Math.max(this.#chain.get(caller) ?? 0, beginMs + p50Ms));
    }
    return this.#count(call, reply);
  }

  #count(call: AwsCall, reply: AwsReply): AwsReply {
    this.calls.set(call.operation, (this.calls.get(call.operation) ?? 0) + 1);
    if (call.operation === 'PutEvents') {
      const entries: { Resources?: string[] }[] = call.input.Entries;
      this.events += entries.length;
      const to = (destination: string) =>
        entries.filter(({ Resources = [] }) => Resources.some((one) => one.startsWith(destination))).length;
      this.deliveries += to(DESTINATIONS.webhooks);
      this.ratings += to(DESTINATIONS.rate);
    }
    if (call.target === DYNAMODB_TARGET && reply.status < 300) {
      const units = unitsOf(JSON.parse(reply.body).ConsumedCapacity);
      if (WRITES.includes(call.operation)) this.writeUnits += units;
      else this.readUnits += units;
    }
    return reply;
  }

  countLog(line: string): void {
    this.logBytes += Buffer.byteLength(line);
  }

  countInvocation({ name, service, cpuMs, memoryMb }: InvocationReport): void {
    const seen = this.invocations.get(service) ?? { count: 0, cpuMs: 0 };
    this.invocations.set(service, { count: seen.count + 1, cpuMs: seen.cpuMs + cpuMs, memoryMb });
    this.#serviceOf.set(name, service);
    this.#chainMs.set(name, (this.#chainMs.get(name) ?? 0) + (this.#chain.get(name) ?? 0));
    this.#chain.delete(name);
  }

  /**
   * The billed time of a function's calls: their CPU time, at the share of a core that its memory gives, and the time that
   * they wait for AWS and for receivers. It does not depend on other work on this machine, nor on its distance to AWS.
   */
  gbSeconds(service: string): number {
    const { cpuMs = 0, memoryMb = 0 } = this.invocations.get(service) ?? {};
    const callers = [...this.#serviceOf].filter(([, of]) => of === service);
    const waits = ONE_AT_A_TIME.includes(service) ? this.#chainMs : this.#waitMs;
    const waitMs = callers.reduce((sum, [name]) => sum + (waits.get(name) ?? 0), 0);
    const receiversMs = service === 'notify' ? this.deliveries * RECEIVER_MS : 0;
    const share = Math.min(1, memoryMb / CORE_MB);
    return ((cpuMs / share + waitMs + receiversMs) / 1_000) * (memoryMb / 1_024) || 0;
  }

  /** The cost in US dollars by service, at list prices. */
  dollars(): Record<'api' | 'lambda' | 'dynamodb' | 'sqs' | 'eventbridge' | 'logs', number> {
    const all = [...this.invocations.entries()];
    const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
    const requests = sum(all.filter(([name]) => API.includes(name)).map(([, { count }]) => count));
    const sent = (this.calls.get('SendMessageBatch') ?? 0) + (this.calls.get('SendMessage') ?? 0);
    const polled =
      REQUESTS_PER_BATCH *
      sum(all.filter(([name]) => CONSUMERS.includes(name)).map(([, { count }]) => count));
    const invocations = sum(all.map(([, { count }]) => count));
    return {
      api: (requests / MILLION) * PRICES.apiRequests,
      lambda:
        (invocations / MILLION) * PRICES.lambdaRequests +
        sum(all.map(([name]) => this.gbSeconds(name))) * PRICES.lambdaGbSecond,
      dynamodb:
        (this.writeUnits / MILLION) * PRICES.dynamoWriteUnits +
        (this.readUnits / MILLION) * PRICES.dynamoReadUnits,
      sqs: ((sent + polled + this.deliveries + this.ratings) / MILLION) * PRICES.sqsRequests,
      eventbridge: (this.events / MILLION) * PRICES.eventBridgeEvents,
      logs: ((this.logBytes + requests * LOG_BYTES.request) / 1e9) * PRICES.logsGb,
    };
  }
}

function unitsOf(consumed: Capacity | Capacity[] | undefined): number {
  const all = consumed === undefined ? [] : Array.isArray(consumed) ? consumed : [consumed];
  return all.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}
