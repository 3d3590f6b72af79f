import { backfillStore } from '../../../lib/aws/backfill-store.ts';
import { cooldownStore } from '../../../lib/aws/cooldown-store.ts';
import { experimentStore } from '../../../lib/aws/experiment-store.ts';
import { ladderStore } from '../../../lib/aws/ladder-store.ts';
import { matchStore, singleMatchStore } from '../../../lib/aws/match-store.ts';
import { meetingStore } from '../../../lib/aws/meeting-store.ts';
import { outcomeStore } from '../../../lib/aws/outcome-store.ts';
import { presenceStore } from '../../../lib/aws/presence-store.ts';
import { queueStore } from '../../../lib/aws/queue-store.ts';
import { rangeStore } from '../../../lib/aws/range-store.ts';
import { ratingStore } from '../../../lib/aws/rating-store.ts';
import { receiverStore } from '../../../lib/aws/receiver-store.ts';
import { ticketStore } from '../../../lib/aws/ticket-store.ts';
import { BUCKET_LIMITS } from '../../../lib/service/domain/bucket-limits.ts';
import type { TickMessage } from '../../../lib/service/domain/tick-message.ts';
import type { ReceiverStore } from '../../../lib/service/ports/receiver-store.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { cachedQueues } from '../../../lib/service/queues/read-queues.ts';
import { dispatch } from '../../../lib/service/ticks/dispatch.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import type { TickOutcome } from '../../../lib/service/ticks/tick-outcome.ts';
import type { RandomSource } from '../../../lib/simulation/random.ts';
import { tableResources, type Wire } from '../../aws/emulated-tables.ts';
import { MemoryDynamoDB } from '../../memory-dynamodb/memory-dynamodb.ts';
import { memoryClient, tableSchema } from '../../memory-dynamodb/memory-tables.ts';
import { AccountExecutions } from './account-executions.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import { KeyMeter } from './key-meter.ts';
import { RegionTime } from './region-time.ts';
import { touchedKeys } from './touched-keys.ts';

/** The result of a tick message. */
export interface TickRecord {
  readonly message: TickMessage;
  readonly result: TickOutcome | 'failed';
  /** Milliseconds from its start to its end. */
  readonly durationMs: number;
  /** Milliseconds from its slot to its end. */
  readonly afterSlotMs: number;
}

/**
 * A region of AWS in virtual time. It runs the production use cases and stores on a DynamoDB that throttles keys above
 * their limits, with an SQS queue for ticks and functions that start as in Lambda. See `assumptions.ts`.
 */
export class Region {
  readonly time: RegionTime;
  readonly dynamodb: MemoryDynamoDB;
  readonly meter: KeyMeter;
  readonly ticks: TickRecord[] = [];
  /** Called after each write. */
  onWrite: (operation: string, input: WriteInput) => void = () => {};
  /** Called often, for what is not part of the region itself. */
  onStep: () => void = () => {};
  readonly executions = new AccountExecutions();
  /** The number of throttled requests to DynamoDB. */
  throttled = 0;
  /** The maximum of concurrent ticks. */
  executionsMax = 0;
  readonly tables;
  readonly #random: RandomSource;
  readonly #messages: { what: TickMessage; dueMs: number }[] = [];
  readonly #idle: Instance[] = [];
  #executions = 0;
  #allowed: number = ASSUMPTIONS.executions.first;
  #lastMinute: number;
  readonly #dispatcher: Instance;

  constructor(startMs: number, cpuFactor: number, random: RandomSource) {
    this.time = new RegionTime(startMs, cpuFactor);
    this.#random = random;
    const resources = tableResources();
    // No function reads the streams here.
    this.dynamodb = new MemoryDynamoDB(resources.map((one) => ({ ...tableSchema(one), hasStream: false })));
    const nameOf = (part: string) => resources.find(({ name }) => name.includes(part))!.name;
    this.tables = {
      tickets: nameOf('Tickets'),
      entries: nameOf('Entries'),
      matches: nameOf('Matches'),
      queues: nameOf('Queues'),
      ranges: nameOf('Ranges'),
      receivers: nameOf('Receivers'),
      ratings: nameOf('Ratings'),
    };
    const names = new Map(Object.entries(this.tables).map(([word, name]) => [name, word]));
    this.meter = new KeyMeter((table) => names.get(table)!);
    this.#lastMinute = Math.floor(startMs / 60_000);
    this.#dispatcher = this.instance();
  }

