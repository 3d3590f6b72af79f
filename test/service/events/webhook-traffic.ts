import type { MusterEvent } from '../../../lib/contract/events.ts';
import type { Delivery } from '../../../lib/service/events/delivery.ts';
import { type DeliveryOutcome, deliver, type NotifyDeps } from '../../../lib/service/events/notify.ts';
import { recentReceivers } from '../../../lib/service/events/recent-receivers.ts';
import type { OutboundResult } from '../../../lib/service/ports/outbound.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import { definition } from '../definitions.ts';
import { VirtualTime } from '../virtual-time.ts';
import { memoryReceivers } from './memory-receivers.ts';

/** How a receiver behaves at a time of the clock. */
export type Behaviour = 'answers' | 'answers late' | 'hangs' | { readonly status: number };

/** The latency of calls, in milliseconds. */
const LATENCY = { read: 5, send: 10, answer: 50, lateAnswer: 4_000, noAnswer: 5_000 } as const;
/** How often Lambda polls for messages, and the maximum of messages of an invocation. */
const POLL_MS = 10;
/** The same while there are no new events. */
const REST_POLL_MS = 100;
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

export interface TrafficOptions {
  /** The behaviour of a receiver, by its number. */
  readonly receiver: (receiver: number, nowMs: number) => Behaviour;
  /** The maximum of executions for new deliveries, and for the slow lane. */
  readonly concurrency: { readonly first: number; readonly slow: number };
}

/**
 * Webhook traffic in virtual time: `notify` on its two queues, invoked as Lambda does, with up to ten messages at a time
 * and a maximum of concurrent invocations for each queue.
 */
export class WebhookTraffic {
  readonly time = new VirtualTime(0);
  readonly first: Lane;
  readonly slow: Lane;
  readonly deadLetters: Delivery[] = [];
  /** When each event was sent, and the time of the first response to its webhook. */
  readonly sentMs = new Map<string, number>();
  readonly deliveredMs = new Map<string, number>();
  /** Posts by receiver. */
  readonly posts = new Map<number, number>();
  readonly outcomes: DeliveryOutcome[] = [];
  readonly #options: TrafficOptions;
  readonly #instances: NotifyDeps[];
  #invocations = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
    const lane = (concurrency: number): Lane => ({ concurrency, messages: [], running: 0, runningMax: 0 });
    this.first = lane(options.concurrency.first);
    this.slow = lane(options.concurrency.slow);
    const receivers = memoryReceivers(() => this.time.sleep(LATENCY.read));
    const random = seededRandom(1);
    this.#instances = Array.from({ length: INSTANCES }, () => ({
      queues: { get: (queue: string) => this.#queue(queue) } as never,
      receivers: recentReceivers(receivers, () => this.time.nowMs),
      secrets: { get: async () => ({ outcome: 'found', value: 'whsec_c2VjcmV0' }) as const },
      outbound: { post: (url: string, body: string) => this.#post(url, body) },
      sender: {
        split: async () => {
          throw new Error('Expected one webhook for each queue');
        },
        slowLane: async (delivery: Delivery, afterMs: number) => {
          await this.time.sleep(LATENCY.send);
          const dueMs = this.time.nowMs + Math.ceil(afterMs / 1_000) * 1_000;
          this.slow.messages.push({ delivery, dueMs });
        },
        deadLetter: async (delivery: Delivery) => {
          this.deadLetters.push(delivery);
        },
      },
      now: () => this.time.nowMs,
      random: () => random.uniform(),
    }));
  }

  /** An event for the receiver of this number. */
  send(receiver: number): void {
    const eventId = `e${this.sentMs.size}`;
    const event = { eventId, type: 'MatchFound', queue: `q${receiver}`, time: new Date(0).toISOString() };
    this.sentMs.set(eventId, this.time.nowMs);
    this.first.messages.push({ delivery: { event: event as MusterEvent }, dueMs: this.time.nowMs });
  }

  /** Sends the dead letters to the queue of new deliveries, as an operator does. */
  redrive(): void {
    for (const delivery of this.deadLetters.splice(0))
      this.first.messages.push({ delivery, dueMs: this.time.nowMs });
  }

  /** Sends events at a rate to the receivers in turn, for some time. */
  traffic(perSecond: number, forMs: number, receiverOf: (n: number) => number): Promise<void> {
    return this.time.run(async () => {
      const startMs = this.time.nowMs;
      for (let n = 0; this.time.nowMs < startMs + forMs; ) {
        for (; n < ((this.time.nowMs - startMs) / 1_000) * perSecond; n++) this.send(receiverOf(n));
        this.#poll();
        await this.time.sleep(POLL_MS);
      }
    });
  }

  /** Continues without new events, until no message is left or the time is over. */
  rest(forMs: number): Promise<void> {
    return this.time.run(async () => {
      const untilMs = this.time.nowMs + forMs;
      while (this.time.nowMs < untilMs) {
        this.#poll();
        const lanes = [this.first, this.slow];
        const isBusy = lanes.some(({ running }) => running > 0);
        const next = lanes.flatMap(({ messages }) => messages.map(({ dueMs }) => dueMs));
        if (!isBusy && next.length === 0) return;
        const idleMs = isBusy ? REST_POLL_MS : Math.min(...next) - this.time.nowMs;
        await this.time.sleep(Math.max(POLL_MS, idleMs));
      }
    });
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

  #poll(): void {
    for (const lane of [this.first, this.slow]) {
      const due = lane.messages.filter(({ dueMs }) => dueMs <= this.time.nowMs);
      const batches = Math.min(lane.concurrency - lane.running, Math.ceil(due.length / BATCH));
      const taken = new Set(due.slice(0, batches * BATCH));
      if (taken.size === 0) continue;
      lane.messages.splice(0, lane.messages.length, ...lane.messages.filter((one) => !taken.has(one)));
      const all = [...taken];
      for (let i = 0; i < batches; i++) void this.#invoke(lane, all.slice(i * BATCH, (i + 1) * BATCH));
    }
  }

  async #invoke(lane: Lane, messages: readonly Message[]): Promise<void> {
    lane.running += 1;
    lane.runningMax = Math.max(lane.runningMax, lane.running);
    const instance = this.#instances[this.#invocations++ % INSTANCES]!;
    const outcomes = await Promise.all(messages.map(({ delivery }) => deliver(instance, delivery)));
    this.outcomes.push(...outcomes);
    lane.running -= 1;
  }

  async #queue(queue: string) {
    await this.time.sleep(LATENCY.read);
    const url = `https://${queue}.example/`;
    return { definition: definition({ name: queue, webhooks: [{ url, secret: 'shared/s' }] }) };
  }

  async #post(url: string, body: string): Promise<OutboundResult> {
    const receiver = Number(/q(\d+)/.exec(url)![1]);
    this.posts.set(receiver, (this.posts.get(receiver) ?? 0) + 1);
    const behaviour = this.#options.receiver(receiver, this.time.nowMs);
    if (behaviour === 'hangs') {
      await this.time.sleep(LATENCY.noAnswer);
      return { outcome: 'unreachable', error: 'no response' };
    }
    await this.time.sleep(behaviour === 'answers late' ? LATENCY.lateAnswer : LATENCY.answer);
    if (typeof behaviour === 'object') return { outcome: 'responded', status: behaviour.status, body: '' };
    const key = `${JSON.parse(body).data.eventId} ${receiver}`;
    if (!this.deliveredMs.has(key)) this.deliveredMs.set(key, this.time.nowMs);
    return { outcome: 'responded', status: 204, body: '' };
  }
}
