import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { tickMemory } from '../policies/memory.ts';
import { allOf } from '../service/concurrency/all-of.ts';
import { inParallel } from '../service/concurrency/in-parallel.ts';
import type { FailedTicks } from '../service/domain/set-aside.ts';
import { type TickReport, tickReport } from '../service/domain/tick-report.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { FormingMatch } from '../service/ports/match-store.ts';
import type { Crashed, Lease, LeaseOutcome, RangeStore } from '../service/ports/range-store.ts';
import { batchGet } from './batch-get.ts';
import { packId, unpackId } from './compact-id.ts';
import { conditionally, secondsAfter, transact } from './dynamo.ts';
import { deflatedJson, deflatedJsonOf, jsonOf } from './item.ts';
import { latestGroup } from './latest-group.ts';

/** Days that a lease or report is kept after its last tick. It is useful only while the range is searched. */
const RANGE_DAYS = 1;
/** Days that a journal is kept: as long as its matches, which it lists. */
const JOURNAL_DAYS = 7;

/** An expired lease of the last possible slot. */
const CLOSED = { owner: 'closed', slotMs: Number.MAX_SAFE_INTEGER, untilMs: 0 } as const;

/** The `untilMs` of a lease that its owner has ended. A lease that expires without it is that of a crashed tick. */
const ENDED_MS = 0;

/**
 * Leases and reports in DynamoDB. Key: `item`, which contains the queue and the cell or range. Each has its own
 * partition key, so the cost does not depend on their number.
 *
 *     takeLease   if each cell's lease was ended, or has expired and its owner's matches are settled, and its
 *                 last slot is before this one; and if the caller knows that the ticks before have failed, if they
 *                 have; or if the caller already holds it: the request is repeated when its response is lost
 *     endLease    each cell whose lease the owner still holds
 *     close       each cell whose lease is still the one that was read
 *     putJournal, journalUntilClosed   if there is no such page
 *     putReport   if the stored report is older
 *     putArrivals always; of two concurrent writes either is correct
 *
 * The pages of journals are also in the index `latest`: see `latest-group.ts`.
 */
