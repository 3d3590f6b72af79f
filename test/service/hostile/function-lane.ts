import { Killed } from '../faults.ts';
import type { Line } from '../virtual-cloud.ts';
import type { VirtualTime } from '../virtual-time.ts';

/** The time of a call to AWS, in milliseconds. */
const CALL_MS = 8;

/**
 * A running function. Its calls take time, its processor does one thing at a time, and after its time limit no call of it
 * takes effect.
 */
export class Invocation {
  /** Every call to a port passes this line. */
  readonly line: Line;
  /**
   * Milliseconds of processor time that the function needs from one look at its clock to the next, where it awaits nothing
   * between them: while it plans.
   */
  planMs = 0;
  /** Whether its time limit has ended it. */
  dead = false;
  readonly clock;
  readonly #time: VirtualTime;
  #busyUntilMs = 0;
  #computes = false;

  constructor(time: VirtualTime) {
    this.#time = time;
    this.line = async (what, effect) => {
      await this.#pass(what, CALL_MS);
      const result = await effect();
      await this.#pass(what, 0);
      return result;
    };
    this.clock = {
      now: () => {
        this.#busyUntilMs = Math.max(this.#busyUntilMs, time.nowMs) + (this.#computes ? this.planMs : 0);
        this.#computes = true;
        void Promise.resolve().then(() => {
          this.#computes = false;
        });
        return Math.round(this.#busyUntilMs);
      },
      sleep: (ms: number) => this.#pass('sleep', ms),
    };
  }

  /** Waits for the processor and then for this time. @throws Killed after the time limit */
  async #pass(what: string, ms: number): Promise<void> {
    if (this.dead) throw new Killed(what);
    await this.#time.sleep(Math.max(0, this.#busyUntilMs - this.#time.nowMs) + ms);
    if (this.dead) throw new Killed(what);
  }
}

/** What Lambda and SQS do for the messages of a function; the numbers are those of the template. */
export interface LaneOptions<Message> {
  readonly name: string;
  readonly time: VirtualTime;
  readonly timeoutMs: number;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly visibilityMs: number;
  readonly maxReceiveCount: number;
  /** Handles a message. A message that fails, or is not handled in time, is received again after the visibility timeout. */
  readonly handle: (message: Message, invocation: Invocation, receives: number) => Promise<Handled>;
  /** When a message that has failed is received again. @default after the visibility timeout */
  readonly failedAgainMs?: (receives: number) => number;
}

/** `againMs`: the function has set the visibility of its message, which is received again after this time. */
export type Handled = undefined | { readonly againMs: number };

interface Queued<Message> {
  readonly message: Message;
  /** Its message group. */
  readonly group: string | undefined;
  readonly dueMs: number;
  readonly receives: number;
}

/** The messages of an SQS queue and the invocations of the function that receives them. */
export class FunctionLane<Message> {
  readonly #options: LaneOptions<Message>;
  /** The messages in flight of each group. */
  readonly #inFlight = new Map<string | undefined, number>();
  #queued: Queued<Message>[] = [];
  #running = 0;
  readonly dead: Message[] = [];
  /** Invocations that the time limit has ended. */
  timeouts = 0;
  /** Why messages have failed, and how often. */
  readonly failures = new Map<string, number>();

  constructor(options: LaneOptions<Message>) {
    this.#options = options;
  }

  /** How often the handling of a message has failed. */
  get failed(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  send(message: Message, { afterMs = 0, group }: { afterMs?: number; group?: string | undefined }): void {
    this.#queued.push({ message, group, dueMs: this.#options.time.nowMs + afterMs, receives: 0 });
  }

  /** Starts the invocations for the messages that are due, first for those of groups with few messages in flight, as fair queues do. */
  poll(): void {
    const { time, batchSize, concurrency } = this.#options;
    while (this.#running < concurrency) {
      const batch = this.#queued
        .filter(({ dueMs }) => dueMs <= time.nowMs)
        .sort((a, b) => this.#inFlightOf(a) - this.#inFlightOf(b))
        .slice(0, batchSize);
      if (batch.length === 0) return;
      this.#queued = this.#queued.filter((one) => !batch.includes(one));
      void this.#invoke(batch);
    }
  }

  async #invoke(batch: readonly Queued<Message>[]): Promise<void> {
    const { time, timeoutMs, visibilityMs, maxReceiveCount, handle, failedAgainMs } = this.#options;
    this.#running++;
    for (const { group } of batch) this.#count(group, 1);
    const startMs = time.nowMs;
    const invocation = new Invocation(time);
    const left = new Set(batch);
    const all = Promise.all(
      batch.map(async (queued) => {
        const { message, receives } = queued;
        const handled = await handle(message, invocation, receives + 1).catch((error: Error): Handled => {
          this.#fails(error);
          return { againMs: failedAgainMs?.(receives + 1) ?? startMs + visibilityMs - time.nowMs };
        });
        if (invocation.dead) return;
        left.delete(queued);
        if (handled !== undefined) again(queued, time.nowMs + Math.max(0, handled.againMs));
      }),
    );
    const again = (queued: Queued<Message>, dueMs: number) => {
      const receives = queued.receives + 1;
      if (receives >= maxReceiveCount) this.dead.push(queued.message);
      else this.#queued.push({ ...queued, receives, dueMs });
    };
    await Promise.race([all, time.sleep(timeoutMs)]);
    if (left.size > 0) {
      invocation.dead = true;
      this.timeouts++;
      for (const queued of left) again(queued, startMs + visibilityMs);
    }
    for (const { group } of batch) this.#count(group, -1);
    this.#running--;
  }

  #inFlightOf({ group }: Queued<Message>): number {
    return group === undefined ? 0 : (this.#inFlight.get(group) ?? 0);
  }

  #count(group: string | undefined, more: number): void {
    this.#inFlight.set(group, more + (this.#inFlight.get(group) ?? 0));
  }

  #fails(error: Error): void {
    if (error instanceof Killed) return;
    const why = `${this.#options.name}: ${error.name}: ${error.message.slice(0, 200)}`;
    this.failures.set(why, (this.failures.get(why) ?? 0) + 1);
  }
}
