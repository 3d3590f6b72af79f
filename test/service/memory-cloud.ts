import type { TickMemory } from '../../lib/policies/memory.ts';
import { type KeyRange, poolKey, poolKeysWithin, poolOrder } from '../../lib/service/domain/buckets.ts';
import type { QueueRecord } from '../../lib/service/domain/queue-record.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { StoredTicket } from '../../lib/service/domain/stored-ticket.ts';
import type { TickMessage } from '../../lib/service/domain/tick-message.ts';
import type { TickReport } from '../../lib/service/domain/tick-report.ts';
import type { BackfillStore } from '../../lib/service/ports/backfill-store.ts';
import type { MatchStore } from '../../lib/service/ports/match-store.ts';
import type { QueueStore } from '../../lib/service/ports/queue-store.ts';
import type { Lease, RangeStore } from '../../lib/service/ports/range-store.ts';
import type { TickSender } from '../../lib/service/ports/tick-sender.ts';
import type { TicketStore } from '../../lib/service/ports/ticket-store.ts';
import { VirtualTime } from './virtual-time.ts';

/** The latency of calls in milliseconds, as to DynamoDB in the same region. */
const LATENCY = { get: 5, put: 8, page: 15, transaction: 25, send: 10 } as const;
/** Waiting tickets in a page of a megabyte. */
export const PAGE = 6_000;

interface Waiting {
  readonly order: string;
  readonly ticket: StoredTicket;
}

/**
 * Stores in memory under a virtual clock, for pools that are too large for an emulator. Calls take as long as on AWS,
 * and the writes of each partition key of the pool are counted.
 */
export class MemoryCloud {
  readonly time: VirtualTime;
  readonly messages: { readonly what: TickMessage; readonly dueMs: number }[] = [];
  readonly committed: StoredMatch[] = [];
  readonly ended = new Map<string, StoredTicket>();
  /** The maximum of writes to one partition key of the pool within a second of the clock. */
  keyWritesMax = 0;
  ticketsRead = 0;
  readonly deps;
  #pools = new Map<string, Waiting[]>();
  #poolOf = new Map<string, { pool: string; order: string }>();
  /** Tickets that were claimed for a match, and where they were waiting. */
  readonly #claimed = new Map<string, { matchId: string; pool: string; waiting: Waiting }>();
  #records = new Map<string, QueueRecord>();
  #leases = new Map<string, Lease>();
  #reports = new Map<string, TickReport>();
  #arrivals = new Map<string, TickMemory>();
  readonly #page: number;
  #keySecond = 0;
  #keyWrites = new Map<string, number>();
  #ids = 0;

  /** @param page waiting tickets in a page */
  constructor(startMs: number, page = PAGE) {
    this.#page = page;
    this.time = new VirtualTime(startMs);
    this.deps = {
      clock: this.time,
      newId: () => `id-${this.#ids++}`,
      tickets: this.#tickets(),
      matches: this.#matches(),
      backfills: noBackfills,
      // Nor have they a ladder.
      ladders: { get: async () => undefined },
      ratings: { of: async () => new Map(), odds: async () => undefined },
      queues: this.#queues(),
      ranges: this.#ranges(),
      deliveryRecords: { get: async () => undefined } as never,
      receivers: { get: async () => undefined } as never,
      outcomes: { add: async () => {}, recent: async () => [] },
      presence: { of: async () => new Map() },
      failedShareMax: 0.25,
      experiments: { add: async () => {}, totals: async () => new Map() },
      ticks: this.#ticks(),
    };
  }

  get waiting(): number {
    return this.#poolOf.size;
  }

  record(queue: string): QueueRecord {
    return this.#records.get(queue)!;
  }

  setRecord(record: QueueRecord): void {
    this.#records.set(record.definition.name, record);
  }

