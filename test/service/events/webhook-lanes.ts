import type { MusterEvent } from '../../../lib/contract/events.ts';
import type { Delivery } from '../../../lib/service/domain/delivery.ts';
import { DeliveryLog } from '../../../lib/service/events/delivery-log.ts';
import { type DeliveryOutcome, deliver, type NotifyDeps } from '../../../lib/service/events/notify.ts';
import { cachedReceivers } from '../../../lib/service/events/receivers.ts';
import type { DeliveryStore } from '../../../lib/service/ports/delivery-store.ts';
import type { OutboundResult } from '../../../lib/service/ports/outbound.ts';
import type { ReceiverStore } from '../../../lib/service/ports/receiver-store.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import { definition } from '../definitions.ts';
import { memoryDeliveries } from './memory-deliveries.ts';
import { memoryReceivers } from './memory-receivers.ts';

/** How a receiver behaves at a time of the clock. */
export type Behaviour = 'answers' | 'answers late' | 'hangs' | { readonly status: number };

/** The latency of calls, in milliseconds. */
const LATENCY = { read: 5, send: 10, answer: 50, lateAnswer: 4_000 } as const;
/** The maximum of messages of an invocation. */
const BATCH = 10;
/** The number of instances of the function, each with its own cache. */
const INSTANCES = 20;

interface Message {
  readonly delivery: Delivery;
  readonly dueMs: number;
}

interface Lane {
  readonly concurrency: number;
  readonly messages: Message[];
  running: number;
  runningMax: number;
}

export interface LaneOptions {
  /** The behaviour of a receiver, by its number. */
  readonly receiver: (receiver: number, nowMs: number) => Behaviour;
  /** The maximum of executions for new deliveries, and for the slow lane. */
  readonly concurrency: { readonly first: number; readonly slow: number };
  /** The executions of the account. @default unlimited */
  readonly executions?: { begin(): boolean; end(): void };
  /** @default in memory */
  readonly receivers?: ReceiverStore;
  /** @default in memory */
  readonly deliveries?: DeliveryStore;
}

/** A virtual clock. */
export interface LaneTime {
  readonly nowMs: number;
  sleep(ms: number): Promise<void>;
}

/**
 * `notify` on its two queues in virtual time, invoked as Lambda does, with up to ten messages at a time and a maximum of
 * concurrent invocations for each queue.
 */
export class WebhookLanes {
  readonly first: Lane;
  readonly slow: Lane;
  readonly deadLetters: Delivery[] = [];
  /** When each event was sent, and the time of the first response to its webhook. */
  readonly sentMs = new Map<string, number>();
  readonly deliveredMs = new Map<string, number>();
  /** Posts by receiver. */
  readonly posts = new Map<number, number>();
  readonly outcomes: DeliveryOutcome[] = [];
  readonly #time: LaneTime;
  readonly #options: LaneOptions;
  readonly #instances: NotifyDeps[];
  #invocations = 0;