export function rangeStore(client: DynamoDBDocumentClient, table: string): RangeStore {
  const leaseOf = (queue: string, cell: string) => ({
    TableName: table,
    Key: { item: `${queue}#lease#${cell}` },
  });
  const reportOf = (queue: string, range: string) => ({
    TableName: table,
    Key: { item: `${queue}#report#${range}` },
  });

  const arrivalsOf = (queue: string) => ({ TableName: table, Key: { item: `${queue}#arrivals` } });

  const journalOf = (queue: string, owner: string, page: number) => ({
    TableName: table,
    Key: { item: `${queue}#journal#${owner}#${page}` },
  });

  /** Stores a page if there is none. A repetition of the request finds its own page. */
  const putPage = (queue: string, owner: string, page: number, matches: string, nowMs: number) => {
    // A page without matches closes the journal.
    const isListed = matches !== CLOSED_PAGE;
    return conditionally(() =>
      client.send(
        new UpdateCommand({
          ...journalOf(queue, owner, page),
          UpdateExpression: `SET matches = :matches, expiresAt = :expiresAt${isListed ? ', latestGroup = :group, writtenAtMs = :nowMs' : ''}`,
          ConditionExpression: 'attribute_not_exists(matches) OR matches = :matches',
          ExpressionAttributeValues: {
            ':matches': matches,
            ':expiresAt': secondsAfter(nowMs, JOURNAL_DAYS),
            ...(isListed && { ':group': latestGroup(queue, owner), ':nowMs': nowMs }),
          },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    );
  };

  const leaseWrite = (queue: string, cell: string, lease: Lease, settledOwners: readonly string[]) =>
    ({
      ...leaseOf(queue, cell),
      UpdateExpression: 'SET #lease = :lease, expiresAt = :expiresAt',
      ConditionExpression: `attribute_not_exists(#lease) OR #lease = :lease OR (#lease.#slotMs < :slotMs AND ${isOver(settledOwners, lease.failed !== undefined)})`,
      ExpressionAttributeNames: {
        '#lease': 'lease',
        '#slotMs': 'slotMs',
        '#untilMs': 'untilMs',
        ...(lease.failed === undefined && { '#failed': 'failed' }),
        ...(settledOwners.length > 0 && { '#owner': 'owner' }),
      },
      ExpressionAttributeValues: {
        ':lease': {
          owner: lease.owner,
          slotMs: lease.slotMs,
          untilMs: lease.untilMs,
          ...(lease.failed && { failed: lease.failed }),
        },
        ':slotMs': lease.slotMs,
        ':ended': ENDED_MS,
        ...(settledOwners.length > 0 && { ':nowMs': lease.nowMs }),
        ...Object.fromEntries(settledOwners.map((owner, i) => [`:settled${i}`, owner])),
        ':expiresAt': secondsAfter(lease.nowMs, RANGE_DAYS),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }) satisfies UpdateCommandInput;

  return {
    async takeLease(queue, cells, lease, settledOwners = []) {
      const writes = cells.map((cell) => leaseWrite(queue, cell, lease, settledOwners));
      if (writes.length === 1) {
        const write = await conditionally(() => client.send(new UpdateCommand(writes[0]!)));
        return write.met ? 'leased' : refusal([write.item], lease);
      }
      const transaction = await transact(
        client,
        writes.map((Update) => ({ Update })),
      );
      return transaction.met ? 'leased' : refusal(transaction.items, lease);
    },

    async endLease(queue, cells, lease, failed) {
      await allOf(
        cells.map((cell) =>
          conditionally(() =>
            client.send(
              new UpdateCommand({
                ...leaseOf(queue, cell),
                UpdateExpression: `SET #lease.#untilMs = :over${failed ? ', #lease.#failed = :failed' : ' REMOVE #lease.#failed'}`,
                ConditionExpression: '#lease.#owner = :owner',
                ExpressionAttributeNames: {
                  '#lease': 'lease',
                  '#untilMs': 'untilMs',
                  '#owner': 'owner',
                  '#failed': 'failed',
                },
                ExpressionAttributeValues: {
                  ':over': ENDED_MS,
                  ':owner': lease.owner,
                  ...(failed && { ':failed': failed }),
                },
              }),
            ),
          ),
        ),
      );
    },

    async close(queue, cells, nowMs, settledOwners = []) {
      const found = await Promise.all(
        cells.map(async (cell) => {
          const { Item } = await client.send(
            new GetCommand({ ...leaseOf(queue, cell), ConsistentRead: true }),
          );
          return { cell, stored: Item?.lease as unknown, lease: leaseItem.safeParse(Item).data?.lease };
        }),
      );
      const isFree = ({ stored, lease }: (typeof found)[number]) =>
        stored === undefined ||
        lease?.untilMs === ENDED_MS ||
        (lease !== undefined && lease.untilMs <= nowMs && settledOwners.includes(lease.owner));
      const open = found.filter(({ lease }) => lease?.slotMs !== CLOSED.slotMs);
      const writes = open.filter(isFree).map(({ cell, stored }) =>
        conditionally(() =>
          client.send(
            new UpdateCommand({
              ...leaseOf(queue, cell),
              UpdateExpression: 'SET #lease = :closed, expiresAt = :expiresAt',
              ConditionExpression:
                stored === undefined
                  ? 'attribute_not_exists(#lease) OR #lease = :closed'
                  : '#lease = :stored OR #lease = :closed',
              ExpressionAttributeNames: { '#lease': 'lease' },
              ExpressionAttributeValues: {
                ':closed': CLOSED,
                ...(stored !== undefined && { ':stored': stored }),
                ':expiresAt': secondsAfter(nowMs, RANGE_DAYS),
              },
            }),
          ),
        ),
      );
      await allOf(writes);
      const met = await Promise.all(writes);
      const left = open.filter((one) => !isFree(one));
      const crashed = left.flatMap(({ lease }) =>
        lease !== undefined && lease.untilMs <= nowMs ? [lease.owner] : [],
      );
      if (crashed.length > 0) return { crashed: [...new Set(crashed)] };
      return left.length === 0 && met.every((write) => write.met) ? 'closed' : 'held';
    },

    async crashed(queue, cells, nowMs) {
      const found = new Map<string, { cells: string[]; failed: FailedTicks }>();
      const cellOf = new Map(cells.map((cell) => [leaseOf(queue, cell).Key.item, cell]));
      const keys = [...cellOf.keys()].map((item) => ({ item }));
      for (const item of await batchGet(client, table, keys)) {
        const lease = leaseItem.safeParse(item).data?.lease;
        if (lease === undefined || !isCrashed(lease, nowMs)) continue;
        const others = found.get(lease.owner);
        found.set(lease.owner, {
          cells: [...(others?.cells ?? []), cellOf.get(item.item as string)!],
          failed: worst([others?.failed, failuresOf(lease, nowMs)])!,
        });
      }
      return found;
    },

    async putJournal(queue, owner, page, matches, nowMs) {
      const write = await putPage(queue, owner, page, packMatches(matches), nowMs);
      return write.met ? 'stored' : 'closed';
    },

    async journalUntilClosed(queue, owner, page, nowMs) {
      const write = await putPage(queue, owner, page, CLOSED_PAGE, nowMs);
      if (write.met) return 'closed';
      return readWith(journalItem, write.item, `page ${page} of the journal of tick ${owner}`).matches;
    },

    async putReport(queue, range, report, nowMs) {
      await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...reportOf(queue, range),
            UpdateExpression: 'SET report = :report, slotMs = :slotMs, expiresAt = :expiresAt',
            ConditionExpression: 'attribute_not_exists(slotMs) OR slotMs < :slotMs',
            ExpressionAttributeValues: {
              ':report': deflatedJson(report),
              ':slotMs': report.slotMs,
              ':expiresAt': secondsAfter(nowMs, RANGE_DAYS),
            },
          }),
        ),
      );
    },

    async reports(queue, ranges) {
      const found = await Promise.all(
        ranges.map(async (range): Promise<[string, TickReport][]> => {
          const { Item } = await client.send(
            new GetCommand({ ...reportOf(queue, range), ConsistentRead: true }),
          );
          const report = reportItem.safeParse(Item).data?.report;
          return report === undefined ? [] : [[range, report]];
        }),
      );
      return new Map(found.flat());
    },

    async putArrivals(queue, arrivals, nowMs) {
      await client.send(
        new UpdateCommand({
          ...arrivalsOf(queue),
          UpdateExpression: 'SET arrivals = :arrivals, expiresAt = :expiresAt',
          ExpressionAttributeValues: {
            ':arrivals': JSON.stringify(arrivals),
            ':expiresAt': secondsAfter(nowMs, RANGE_DAYS),
          },
        }),
      );
    },

    async arrivals(queue) {
      const { Item } = await client.send(new GetCommand(arrivalsOf(queue)));
      return arrivalsItem.safeParse(Item).data?.arrivals;
    },

    async remove(queue, cells, ranges) {
      const items = [
        ...cells.map((cell) => leaseOf(queue, cell)),
        ...ranges.map((range) => reportOf(queue, range)),
      ];
      await inParallel(items, DELETES_AT_ONCE, (item) => client.send(new DeleteCommand(item)));
    },
  };
}