  /** Adds tickets to the pool without taking time. */
  fill(tickets: readonly StoredTicket[], record: QueueRecord): void {
    const layout = record.layouts.at(-1)!;
    const touched = new Set<string>();
    for (const ticket of tickets) {
      const order = poolOrder(ticket.ticketId, ticket.players);
      const pool = poolKey(ticket.queue, layout, order);
      this.#pool(pool).push({ order, ticket });
      this.#poolOf.set(ticket.ticketId, { pool, order });
      touched.add(pool);
    }
    for (const pool of touched) this.#pool(pool).sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  /** Removes and returns the messages that are due. */
  dueTicks(): TickMessage[] {
    const due = this.messages.filter(({ dueMs }) => dueMs <= this.time.nowMs);
    this.messages.splice(
      0,
      this.messages.length,
      ...this.messages.filter(({ dueMs }) => dueMs > this.time.nowMs),
    );
    return due.map(({ what }) => what);
  }

  #pool(name: string): Waiting[] {
    const pool = this.#pools.get(name) ?? [];
    this.#pools.set(name, pool);
    return pool;
  }

  #countWrite(pool: string): void {
    const second = Math.floor(this.time.nowMs / 1_000);
    if (second !== this.#keySecond) {
      this.#keySecond = second;
      this.#keyWrites.clear();
    }
    const writes = (this.#keyWrites.get(pool) ?? 0) + 1;
    this.#keyWrites.set(pool, writes);
    this.keyWritesMax = Math.max(this.keyWritesMax, writes);
  }

