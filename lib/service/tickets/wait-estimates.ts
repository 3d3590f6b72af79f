import type { TicketView } from '../../contract/ticket.ts';
import { quantilesIn, shareBelow } from '../../policies/waits/wait-table.ts';
import { poolOrder, rangeName, rangesAround } from '../domain/buckets.ts';
import { inQueue, viewsOf } from '../domain/linked-ticket.ts';
import { type CurrentTicket, toEngineTicket, toTicketView } from '../domain/stored-ticket.ts';
import type { TickReport } from '../domain/tick-report.ts';
import { UnreadableQueue } from '../domain/unreadable.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';

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
    const parts = await Promise.all(viewsOf(ticket).map((one) => this.#partsOf(inQueue(ticket, one.queue))));
    const view = { ...toTicketView(ticket), ...shown(together(parts)) };
    return view.queues === undefined
      ? view
      : { ...view, queues: view.queues.map((one, i) => ({ ...one, ...shown(parts[i]!) })) };
  }

  /** By each of {@link SHARES}: within which time such tickets are matched in this queue, if that is known. Milliseconds. */
  async #partsOf(ticket: CurrentTicket): Promise<Parts> {
    if (ticket.status !== 'QUEUED') return [];
    try {
      return await this.#estimate(ticket);
    } catch (error) {
      // A request succeeds without an estimate, even if this version cannot read the queue.
      if (error instanceof StoreBusy || error instanceof UnreadableQueue) return [];
      throw error;
    }
  }

  async #estimate(ticket: CurrentTicket): Promise<Parts> {
    const record = await this.#deps.queues.get(ticket.queue, REPORT_AGE_MS);
    if (record === undefined) return [];
    const order = poolOrder(ticket.ticketId, ticket.players);
    const names = [...new Set(rangesAround(record.layouts.at(-1)!, order).map(rangeName))];
    const reports = await Promise.all(names.map((name) => this.#report(ticket.queue, name)));
    const latest = reports
      .flatMap((report) => report ?? [])
      .sort((a, b) => b.slotMs - a.slotMs)
      .find(({ waits }) => waits !== undefined);
    const part = latest?.memory === undefined ? () => 0.5 : shareBelow(latest.memory.skills);
    return quantilesIn(
      latest?.waits,
      part,
      SHARES,
    )(toEngineTicket(ticket, record.definition), {
      nowMs: this.#deps.clock.now(),
      timeoutMs: 1_000 * record.definition.timeoutSeconds,
    });
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

/** The shares of tickets for which waits are estimated. */
const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;
type Parts = readonly (number | undefined)[];

/**
 * The waits of a ticket in several queues, which leaves with the first match: the share that still waits is the product of the shares
 * that still wait in each queue. Between two shares a wait is linear; after the last one that is known nobody is matched.
 */
function together(queues: readonly Parts[]): Parts {
  if (queues.length === 1) return queues[0]!;
  const stillWaiting = (ms: number) => queues.reduce((share, parts) => share * (1 - matchedBy(parts, ms)), 1);
  const longest = Math.max(0, ...queues.flat().map((ms) => ms ?? 0));
  return SHARES.map((share) => {
    if (stillWaiting(longest) > 1 - share) return undefined;
    let [low, high] = [0, longest];
    while (high - low > 50) {
      const middle = (low + high) / 2;
      if (stillWaiting(middle) > 1 - share) low = middle;
      else high = middle;
    }
    return high;
  });
}

function matchedBy(parts: Parts, ms: number): number {
  let before = { share: 0, ms: 0 };
  for (const [i, share] of SHARES.entries()) {
    const part = parts[i];
    if (part === undefined) break;
    if (part > ms) return before.share + ((share - before.share) * (ms - before.ms)) / (part - before.ms);
    before = { share, ms: part };
  }
  return before.share;
}

function shown(parts: Parts): Pick<TicketView, 'estimatedWaitSeconds'> {
  const [p50, p90] = [parts[4], parts[8]];
  if (p50 === undefined) return {};
  return {
    estimatedWaitSeconds: { p50: seconds(p50), ...(p90 !== undefined && { p90: seconds(p90) }) },
  };
}

/** Tenths of a second. */
const seconds = (ms: number) => Math.round(ms / 100) / 10;