  /** A new function with its own clients and caches. */
  instance(): Instance {
    return new Instance(this);
  }

  /** Advances the time. Ticks and the schedule run when they are due. */
  async runUntil(untilMs: number): Promise<void> {
    const { time } = this;
    while (time.nowMs < untilMs) {
      const nextMs = Math.min(untilMs, time.nowMs + STEP_MS);
      await time.runUntil(nextMs);
      const minute = Math.floor(time.nowMs / 60_000);
      if (minute > this.#lastMinute) {
        this.#lastMinute = minute;
        void this.#dispatch();
      }
      this.#deliver();
      this.onStep();
    }
  }

  send(messages: readonly TickMessage[], nowMs: number): void {
    for (const what of messages) {
      // SQS counts delays in whole seconds.
      const delayMs = Math.max(0, Math.floor((what.slotMs - nowMs) / 1_000)) * 1_000;
      this.#messages.push({ what, dueMs: nowMs + delayMs + ASSUMPTIONS.deliveryMs });
    }
  }

  /** A request of a function to DynamoDB, with throttling and the retries of the SDK. */
  wire(instance: Instance): Wire {
    return async (call, send) => {
      for (let tries = 1; ; tries++) {
        await instance.request(call.operation, 0);
        const touched = touchedKeys(this.dynamodb, call.operation, call.input);
        if (!this.meter.isOver(touched, this.time.nowMs)) break;
        this.throttled++;
        if (tries === ASSUMPTIONS.tries) throw new StoreBusy('DynamoDB throttles a key');
        await this.time.sleep(this.#random.uniform() * ASSUMPTIONS.retryMs * 2 ** tries);
      }
      // The work of the tables is not the function's CPU time.
      this.time.spentMs();
      try {
        const reply = await send();
        this.onWrite(call.operation, call.input);
        return reply;
      } finally {
        const { consumed } = this.dynamodb;
        this.meter.count(consumed, this.time.nowMs);
        this.time.spentMs();
        const readBytes =
          READ_UNIT_BYTES *
          consumed.reduce((sum, { kind, units }) => sum + (kind === 'read' ? 2 * units : 0), 0);
        if (call.operation === 'Query' && readBytes > READ_UNIT_BYTES) await instance.response(readBytes);
      }
    };
  }

  #deliver(): void {
    const { nowMs } = this.time;
    const due = this.#messages.filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs);
    const free = Math.min(Math.floor(this.#allowed) - this.#executions, this.executions.left);
    const started = new Set(due.slice(0, Math.max(0, free)));
    const waiting = due.length - started.size;
    const { executions } = ASSUMPTIONS;
    if (waiting > 0)
      this.#allowed = Math.min(executions.max, this.#allowed + (executions.perSecond * STEP_MS) / 1_000);
    if (started.size === 0) return;
    const left = this.#messages.filter((message) => !started.has(message));
    this.#messages.splice(0, this.#messages.length, ...left);
    for (const { what } of started) void this.#tick(what);
  }

  async #tick(message: TickMessage): Promise<void> {
    this.#executions++;
    this.executions.begin();
    this.executionsMax = Math.max(this.executionsMax, this.#executions);
    const startMs = this.time.nowMs;
    const warm = this.#idle.pop();
    const instance = warm ?? this.instance();
    if (warm === undefined) await this.time.sleep(ASSUMPTIONS.coldStartMs);
    let result: TickRecord['result'];
    try {
      result = await tick(instance.deps, message);
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error;
      result = 'failed';
    }
    await instance.clock.sleep(0);
    const { nowMs } = this.time;
    this.ticks.push({ message, result, durationMs: nowMs - startMs, afterSlotMs: nowMs - message.slotMs });
    this.#idle.push(instance);
    this.#executions--;
    this.executions.end();
  }

  async #dispatch(): Promise<void> {
    const { deps, clock } = this.#dispatcher;
    await dispatch(
      {
        ...deps,
        overdue: { findOverdue: async () => [] },
        timer: { again: async () => {} },
        outcomes: { add: async () => true },
      },
      clock.now(),
    );
  }
}

/** The part of a write that identifies its tickets. */
export interface WriteInput {
  readonly TableName?: string;
  readonly Key?: Readonly<Record<string, string>>;
  readonly Item?: Readonly<Record<string, string>>;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

/** The interval between polls for messages. */
const STEP_MS = 10;
const READ_UNIT_BYTES = 4_096;
const MEGABYTE = 1_048_576;
/** The approximate bytes of an item of the pool's index. */
const ITEM_BYTES = 170;
let ids = 0;

/** A running function, whose CPU does one task at a time. */
export class Instance {
  readonly deps;
  readonly clock;
  readonly receivers: ReceiverStore;
  readonly #region: Region;
  #busyUntilMs = 0;