  constructor(time: LaneTime, options: LaneOptions) {
    this.#time = time;
    this.#options = options;
    const lane = (concurrency: number): Lane => ({ concurrency, messages: [], running: 0, runningMax: 0 });
    this.first = lane(options.concurrency.first);
    this.slow = lane(options.concurrency.slow);
    const receivers = options.receivers ?? memoryReceivers(() => time.sleep(LATENCY.read));
    const deliveries = options.deliveries ?? memoryDeliveries();
    const random = seededRandom(1);
    this.#instances = Array.from({ length: INSTANCES }, () => ({
      queues: { get: (queue: string) => this.#queue(queue) } as never,
      receivers: cachedReceivers(receivers, () => this.#time.nowMs),
      erased: { findErased: async () => new Set(), lastAtMs: async () => 0 },
      deliveries: new DeliveryLog(deliveries, () => this.#time.nowMs),
      secrets: { get: async () => ({ outcome: 'found', value: 'whsec_c2VjcmV0' }) as const },
      outbound: { post: (url, body, _headers, timeoutMs) => this.#post(url, body, timeoutMs) },
      sender: {
        split: async () => {
          throw new Error('Expected one webhook for each queue');
        },
        slowLane: (delivery: Delivery, afterMs: number) => this.#sendTo(this.slow, delivery, afterMs),
        deadLetter: async (delivery: Delivery) => {
          this.deadLetters.push(delivery);
        },
      },
      now: () => this.#time.nowMs,
      random: () => random.uniform(),
    }));
  }

  /** An event for the receiver of this number. */
  send(receiver: number): void {
    const eventId = `e${this.sentMs.size}`;
    const event = {
      eventId,
      type: 'MatchFound',
      queue: `q${receiver}`,
      time: new Date(0).toISOString(),
      match: { teams: [] },
    };
    this.sentMs.set(eventId, this.#time.nowMs);
    this.first.messages.push({ delivery: { event: event as never as MusterEvent }, dueMs: this.#time.nowMs });
  }

  /** Sends the dead letters to the queue of new deliveries, as an operator does. */
  redrive(): void {
    for (const delivery of this.deadLetters.splice(0))
      this.first.messages.push({ delivery, dueMs: this.#time.nowMs });
  }

  /** The times from an event to the response to its webhook, in milliseconds, ascending. */
  delaysMs(isOf: (receiver: number) => boolean): number[] {
    const delays: number[] = [];
    for (const [key, atMs] of this.deliveredMs) {
      const [eventId, receiver] = key.split(' ');
      if (isOf(Number(receiver))) delays.push(atMs - this.sentMs.get(eventId!)!);
    }
    return delays.sort((a, b) => a - b);
  }

  /** Starts the invocations for the messages that are due. */
  poll(): void {
    for (const lane of [this.first, this.slow]) {
      const due = lane.messages.filter(({ dueMs }) => dueMs <= this.#time.nowMs);
      const batches = this.#begin(Math.min(lane.concurrency - lane.running, Math.ceil(due.length / BATCH)));
      const taken = new Set(due.slice(0, batches * BATCH));
      if (taken.size === 0) continue;
      lane.messages.splice(0, lane.messages.length, ...lane.messages.filter((one) => !taken.has(one)));
      const all = [...taken];
      for (let i = 0; i < batches; i++) void this.#invoke(lane, all.slice(i * BATCH, (i + 1) * BATCH));
    }
  }

  async #sendTo(lane: Lane, delivery: Delivery, afterMs: number): Promise<void> {
    await this.#time.sleep(LATENCY.send);
    const dueMs = this.#time.nowMs + Math.ceil(afterMs / 1_000) * 1_000;
    lane.messages.push({ delivery, dueMs });
  }

  /** Starts at most this many executions. Returns how many the account allows. */
  #begin(wanted: number): number {
    const { executions } = this.#options;
    if (executions === undefined) return wanted;
    let begun = 0;
    while (begun < wanted && executions.begin()) begun++;
    return begun;
  }

  async #invoke(lane: Lane, messages: readonly Message[]): Promise<void> {
    lane.running += 1;
    lane.runningMax = Math.max(lane.runningMax, lane.running);
    const instance = this.#instances[this.#invocations++ % INSTANCES]!;
    const outcomes = await Promise.all(messages.map(({ delivery }) => deliver(instance, delivery)));
    this.outcomes.push(...outcomes);
    lane.running -= 1;
    this.#options.executions?.end();
  }

  async #queue(queue: string) {
    await this.#time.sleep(LATENCY.read);
    const url = `https://${queue}.example/`;
    return { definition: definition({ name: queue, webhooks: [{ url, secret: 'shared/s' }] }) };
  }

  async #post(url: string, body: string, timeoutMs: number): Promise<OutboundResult> {
    const receiver = Number(/q(\d+)/.exec(url)![1]);
    this.posts.set(receiver, (this.posts.get(receiver) ?? 0) + 1);
    const behaviour = this.#options.receiver(receiver, this.#time.nowMs);
    const answerMs = behaviour === 'answers late' ? LATENCY.lateAnswer : LATENCY.answer;
    if (behaviour === 'hangs' || answerMs > timeoutMs) {
      await this.#time.sleep(timeoutMs);
      return { outcome: 'unreachable', error: 'no response', timedOut: true };
    }
    await this.#time.sleep(answerMs);
    if (typeof behaviour === 'object') return { outcome: 'responded', status: behaviour.status, body: '' };
    const key = `${JSON.parse(body).data.eventId} ${receiver}`;
    if (!this.deliveredMs.has(key)) this.deliveredMs.set(key, this.#time.nowMs);
    return { outcome: 'responded', status: 204, body: '' };
  }
}
