import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { allOf } from '../service/concurrency/in-parallel.ts';
import { type FailedTicks, failedTicks, withFailure } from '../service/domain/set-aside.ts';
import type { Crashed, Lease, LeaseOutcome, RangeStore } from '../service/ports/range-store.ts';
import { type Condition, changeItem, type ItemChange, updateOf } from './change-item.ts';
import { secondsAfter, transact } from './dynamo.ts';
import { itemTable } from './item-table.ts';

/** Days that a lease is kept after its last tick. It is useful only while the range is searched. */
const LEASE_DAYS = 1;

/** An expired lease of the last possible slot. */
const CLOSED = { owner: 'closed', slotMs: Number.MAX_SAFE_INTEGER, untilMs: 0 } as const;

/** The `untilMs` of a lease that its owner has ended. A lease that expires without it is that of a crashed tick. */
const ENDED_MS = 0;

export function leaseKey(queue: string, cell: string): { readonly item: string } {
  return { item: `${queue}#lease#${cell}` };
}

type Leases = Pick<RangeStore, 'takeLease' | 'endLease' | 'close' | 'crashed'>;

/** The leases of cells in the table of ranges. Key: `QUEUE#lease#CELL`. See `range-store.ts`. */
export function leases(client: DynamoDBDocumentClient, table: string): Leases {
  const items = itemTable(client, table, leaseKey);
  const readLease = async (queue: string, cell: string): Promise<FoundLease> => {
    const item = await items.get([queue, cell]);
    return { cell, stored: item?.lease, lease: leaseItem.safeParse(item).data?.lease };
  };
  return {
    async takeLease(queue, cells, lease, settledOwners = []) {
      const changes = cells.map((cell) =>
        takenLease(table, queue, cell, cells.join('+'), lease, settledOwners),
      );
      if (changes.length === 1) {
        const write = await changeItem(client, changes[0]!, 'found');
        return write.met ? 'leased' : refusal([write.item], lease);
      }
      const transaction = await transact(
        client,
        changes.map((change) => ({
          Update: { ...updateOf(change), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const },
        })),
      );
      return transaction.met ? 'leased' : refusal(transaction.items, lease);
    },

    async endLease(queue, cells, { owner }, failed) {
      const isOwn = { condition: '#lease.#owner = :owner', values: { ':owner': owner } };
      await allOf(
        cells.map((cell) =>
          items.change([queue, cell], {
            set: { 'lease.untilMs': ENDED_MS, 'lease.failed': failed },
            remove: failed ? [] : ['lease.failed'],
            if: [isOwn],
          }),
        ),
      );
    },

    async close(queue, cells, nowMs, settledOwners = []) {
      const found = await Promise.all(cells.map((cell) => readLease(queue, cell)));
      const isFree = ({ stored, lease }: FoundLease) =>
        stored === undefined ||
        lease?.untilMs === ENDED_MS ||
        (lease !== undefined && lease.untilMs <= nowMs && settledOwners.includes(lease.owner));
      const open = found.filter(({ lease }) => lease?.slotMs !== CLOSED.slotMs);
      const writes = await allOf(
        open.filter(isFree).map((one) => items.change([queue, one.cell], closedLease(one, nowMs))),
      );
      const left = open.filter((one) => !isFree(one));
      const crashed = left.flatMap(({ lease }) =>
        lease !== undefined && lease.untilMs <= nowMs ? [lease.owner] : [],
      );
      if (crashed.length > 0) return { crashed: [...new Set(crashed)] };
      return left.length === 0 && writes.every(({ met }) => met) ? 'closed' : 'held';
    },

    async crashed(queue, cells, nowMs) {
      const found = new Map<string, { cells: string[]; failed: FailedTicks }>();
      const cellOf = new Map(cells.map((cell) => [leaseKey(queue, cell).item, cell]));
      for (const item of await items.all(cells.map((cell) => [queue, cell]))) {
        const lease = leaseItem.safeParse(item).data?.lease;
        if (lease === undefined || !isCrashed(lease, nowMs)) continue;
        const others = found.get(lease.owner);
        found.set(lease.owner, {
          cells: [...(others?.cells ?? []), cellOf.get(item.item as string)!],
          failed: mostFailures([others?.failed, failuresOf(lease, nowMs)])!,
        });
      }
      return found;
    },
  };
}

