import { expect } from 'vitest';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { BucketLimits } from '../../lib/service/domain/bucket-limits.ts';
import { type BucketLayout, layoutAt, rangeName, tickRanges } from '../../lib/service/domain/buckets.ts';
import type { QueueRecord } from '../../lib/service/domain/queue-record.ts';
import type { StoredTicket } from '../../lib/service/domain/stored-ticket.ts';
import type { TickMessage } from '../../lib/service/domain/tick-message.ts';
import type { TickReport } from '../../lib/service/domain/tick-report.ts';
import { quantile } from '../../lib/service/queues/quantile.ts';
import { dispatch } from '../../lib/service/ticks/dispatch.ts';
import { type TickDeps, tick } from '../../lib/service/ticks/tick.ts';
import { isOdd, wake } from '../../lib/service/waking/schedule.ts';
import type { RandomSource } from '../../lib/simulation/random.ts';
import { NOW_MS } from '../aws/samples.ts';
import { definition } from './definitions.ts';
import { TimedCloud } from './timed-cloud.ts';

const NO_DEADLINES = {
  overdue: { findOverdue: async () => [] },
  timer: { again: async () => {} },
};

export interface AutoRunOptions extends Partial<Omit<QueueDefinition, 'name'>> {
  /** @default N(1500, 300) */
  readonly skill?: () => number;
  /** The weights of tickets with 1, 2, … players. @default all have one */
  readonly partyWeights?: readonly number[];
  readonly limits?: BucketLimits;
  /** Where a page of DynamoDB ends. @default as on AWS */
  readonly pageBytesMax?: number;
}

/** A queue under load in memory: players arrive, ticks run concurrently when they are due, and dispatch runs every minute. */
export class AutoRun {
  readonly cloud: TimedCloud;
  readonly random: RandomSource;
  /** The number of boundaries of each layout so far. */
  readonly layouts: number[] = [0];
  firstChangeMs = Number.POSITIVE_INFINITY;
  readonly #skill: () => number;
  readonly #partyWeights: readonly number[];
  readonly #limits: { readonly limits?: BucketLimits };
  readonly #enqueuedAtMs = new Map<string, number>();
  readonly #changesMs: number[] = [];
  readonly #layoutsSeen = new Map<number, BucketLayout>();
  readonly #slotsMs: number[] = [];
  readonly #searched = new Set<string>();
  /** The record of the queue, as it was after the last second. */
  #record!: QueueRecord;
  #version = 1;
  #count = 0;

  static async start(random: RandomSource, options: AutoRunOptions): Promise<AutoRun> {
    const run = new AutoRun(random, options);
    const { skill: _, partyWeights: __, limits: ___, pageBytesMax: ____, ...changes } = options;
    await run.cloud.putQueue({
      definition: definition({ name: 'auto', buckets: 'auto', timeoutSeconds: 600, ...changes }),
      version: 1,
      layouts: [{ version: 1, boundaries: [], fromMs: 0 }],
      awakeUntilMs: 0,
      sentUntilMs: 0,
    });
    await run.#watchLayouts();
    return run;
  }

  private constructor(
    random: RandomSource,
    { skill, partyWeights = [1], limits, pageBytesMax }: AutoRunOptions,
  ) {
    this.random = random;
    this.cloud = new TimedCloud(NOW_MS, pageBytesMax);
    this.#skill = skill ?? (() => Math.max(0, 1500 + 300 * random.normal()));
    this.#partyWeights = partyWeights;
    this.#limits = limits === undefined ? {} : { limits };
  }

  get buckets(): number {
    return this.#record.layouts.at(-1)!.boundaries.length + 1;
  }

