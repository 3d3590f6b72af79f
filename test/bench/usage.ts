import type { AwsCall, AwsReply } from '../../lib/local/aws-json.ts';
import { DYNAMODB_TARGET } from '../../lib/local/dynamodb-emulator.ts';
import type { InvocationReport } from '../../lib/local/lambda.ts';
import { DESTINATIONS } from '../../lib/service/events/publish.ts';
import { LOG_BYTES, PRICES } from '../../lib/simulation/cost.ts';

const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems'];
/** Functions that requests to the API invoke. */
const API = ['enqueue', 'tickets', 'ticket-changes', 'matches', 'queues', 'dry-run', 'meta'];
/** Functions that an SQS queue invokes. */
const CONSUMERS = ['tick', 'notify', 'provision', 'deadline'];
/** Lambda's poller receives a batch by one request and deletes it by another. */
const REQUESTS_PER_BATCH = 2;
const MILLION = 1_000_000;

interface Capacity {
  CapacityUnits?: number;
}

/** Counts what AWS would bill: calls by operation, capacity units as the emulator reports them, invocations. */
export class Usage {
  readonly calls = new Map<string, number>();
  readonly invocations = new Map<string, { count: number; gbSeconds: number }>();
  writeUnits = 0;
  readUnits = 0;
  events = 0;
  deliveries = 0;
  logBytes = 0;

  reset(): void {
    this.calls.clear();
    this.invocations.clear();
    this.writeUnits = 0;
    this.readUnits = 0;
    this.events = 0;
    this.deliveries = 0;
    this.logBytes = 0;
  }

  /** The same call with a request to return the consumed capacity. */
  asking(call: AwsCall): AwsCall {
    if (call.target !== DYNAMODB_TARGET) return call;
    const input = { ...call.input, ReturnConsumedCapacity: 'INDEXES' };
    return { ...call, input, body: JSON.stringify(input) };
  }

  count(call: AwsCall, reply: AwsReply): AwsReply {
    this.calls.set(call.operation, (this.calls.get(call.operation) ?? 0) + 1);
    if (call.operation === 'PutEvents') {
      const entries: { Resources?: string[] }[] = call.input.Entries;
      this.events += entries.length;
      this.deliveries += entries.filter(({ Resources = [] }) =>
        Resources.some((resource) => resource.startsWith(DESTINATIONS.webhooks)),
      ).length;
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

  countInvocation({ service, durationMs, memoryMb }: InvocationReport): void {
    const seen = this.invocations.get(service) ?? { count: 0, gbSeconds: 0 };
    this.invocations.set(service, {
      count: seen.count + 1,
      gbSeconds: seen.gbSeconds + (durationMs / 1_000) * (memoryMb / 1_024),
    });
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
        sum(all.map(([, { gbSeconds }]) => gbSeconds)) * PRICES.lambdaGbSecond,
      dynamodb:
        (this.writeUnits / MILLION) * PRICES.dynamoWriteUnits +
        (this.readUnits / MILLION) * PRICES.dynamoReadUnits,
      sqs: ((sent + polled + this.deliveries) / MILLION) * PRICES.sqsRequests,
      eventbridge: (this.events / MILLION) * PRICES.eventBridgeEvents,
      logs:
        ((this.logBytes + invocations * LOG_BYTES.invocation + requests * LOG_BYTES.request) / 1e9) *
        PRICES.logsGb,
    };
  }
}

function unitsOf(consumed: Capacity | Capacity[] | undefined): number {
  const all = consumed === undefined ? [] : Array.isArray(consumed) ? consumed : [consumed];
  return all.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}