const arrivalsItem = z.object({ arrivals: jsonOf(tickMemory) });
const reportItem = z.object({ report: deflatedJsonOf(tickReport) });

/** The part of a lease that other ticks need. A lease of another type counts as held. */
const leaseItem = z.object({
  lease: z.object({
    owner: z.string(),
    slotMs: z.number(),
    untilMs: z.number(),
    failed: z
      .object({ count: z.number(), atMs: z.number(), how: z.enum(['stopped', 'error']) })
      .optional()
      .catch(undefined),
  }),
});
type StoredLease = z.output<typeof leaseItem>['lease'];

/** Whether a lease has expired without having been ended. */
function isCrashed({ untilMs }: StoredLease, nowMs: number): boolean {
  return untilMs !== ENDED_MS && untilMs <= nowMs;
}

/** The failures that the next tick has to know: those before this lease, and that of its owner if it crashed. */
function failuresOf(lease: StoredLease, nowMs: number): FailedTicks | undefined {
  if (!isCrashed(lease, nowMs)) return lease.failed;
  return { count: (lease.failed?.count ?? 0) + 1, atMs: lease.slotMs, how: 'stopped' };
}

/** Those of the cell that has the most. */
function worst(failed: readonly (FailedTicks | undefined)[]): FailedTicks | undefined {
  const all = failed.flatMap((one) => one ?? []);
  return all.sort((a, b) => b.count - a.count || b.atMs - a.atMs)[0];
}

/** The condition that a lease was ended, or has expired and its owner's matches are settled. */
function isOver(settledOwners: readonly string[], knowsFailures: boolean): string {
  const ended = `#lease.#untilMs = :ended${knowsFailures ? '' : ' AND attribute_not_exists(#lease.#failed)'}`;
  if (settledOwners.length === 0) return `(${ended})`;
  const owners = settledOwners.map((_, i) => `#lease.#owner = :settled${i}`);
  return `((${ended}) OR (#lease.#untilMs <= :nowMs AND (${owners.join(' OR ')})))`;
}

/** Matches of a journal as JSON: `[matchId, ticketId, ticketId, …]` for each, with packed ids. */
function packMatches(matches: readonly FormingMatch[]): string {
  return JSON.stringify(matches.map(({ matchId, ticketIds }) => [matchId, ...ticketIds].map(packId)));
}

/** The maximum of items that are deleted concurrently. */
const DELETES_AT_ONCE = 32;

/** The page after the last one of a closed journal. */
const CLOSED_PAGE = packMatches([]);

/** A page of a journal. */
export const journalItem = z.object({
  matches: jsonOf(z.array(z.array(z.string()).min(1))).transform((matches) =>
    matches.map((packed): FormingMatch => {
      const [matchId, ...ticketIds] = packed.map(unpackId);
      return { matchId: matchId!, ticketIds };
    }),
  ),
});

/** The reason why cells were not leased, from their items. Items of cells that were free may be absent. */
function refusal(
  items: readonly (Record<string, unknown> | undefined)[],
  { slotMs, nowMs, failed: known }: Lease,
): Exclude<LeaseOutcome, 'leased'> {
  const leases = items.flatMap((item) => leaseItem.safeParse(item).data?.lease ?? []);
  if (leases.some((lease) => lease.slotMs >= slotMs)) return 'done';
  const owners = leases.filter((lease) => isCrashed(lease, nowMs)).map(({ owner }) => owner);
  const failed = worst([known, ...leases.map((lease) => failuresOf(lease, nowMs))]);
  const left: Crashed = { crashed: [...new Set(owners)], ...(failed && { failed }) };
  const isNews = owners.length > 0 || (failed !== undefined && known === undefined);
  return isNews ? left : 'held';
}
