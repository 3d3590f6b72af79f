import type { TicketView } from '../../contract/ticket.ts';
import { quantilesIn, shareBelow } from '../../policies/waits/wait-table.ts';
import { poolOrder, rangeName, rangesAround } from '../domain/buckets.ts';
import { type CurrentTicket, toEngineTicket, toTicketView } from '../domain/stored-ticket.ts';
import type { TickReport } from '../domain/tick-report.ts';
import { UnreadableQueue } from '../domain/unreadable.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';

export type WaitEstimate = NonNullable<TicketView['estimatedWaitSeconds']>;

/** Reports are read again after this time, for all requests to a function together. Milliseconds. */
const REPORT_AGE_MS = 10_000;
/** The maximum of ranges whose reports are kept. */
const KEPT_MAX = 1_000;

/**
 * Estimates how much longer tickets will wait. Caches the reports of ranges for some seconds, so neither a poll nor a new ticket
 * needs a read of its own.
 */
export class WaitEstimates {
  readonly #deps: { readonly queues: QueueStore; readonly ranges: RangeStore; readonly clock: Clock };
  readonly #reports = new Map<
    string,
    { readonly atMs: number; readonly report: Promise<TickReport | undefined> }
  >();

  constructor(deps: { readonly queues: QueueStore; readonly ranges: RangeStore; readonly clock: Clock }) {
    this.#deps = deps;
  }

  /** A ticket in the format of responses, with its estimate. */
  async view(ticket: CurrentTicket): Promise<TicketView> {
    const estimatedWaitSeconds = await this.of(ticket);
    return { ...toTicketView(ticket), ...(estimatedWaitSeconds && { estimatedWaitSeconds }) };
  }

  /** The estimate for a QUEUED ticket; undefined for all others, and while there is too little data. */
  async of(ticket: CurrentTicket): Promise<WaitEstimate | undefined> {
    if (ticket.status !== 'QUEUED') return undefined;
    try {
      return await this.#estimate(ticket);
    } catch (error) {
      // A request succeeds without an estimate, even if this version cannot read the queue.
      if (error instanceof StoreBusy || error instanceof UnreadableQueue) return undefined;
      throw error;
    }
  }

  async #estimate(ticket: CurrentTicket): Promise<WaitEstimate | undefined> {
    const record = await this.#deps.queues.get(ticket.queue, REPORT_AGE_MS);
    if (record === undefined) return undefined;
    const order = poolOrder(ticket.ticketId, ticket.players);
    const names = [...new Set(rangesAround(record.layouts.at(-1)!, order).map(rangeName))];
    const reports = await Promise.all(names.map((name) => this.#report(ticket.queue, name)));
    const latest = reports
      .flatMap((report) => report ?? [])
      .sort((a, b) => b.slotMs - a.slotMs)
      .find(({ waits }) => waits !== undefined);
    const part = latest?.memory === undefined ? () => 0.5 : shareBelow(latest.memory.skills);
    const [p50, p90] = quantilesIn(
      latest?.waits,
      part,
      [0.5, 0.9],
    )(toEngineTicket(ticket, record.definition), {
      nowMs: this.#deps.clock.now(),
      timeoutMs: 1_000 * record.definition.timeoutSeconds,
    });
    if (p50 === undefined) return undefined;
    return { p50: seconds(p50), ...(p90 !== undefined && { p90: seconds(p90) }) };
  }

  #report(queue: string, range: string): Promise<TickReport | undefined> {
    const key = `${queue} ${range}`;
    const nowMs = this.#deps.clock.now();
    const kept = this.#reports.get(key);
    if (kept !== undefined && nowMs - kept.atMs < REPORT_AGE_MS) return kept.report;
    if (this.#reports.size >= KEPT_MAX) this.#reports.clear();
    const report = this.#deps.ranges.reports(queue, [range]).then((found) => found.get(range));
    this.#reports.set(key, { atMs: nowMs, report });
    report.catch(() => this.#reports.delete(key));
    return report;
  }
}

/** Tenths of a second. */
const seconds = (ms: number) => Math.round(ms / 100) / 10;
