import { ParsedTickets } from '../../lib/aws/parsed-tickets.ts';
import type { QueueRecord } from '../../lib/service/domain/queue-record.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { StoredTicket } from '../../lib/service/domain/stored-ticket.ts';
import type { TickMessage } from '../../lib/service/domain/tick-message.ts';
import type { TickSender } from '../../lib/service/ports/tick-sender.ts';
import { tableNames, tableResources, type Wire } from '../aws/emulated-tables.ts';
import type { MemoryTable } from '../memory-dynamodb/memory-table.ts';
import { memoryTables } from '../memory-dynamodb/memory-tables.ts';
import { storesOf } from './stores.ts';
import { type Due, takeDue } from './virtual-cloud.ts';
import { VirtualTime } from './virtual-time.ts';

/** How long a call takes, in milliseconds, as to DynamoDB in the same region. */
const CALL_MS: Readonly<Record<string, number>> = {
  GetItem: 5,
  BatchGetItem: 5,
  PutItem: 8,
  UpdateItem: 8,
  DeleteItem: 8,
  Query: 15,
  TransactWriteItems: 25,
};
const SEND_MS = 10;

/**
 * The stores on tables in memory under a virtual clock, for pools that are too large for an emulator. Calls take as long as on
 * AWS, and the writes of each partition key of the pool are counted.
 */
export class TimedCloud {
  readonly time: VirtualTime;
  readonly messages: Due<TickMessage>[] = [];
  readonly committed: StoredMatch[] = [];
  readonly ended = new Set<string>();
  /** The tickets in the pool. */
  waiting = 0;
  /** The maximum of writes to one partition key of the pool within a second of the clock. */
  keyWritesMax = 0;
  ticketsRead = 0;
  readonly deps;
  /** The stores of the test itself, whose calls take no time. */
  readonly #atOnce;
  readonly #tickets: MemoryTable;
  #keySecond = 0;
  #keyWrites = new Map<string, number>();
  #ids = 0;

  /** @param pageBytesMax where a page of DynamoDB ends. @default as on AWS */
  constructor(startMs: number, pageBytesMax?: number) {
    this.time = new VirtualTime(startMs);
    const resources = tableResources();
    const names = tableNames(resources);
    const { dynamodb, client: clientOn } = memoryTables(resources, pageBytesMax);
    this.#tickets = dynamodb.tables.get(names.tickets)!;
    const client = clientOn(this.#wire);
    const stores = storesOf(client, names, new ParsedTickets());
    const { tickets, matches } = stores;
    this.deps = {
      ...stores,
      clock: this.time,
      newId: () => `id-${this.#ids++}`,
      tickets: {
        ...tickets,
        waiting: async (...args: Parameters<typeof tickets.waiting>) => {
          const read = await tickets.waiting(...args);
          this.ticketsRead += read.tickets.length;
          return read;
        },
        end: async (...args: Parameters<typeof tickets.end>) => {
          const end = await tickets.end(...args);
          if (end?.ended) this.ended.add(end.ticket.ticketId);
          return end;
        },
      },
      matches: {
        ...matches,
        create: async (...args: Parameters<typeof matches.create>) => {
          const outcome = await matches.create(...args);
          if (outcome === 'created') this.committed.push(args[0]);
          return outcome;
        },
      },
      failedShareMax: 0.25,
      ticks: this.#ticks(),
    };
    this.#atOnce = storesOf(clientOn(), names);
  }

  async record(queue: string): Promise<QueueRecord> {
    return (await this.#atOnce.queues.get(queue))!;
  }

  /** Stores the first version of a queue, which has this layout. */
  async putQueue(record: QueueRecord): Promise<void> {
    if (!(await this.#atOnce.queues.put(record)))
      throw new Error(`Expected ${record.definition.name} to be new`);
  }

  /** Adds tickets to the pool without taking time. */
  async fill(tickets: readonly StoredTicket[]): Promise<void> {
    const layouts = new Map<string, QueueRecord['layouts'][number]>();
    for (const ticket of tickets) {
      const { queue } = ticket;
      const layout = layouts.get(queue) ?? (await this.record(queue)).layouts.at(-1)!;
      layouts.set(queue, layout);
      await this.#atOnce.tickets.create(ticket, layout);
    }
    this.waiting += this.#tickets.changes.splice(0).length;
  }

  /** Removes and returns the messages that are due, oldest first. */
  dueTicks(): TickMessage[] {
    return takeDue(this.messages, this.time.nowMs);
  }

  readonly #wire: Wire = async ({ operation }, send) => {
    await this.time.sleep(CALL_MS[operation]!);
    const reply = await send();
    for (const { before, after } of this.#tickets.changes.splice(0)) {
      const left = before?.pool as string | undefined;
      const entered = after?.pool as string | undefined;
      if (left !== undefined) this.waiting--;
      if (entered !== undefined) this.waiting++;
      for (const pool of new Set([left, entered])) if (pool !== undefined) this.#countWrite(pool);
    }
    return reply;
  };

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

  #ticks(): TickSender {
    return {
      send: async (messages, nowMs) => {
        await this.time.sleep(SEND_MS);
        for (const what of messages) this.messages.push({ what, dueMs: Math.max(nowMs, what.slotMs) });
      },
    };
  }
}