  constructor(region: Region) {
    this.#region = region;
    const { time, tables } = region;
    const client = memoryClient(region.dynamodb, region.wire(this));
    this.clock = {
      now: () => {
        this.#compute(time.spentMs());
        return Math.round(Math.max(time.nowMs, this.#busyUntilMs));
      },
      sleep: async (ms: number) => {
        this.#compute(time.spentMs());
        await time.sleep(Math.max(0, this.#busyUntilMs - time.nowMs) + ms);
      },
    };
    this.receivers = receiverStore(client, tables.receivers);
    this.deps = {
      clock: this.clock,
      newId: () => `00000000-0000-4000-8000-${String(ids++).padStart(12, '0')}`,
      tickets: ticketStore(client, tables),
      matches: { ...singleMatchStore(client, tables.matches), ...matchStore(client, tables) },
      backfills: backfillStore(client, tables),
      queues: cachedQueues(queueStore(client, tables.queues), this.clock),
      ranges: rangeStore(client, tables.ranges),
      experiments: experimentStore(client, tables.ranges),
      outcomes: outcomeStore(client, tables.ranges),
      meetings: meetingStore(client, tables.ranges),
      cooldowns: cooldownStore(client, tables.ranges),
      presence: presenceStore(client, tables.ranges),
      ladders: ladderStore(client, tables.queues),
      ratings: ratingStore(client, tables),
      limits: BUCKET_LIMITS,
      ticks: {
        send: async (messages: readonly TickMessage[], nowMs: number) => {
          await this.request('SendMessageBatch', 0);
          region.send(messages, nowMs);
        },
      },
    };
  }

  /** Uses the CPU for a request, then waits for the response. */
  async request(operation: string, moreMs: number): Promise<void> {
    const { time } = this.#region;
    this.#compute(time.spentMs() + ASSUMPTIONS.cpuFactor * ASSUMPTIONS.cpuPerRequestMs);
    const latencyMs = ASSUMPTIONS.latencyMs[operation as keyof typeof ASSUMPTIONS.latencyMs] + moreMs;
    await time.sleep(this.#busyUntilMs - time.nowMs + latencyMs);
  }

  /** Receives and parses a large response. */
  async response(bytes: number): Promise<void> {
    const { time } = this.#region;
    await time.sleep((bytes / MEGABYTE) * ASSUMPTIONS.latencyPerMegabyteMs);
    this.#compute(ASSUMPTIONS.cpuFactor * ASSUMPTIONS.cpuPerItemMs * (bytes / ITEM_BYTES));
  }

  #compute(ms: number): void {
    this.#busyUntilMs = Math.max(this.#busyUntilMs, this.#region.time.nowMs) + ms;
  }
}