  #enter(name: string, waiting: Waiting): void {
    const pool = this.#pool(name);
    pool.splice(lowerBound(pool, waiting.order), 0, waiting);
    this.#poolOf.set(waiting.ticket.ticketId, { pool: name, order: waiting.order });
    this.#countWrite(name);
  }

  /** A ticket in its pool; undefined when it is in none. */
  #pooled(ticketId: string): { readonly pool: string; readonly waiting: Waiting } | undefined {
    const at = this.#poolOf.get(ticketId);
    if (at === undefined) return undefined;
    const pool = this.#pool(at.pool);
    return { pool: at.pool, waiting: pool[indexOf(pool, at.order, ticketId)]! };
  }

  /** Removes a ticket from its pool. Returns false when it is in none. */
  #leave(ticketId: string): boolean {
    const at = this.#poolOf.get(ticketId);
    if (at === undefined) return false;
    const pool = this.#pool(at.pool);
    pool.splice(indexOf(pool, at.order, ticketId), 1);
    this.#poolOf.delete(ticketId);
    this.#countWrite(at.pool);
    return true;
  }

  #tickets(): TicketStore {
    const within = (pool: string, { from, to }: KeyRange, limit = Number.POSITIVE_INFINITY) => {
      const all = this.#pool(pool);
      const begin = from === undefined ? 0 : lowerBound(all, from);
      return all.slice(begin, Math.min(begin + limit, to === undefined ? all.length : lowerBound(all, to)));
    };
    return {
      create: async (ticket, layout) => {
        await this.time.sleep(LATENCY.put);
        const order = poolOrder(ticket.ticketId, ticket.players);
        this.#enter(poolKey(ticket.queue, layout, order), { order, ticket });
        return { created: true };
      },
      places: async (scope) => ({ scope, holders: new Map() }),
      get: async () => {
        throw new Error('Expected no read of a single ticket');
      },
      getMany: async () => {
        throw new Error('Expected no read of a single ticket');
      },
      waiting: async (queue, layouts, range, bound) => {
        const limit = bound?.limit ?? Number.POSITIVE_INFINITY;
        const keys = layouts.flatMap((layout) => poolKeysWithin(queue, layout, range));
        const found = keys
          .flatMap((pool) => within(pool, range, limit + 1))
          .sort((a, b) => (a.order < b.order ? -1 : 1));
        let read = 0;
        do {
          await this.time.sleep(LATENCY.page);
          read = Math.min(found.length, read + this.#page, limit);
        } while (read < Math.min(found.length, limit) && bound?.hasTime() !== false);
        this.ticketsRead += read;
        const tickets = found.slice(0, read).map(({ ticket }) => ticket);
        return {
          tickets,
          unreadable: [],
          pools: new Map(keys.map((pool) => [pool, within(pool, range, limit + 1).length])),
          ...(read < found.length && { next: `${found[read - 1]!.order} ` }),
        };
      },
      survey: async (queue, layouts, range, hasTime) => {
        const cuts: string[] = [];
        let waiting = 0;
        for (const pool of layouts.flatMap((layout) => poolKeysWithin(queue, layout, range))) {
          const found = within(pool, range);
          for (let from = 0; from < found.length && hasTime(); from += this.#page) {
            await this.time.sleep(LATENCY.page);
            const end = Math.min(found.length, from + this.#page);
            if (end < found.length) cuts.push(`${found[end - 1]!.order} `);
            waiting += end - from;
          }
        }
        return { waiting, cuts: cuts.sort() };
      },
      neighbours: async () => [],
      hasWaiting: async (queue, layout) => {
        await this.time.sleep(LATENCY.page);
        return poolKeysWithin(queue, layout, {}).some((pool) => this.#pool(pool).length > 0);
      },
      claim: async (ticketId, matchId) => {
        await this.time.sleep(LATENCY.put);
        const pooled = this.#pooled(ticketId);
        if (pooled === undefined) return false;
        this.#leave(ticketId);
        this.#claimed.set(ticketId, { matchId, ...pooled });
        return true;
      },
      release: async ({ ticketId }, matchId) => {
        await this.time.sleep(LATENCY.put);
        const claimed = this.#claimed.get(ticketId);
        if (claimed?.matchId !== matchId) return;
        this.#claimed.delete(ticketId);
        this.#enter(claimed.pool, claimed.waiting);
      },
      requeue: async () => {
        throw new Error('Expected no match that is not placed');
      },
      failWithMatch: async () => {
        throw new Error('Expected no match that is not placed');
      },
      cancelWithMatch: async () => {
        throw new Error('Expected no dissolved match');
      },
      end: async (ticketId, status, reason) => {
        await this.time.sleep(LATENCY.put);
        if (!this.#leave(ticketId)) return undefined;
        const ticket = { ticketId, status, reason } as unknown as StoredTicket;
        this.ended.set(ticketId, ticket);
        return { ended: true, ticket };
      },
    };
  }

  #matches(): MatchStore {
    const unused = async (): Promise<never> => {
      throw new Error('matches only come to be here');
    };
    return {
      create: async (match) => {
        await this.time.sleep(LATENCY.put);
        if (!match.ticketIds.every((ticketId) => this.#claimed.get(ticketId)?.matchId === match.matchId))
          throw new Error(`Expected every ticket of match ${match.matchId} to be claimed for it`);
        this.committed.push(match);
        return 'created';
      },
      abandon: unused,
      abandoned: unused,
      dissolve: unused,
      requeue: unused,
      ticketsReturned: unused,
      get: unused,
      getMany: unused,
      accept: unused,
      advance: unused,
      assign: unused,
      end: unused,
      result: unused,
    };
  }

  #queues(): QueueStore {
    const change = async (record: QueueRecord, change: (stored: QueueRecord) => Partial<QueueRecord>) => {
      await this.time.sleep(LATENCY.put);
      const stored = this.#records.get(record.definition.name)!;
      if (stored.version !== record.version) return false;
      this.setRecord({ ...stored, ...change(stored) });
      return true;
    };
    return {
      get: async (queue) => {
        await this.time.sleep(LATENCY.get);
        return this.#records.get(queue);
      },
      state: async (queue) => this.#records.get(queue),
      list: async () => {
        await this.time.sleep(LATENCY.page);
        return { records: [...this.#records.values()], unreadable: [] };
      },
      count: async () => this.#records.size,
      put: async (record) => {
        await this.time.sleep(LATENCY.put);
        const stored = this.#records.get(record.definition.name);
        if ((stored?.version ?? 0) + 1 !== record.version) return false;
        if (stored !== undefined && stored.awakeUntilMs !== record.awakeUntilMs) return false;
        this.setRecord({ ...record, sentUntilMs: stored?.sentUntilMs ?? 0 });
        return true;
      },
      noteDeployed: () => Promise.reject(new Error('not used here')),
      keep: async () => {
        await this.time.sleep(LATENCY.put);
      },
      kept: async () => [],
      extendAwake: async (record, awakeUntilMs) => {
        if (this.#records.get(record.definition.name)!.awakeUntilMs !== record.awakeUntilMs) return false;
        return change(record, () => ({ awakeUntilMs }));
      },
      confirmSent: async (record, sentUntilMs) => {
        await change(record, () => ({ sentUntilMs }));
      },
      extendWatched: () => Promise.reject(new Error('not used here')),
      holdPresence: () => Promise.reject(new Error('not used here')),
      dropLayouts: (record, layouts) => change(record, () => ({ layouts })),
      remove: async (record) => this.#records.delete(record.definition.name),
    };
  }

  #ranges(): RangeStore {
    const key = (queue: string, name: string) => `${queue} ${name}`;
    return {
      takeLease: async (queue, cells, lease) => {
        await this.time.sleep(cells.length === 1 ? LATENCY.put : LATENCY.transaction);
        const held = cells.flatMap((cell) => this.#leases.get(key(queue, cell)) ?? []);
        const others = held.filter(({ owner }) => owner !== lease.owner);
        if (others.some(({ slotMs }) => slotMs >= lease.slotMs)) return 'done';
        if (others.some(({ untilMs }) => untilMs > lease.nowMs)) return 'held';
        for (const cell of cells) this.#leases.set(key(queue, cell), lease);
        return 'leased';
      },
      endLease: async (queue, cells, { owner }) => {
        await this.time.sleep(LATENCY.put);
        for (const cell of cells) {
          const lease = this.#leases.get(key(queue, cell));
          if (lease?.owner === owner) this.#leases.set(key(queue, cell), { ...lease, untilMs: 0 });
        }
      },
      close: async (queue, cells, nowMs) => {
        await this.time.sleep(LATENCY.get);
        let closed = true;
        for (const cell of cells) {
          const lease = this.#leases.get(key(queue, cell));
          if (lease !== undefined && lease.untilMs > nowMs) closed = false;
          else
            this.#leases.set(key(queue, cell), {
              owner: 'closed',
              slotMs: Number.MAX_SAFE_INTEGER,
              nowMs,
              untilMs: 0,
            });
        }
        return closed ? 'closed' : 'held';
      },
      crashed: async () => new Map(),
      putJournal: async () => {
        await this.time.sleep(LATENCY.put);
        return 'stored';
      },
      journalUntilClosed: async () => 'closed',
      putReport: async (queue, range, report) => {
        await this.time.sleep(LATENCY.put);
        // As in the store: undefined values are omitted.
        this.#reports.set(key(queue, range), JSON.parse(JSON.stringify(report)));
      },
      reports: async (queue, ranges) => {
        await this.time.sleep(LATENCY.get);
        const found = ranges.flatMap((range): [string, TickReport][] => {
          const report = this.#reports.get(key(queue, range));
          return report === undefined ? [] : [[range, report]];
        });
        return new Map(found);
      },
      putArrivals: async (queue, arrivals) => {
        await this.time.sleep(LATENCY.put);
        this.#arrivals.set(queue, JSON.parse(JSON.stringify(arrivals)));
      },
      arrivals: async (queue) => {
        await this.time.sleep(LATENCY.get);
        return this.#arrivals.get(queue);
      },
      remove: async () => {},
    };
  }

  #ticks(): TickSender {
    return {
      send: async (messages, nowMs) => {
        await this.time.sleep(LATENCY.send);
        for (const what of messages) this.messages.push({ what, dueMs: Math.max(nowMs, what.slotMs) });
      },
    };
  }
}

function indexOf(pool: readonly Waiting[], order: string, ticketId: string): number {
  let index = lowerBound(pool, order);
  while (pool[index]!.ticket.ticketId !== ticketId) index++;
  return index;
}

/** The queues of this cloud take no backfills. */
const noBackfills: BackfillStore = {
  create: async () => ({ outcome: 'refused' }),
  get: async () => undefined,
  open: async () => ({ backfills: [] }),
  fill: async () => 'lost-race',
  end: async () => undefined,
};

/** The number of items before this key. */
function lowerBound(pool: readonly Waiting[], order: string): number {
  let low = 0;
  let high = pool.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pool[middle]!.order < order) low = middle + 1;
    else high = middle;
  }
  return low;
}