function takenLease(
  table: string,
  queue: string,
  cell: string,
  range: string,
  { owner, slotMs, untilMs, nowMs, failed }: Lease,
  settledOwners: readonly string[],
): ItemChange {
  const lease = { owner, slotMs, untilMs, range, ...(failed && { failed }) };
  const over = overLease(settledOwners, nowMs, failed !== undefined);
  return {
    table,
    key: leaseKey(queue, cell),
    set: { lease, expiresAt: secondsAfter(nowMs, LEASE_DAYS) },
    if: [
      {
        condition: `attribute_not_exists(#lease) OR #lease = :lease OR (#lease.#slotMs < :slotMs AND ${over.condition})`,
        values: { ':lease': lease, ':slotMs': slotMs, ...over.values },
      },
    ],
  };
}

/** The condition that a lease was ended, or has expired and its owner's matches are settled. */
function overLease(settledOwners: readonly string[], nowMs: number, knowsFailures: boolean): Condition {
  const ended = `#lease.#untilMs = :ended${knowsFailures ? '' : ' AND attribute_not_exists(#lease.#failed)'}`;
  const values = { ':ended': ENDED_MS };
  if (settledOwners.length === 0) return { condition: `(${ended})`, values };
  const owners = settledOwners.map((_, i) => `#lease.#owner = :settled${i}`);
  return {
    condition: `((${ended}) OR (#lease.#untilMs <= :nowMs AND (${owners.join(' OR ')})))`,
    values: {
      ...values,
      ':nowMs': nowMs,
      ...Object.fromEntries(settledOwners.map((owner, i) => [`:settled${i}`, owner])),
    },
  };
}

/** A stored lease, with the fields that could be read. */
interface FoundLease {
  readonly cell: string;
  readonly stored: unknown;
  readonly lease: StoredLease | undefined;
}

/** The change that closes a lease that is still as it was read. */
function closedLease({ stored }: FoundLease, nowMs: number): Omit<ItemChange, 'table' | 'key'> {
  const isAsRead =
    stored === undefined
      ? { condition: 'attribute_not_exists(#lease) OR #lease = :closed', values: { ':closed': CLOSED } }
      : {
          condition: '#lease = :stored OR #lease = :closed',
          values: { ':closed': CLOSED, ':stored': stored },
        };
  const set = { lease: CLOSED, expiresAt: secondsAfter(nowMs, LEASE_DAYS) };
  return { set, if: [isAsRead] };
}

/** The fields of a lease that other ticks need. A lease of another type counts as held. */
const leaseItem = z.object({
  lease: z.object({
    owner: z.string(),
    slotMs: z.number(),
    untilMs: z.number(),
    range: z.string().optional().catch(undefined),
    failed: failedTicks.optional().catch(undefined),
  }),
});
type StoredLease = z.output<typeof leaseItem>['lease'];

/** Whether a lease has expired without having been ended. */
function isCrashed({ untilMs }: StoredLease, nowMs: number): boolean {
  return untilMs !== ENDED_MS && untilMs <= nowMs;
}

/** The failures that the next tick has to know: those before this lease, and a crash of its owner. */
function failuresOf(lease: StoredLease, nowMs: number): FailedTicks | undefined {
  if (!isCrashed(lease, nowMs)) return lease.failed;
  return withFailure(lease.failed, lease.slotMs, 'stopped', lease.range);
}

/** The failures of the cell with the most. */
function mostFailures(failed: readonly (FailedTicks | undefined)[]): FailedTicks | undefined {
  const all = failed.flatMap((one) => one ?? []);
  return all.sort((a, b) => b.count - a.count || b.atMs - a.atMs)[0];
}

/** Why cells were not leased, from their items. Items of free cells may be absent. */
function refusal(
  items: readonly (Record<string, unknown> | undefined)[],
  { slotMs, nowMs, failed: known }: Lease,
): Exclude<LeaseOutcome, 'leased'> {
  const leases = items.flatMap((item) => leaseItem.safeParse(item).data?.lease ?? []);
  if (leases.some((lease) => lease.slotMs >= slotMs)) return 'done';
  const owners = leases.filter((lease) => isCrashed(lease, nowMs)).map(({ owner }) => owner);
  const failed = mostFailures([known, ...leases.map((lease) => failuresOf(lease, nowMs))]);
  const left: Crashed = { crashed: [...new Set(owners)], ...(failed && { failed }) };
  const isNews = owners.length > 0 || (failed !== undefined && known === undefined);
  return isNews ? left : 'held';
}