  /** Adds tickets of one player to the pool at once. */
  fill(count: number): Promise<void> {
    return this.cloud.fill(Array.from({ length: count }, () => this.#ticket()));
  }

  minutes(count: number, perSecond: (second: number) => number): Promise<void> {
    return this.seconds(60 * count, perSecond);
  }

  /** Advances the time, with this number of players in each second. */
  async seconds(count: number, perSecond: (second: number) => number): Promise<void> {
    const { cloud } = this;
    const deps = { ...cloud.deps, ...this.#limits, ...NO_DEADLINES };
    for (let second = 0; second < count; second++) {
      const players = perSecond(second);
      const endMs = cloud.time.nowMs + 1_000;
      await cloud.time.run(async () => {
        const tasks: Promise<unknown>[] = [];
        for (let i = 0; i < players; i++) tasks.push(this.#join((i * 1_000) / players));
        for (const message of cloud.dueTicks()) tasks.push(this.#tick(deps, message));
        tasks.push(wake(deps, await cloud.record('auto'), cloud.time.nowMs));
        if (Math.floor(cloud.time.nowMs / 1_000) % 60 === 0) tasks.push(dispatch(deps, cloud.time.nowMs));
        while (cloud.time.nowMs < endMs) {
          await cloud.time.sleep(50);
          for (const message of cloud.dueTicks()) tasks.push(this.#tick(deps, message));
        }
        for (const result of await Promise.all(tasks)) void result;
      });
      await this.#watchLayouts();
    }
  }

  /** The last reports of the ticks of the newest buckets. */
  async reports(): Promise<TickReport[]> {
    const names = tickRanges(this.#record.layouts.at(-1)!, false).map(rangeName);
    const { ranges } = this.cloud.deps;
    return [...(await this.cloud.time.run(() => ranges.reports('auto', names))).values()];
  }

  /** Ranges of due slots that no tick has searched. */
  get missed(): string[] {
    const untilMs = this.cloud.time.nowMs - 3_000;
    const slots = [...new Set(this.#slotsMs)].filter((slotMs) => slotMs <= untilMs);
    return slots.flatMap((slotMs) => {
      const layout = layoutAt([...this.#layoutsSeen.values()], slotMs);
      const ranges = tickRanges(layout, isOdd(this.#record, slotMs));
      const names = ranges.map(({ index }) => `${slotMs - NOW_MS} ${layout.version}.${index}`);
      return names.filter((name) => !this.#searched.has(name));
    });
  }

  async #tick(deps: TickDeps, message: TickMessage): Promise<void> {
    this.#slotsMs.push(message.slotMs);
    const { version } = layoutAt((await this.cloud.record('auto')).layouts, message.slotMs);
    const { outcome } = await tick(deps, message);
    if (outcome === 'searched')
      this.#searched.add(`${message.slotMs - NOW_MS} ${version}.${message.range ?? 0}`);
  }

  /** Discards the matches so far, so that only later ones are measured. */
  forget(): void {
    this.cloud.committed.length = 0;
    this.cloud.keyWritesMax = 0;
  }

  waitMeanMs(): number {
    const waits = this.#waitsMs();
    return waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  }

  /** The quantile of the matched tickets' waits at this share. */
  waitMs(share: number): number {
    return quantile(
      this.#waitsMs().sort((a, b) => a - b),
      share,
    )!;
  }

  #waitsMs(): number[] {
    return this.cloud.committed.flatMap(({ ticketIds, createdAt }) =>
      ticketIds.map((ticketId) => Date.parse(createdAt) - this.#enqueuedAtMs.get(ticketId)!),
    );
  }

  /** The maximum of layout changes within a time. */
  changesWithin(ms: number): number {
    const all = this.#changesMs;
    return Math.max(0, ...all.map((fromMs) => all.filter((at) => at >= fromMs && at < fromMs + ms).length));
  }

  expectNobodyTwice(): void {
    const matched = this.cloud.committed.flatMap(({ ticketIds }) => ticketIds);
    expect(new Set(matched).size).toBe(matched.length);
    expect(matched.length + this.cloud.ended.size + this.cloud.waiting).toBe(this.#count);
  }

  async #join(afterMs: number): Promise<void> {
    await this.cloud.time.sleep(afterMs);
    const { layouts } = await this.cloud.record('auto');
    await this.cloud.deps.tickets.create(this.#ticket(), layoutAt(layouts, this.cloud.time.nowMs));
  }

  #ticket(): StoredTicket {
    const ticketId = `t${this.#count++}`;
    this.#enqueuedAtMs.set(ticketId, this.cloud.time.nowMs);
    return {
      ticketId,
      queue: 'auto',
      status: 'QUEUED',
      enqueuedAt: new Date(this.cloud.time.nowMs).toISOString(),
      players: Array.from({ length: 1 + drawIndex(this.#partyWeights, this.random) }, (_, i) => ({
        playerId: `${ticketId}.${i}`,
        skill: this.#skill(),
      })),
    };
  }

  async #watchLayouts(): Promise<void> {
    const { time } = this.cloud;
    this.#record = await this.cloud.record('auto');
    const { layouts } = this.#record;
    for (const layout of layouts) this.#layoutsSeen.set(layout.version, layout);
    const newest = layouts.at(-1)!;
    if (newest.version === this.#version) return;
    this.#version = newest.version;
    this.layouts.push(newest.boundaries.length);
    this.#changesMs.push(time.nowMs);
    this.firstChangeMs = Math.min(this.firstChangeMs, time.nowMs - NOW_MS);
  }
}

/** A random index, with these weights. */
function drawIndex(weights: readonly number[], random: RandomSource): number {
  if (weights.length === 1) return 0;
  let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return Math.max(0, index);
}
