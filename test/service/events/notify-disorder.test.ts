import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../lib/service/domain/delivery.ts';
import { type DeliveryOutcome, deliver, type NotifyDeps } from '../../../lib/service/events/notify.ts';
import type { OutboundResult } from '../../../lib/service/ports/outbound.ts';
import type { ReceiverStore } from '../../../lib/service/ports/receiver-store.ts';
import { definition } from '../definitions.ts';
import { Interleaving } from '../interleaving.ts';
import type { Line } from '../virtual-cloud.ts';
import { deliveryLog } from './memory-deliveries.ts';
import { memoryReceivers } from './memory-receivers.ts';

/** The number of runs. For more: `DISORDER_RUNS=1000 npx vitest run test/service/events/notify-disorder`. */
const RUNS = Number(process.env.DISORDER_RUNS ?? 40);
const FIRST_SEED = Number(process.env.DISORDER_SEED ?? 1);
const STEPS = 400;
const EVENTS = 30;
const RECEIVERS = ['https://a.example/', 'https://b.example/'] as const;
/** How long SQS hides a message whose function was killed. */
const VISIBILITY_MS = 12_000;

describe('webhooks under random faults', () => {
  it.each(Array.from({ length: RUNS }, (_, i) => FIRST_SEED + i))(
    'arrive or become dead letters after any crashes and failures (seed %i)',
    async (seed) => {
      const run = new Disorder(seed);
      await run.disorder();
      await run.settle();
      // A receiver may be marked as down when no webhook is left for it. The next event shows that it is not.
      run.sendEvent();
      await run.settle();
      expect(run.all.stray).toEqual([]);
      expect(run.lost()).toEqual([]);
      expect(await run.stillDown()).toEqual([]);
    },
  );
});

interface Message {
  readonly delivery: Delivery;
  readonly dueMs: number;
}

/** Deliveries to two receivers with outages, by functions that fail and are killed at any call. */
class Disorder {
  readonly all: Interleaving;
  #nowMs = 0;
  readonly #messages: Message[] = [];
  readonly #arrived = new Set<string>();
  readonly #deadLetters = new Set<string>();
  readonly #sent: string[] = [];
  readonly #down = new Set<string>();
  readonly #receivers = memoryReceivers();
  /** The line of the process that starts. */
  #line: Line = (_, effect) => effect();

  constructor(seed: number) {
    const on = <T>(line: Line, task: () => Promise<T>): Promise<T> => {
      this.#line = line;
      return task();
    };
    this.all = new Interleaving(seed, { now: () => this.#nowMs, on }, () => {});
  }

  async disorder(): Promise<void> {
    this.all.trouble = { fails: 0.03, kills: 0.03, lost: 0.03 };
    for (let step = 0; step < STEPS; step++) {
      this.#nowMs += this.all.random.integer(4_000);
      if (this.#sent.length < EVENTS && this.all.chance(0.2)) this.sendEvent();
      if (this.all.chance(0.03)) this.#turn();
      this.#deliverDue();
      await this.all.step();
    }
  }

  /** Ends the faults: both receivers respond, and nothing fails. */
  async settle(): Promise<void> {
    this.all.trouble = { fails: 0, kills: 0, lost: 0 };
    this.#down.clear();
    for (;;) {
      while (await this.all.step());
      if (this.#messages.length === 0) return;
      this.#nowMs = Math.max(this.#nowMs, Math.min(...this.#messages.map(({ dueMs }) => dueMs)));
      this.#deliverDue();
    }
  }

  /** Webhooks that have neither arrived nor become dead letters. */
  lost(): string[] {
    return this.#sent
      .flatMap((eventId) => RECEIVERS.map((url) => `${eventId} ${url}`))
      .filter((webhook) => !this.#arrived.has(webhook) && !this.#deadLetters.has(webhook));
  }

  async stillDown(): Promise<string[]> {
    const records = await Promise.all(RECEIVERS.map((url) => this.#receivers.get(url)));
    return RECEIVERS.filter((_, i) => records[i]?.downUntilMs !== undefined);
  }

  sendEvent(): void {
    const eventId = `e${this.#sent.length}`;
    this.#sent.push(eventId);
    const event = {
      eventId,
      type: 'MatchFound',
      queue: 'arena',
      time: new Date(0).toISOString(),
      match: { teams: [] },
    };
    this.#send({ event } as never as Delivery, 0);
  }

  #turn(): void {
    const url = RECEIVERS[this.all.random.integer(RECEIVERS.length)]!;
    if (!this.#down.delete(url)) this.#down.add(url);
  }

  #send(delivery: Delivery, afterMs: number): void {
    this.#messages.push({ delivery, dueMs: this.#nowMs + Math.ceil(afterMs / 1_000) * 1_000 });
  }

  #deliverDue(): void {
    const due = this.#messages.filter(({ dueMs }) => dueMs <= this.#nowMs);
    this.#messages.splice(0, this.#messages.length, ...this.#messages.filter((one) => !due.includes(one)));
    for (const { delivery } of due) {
      const name = `deliver ${delivery.event.eventId} ${delivery.url ?? ''}`;
      this.all.begin<DeliveryOutcome>(
        name,
        () => deliver(this.#deps(this.#line), delivery),
        // A message that was not deleted is received again.
        (result) => result ?? this.#messages.push({ delivery, dueMs: this.#nowMs + VISIBILITY_MS }),
      );
    }
  }

  readonly #deliveries = deliveryLog(() => this.#nowMs);

  #deps(line: Line): NotifyDeps {
    return {
      queues: { get: () => line('Get queue', async () => ({ definition: WITH_WEBHOOKS })) } as never,
      receivers: overLine(this.#receivers, line),
      erased: { findErased: async () => new Set(), lastAtMs: async () => 0 },
      deliveries: this.#deliveries,
      secrets: {
        get: () => line('Get secret', async () => ({ outcome: 'found', value: 'whsec_c2VjcmV0' }) as const),
      },
      outbound: { post: (url, body) => line('post', async () => this.#post(url, body)) },
      sender: {
        split: (deliveries) =>
          line('send', async () => {
            for (const one of deliveries) this.#send(one, 0);
          }),
        slowLane: (one, afterMs) => line('send', async () => this.#send(one, afterMs)),
        deadLetter: ({ event, url }) =>
          line('send', async () => {
            this.#deadLetters.add(`${event.eventId} ${url}`);
          }),
      },
      now: () => this.#nowMs,
      random: () => this.all.random.uniform(),
    };
  }

  #post(url: string, body: string): OutboundResult {
    if (this.#down.has(url)) return { outcome: 'unreachable', error: 'no response' };
    this.#arrived.add(`${JSON.parse(body).data.eventId} ${url}`);
    return { outcome: 'responded', status: 204, body: '' };
  }
}

const WITH_WEBHOOKS = definition({
  name: 'arena',
  webhooks: RECEIVERS.map((url) => ({ url, secret: 'shared/s' })),
});

function overLine(store: ReceiverStore, line: Line): ReceiverStore {
  return {
    get: (...args) => line('Get receiver', () => store.get(...args)),
    addFailure: (...args) => line('UpdateItem', () => store.addFailure(...args)),
    markDown: (...args) => line('UpdateItem', () => store.markDown(...args)),
    markUp: (...args) => line('UpdateItem', () => store.markUp(...args)),
  };
}
