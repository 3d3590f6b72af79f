import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { tickMemory } from '../policies/memory.ts';
import type { Lease, LeaseOutcome, RangeStore } from '../service/ports/range-store.ts';
import { type TickReport, tickReport } from '../service/ticks/tick-report.ts';
import { conditionally, secondsAfter, settled, transactOrItems } from './dynamo.ts';
import { jsonOf } from './item.ts';

/** Days that a lease or report is kept after its last tick. It is useful only while the range is searched. */
const RANGE_DAYS = 1;

/** An expired lease of the last possible slot. */
const CLOSED = { owner: 'closed', slotMs: Number.MAX_SAFE_INTEGER, untilMs: 0 } as const;

/**
 * Leases and reports in DynamoDB. Key: `item`, which contains the queue and the cell or range. Each has its own
 * partition key, so the cost does not depend on their number.
 *
 *     takeLease   if each cell's lease has ended and its last slot is before this one, or if the caller
 *                 already holds it: the request is repeated when its response is lost
 *     endLease    each cell whose lease the caller still holds
 *     close       each cell whose lease has ended
 *     putReport   if the stored report is older
 *     putArrivals always; of two concurrent writes either is correct
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

  const leaseWrite = (queue: string, cell: string, lease: Lease) =>
    ({
      ...leaseOf(queue, cell),
      UpdateExpression: 'SET #lease = :lease, expiresAt = :expiresAt',
      ConditionExpression:
        'attribute_not_exists(#lease) OR #lease = :lease OR (#lease.#slotMs < :slotMs AND #lease.#untilMs <= :nowMs)',
      ExpressionAttributeNames: { '#lease': 'lease', '#slotMs': 'slotMs', '#untilMs': 'untilMs' },
      ExpressionAttributeValues: {
        ':lease': { owner: lease.owner, slotMs: lease.slotMs, untilMs: lease.untilMs },
        ':slotMs': lease.slotMs,
        ':nowMs': lease.nowMs,
        ':expiresAt': secondsAfter(lease.nowMs, RANGE_DAYS),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }) satisfies UpdateCommandInput;

  return {
    async takeLease(queue, cells, lease) {
      const writes = cells.map((cell) => leaseWrite(queue, cell, lease));
      if (writes.length === 1) {
        const write = await conditionally(() => client.send(new UpdateCommand(writes[0]!)));
        return write.met ? 'leased' : refusal([write.item], lease);
      }
      const transaction = await transactOrItems(
        client,
        writes.map((Update) => ({ Update })),
      );
      return transaction.met ? 'leased' : refusal(transaction.items, lease);
    },

    async endLease(queue, cells, lease) {
      await settled(
        cells.map((cell) =>
          conditionally(() =>
            client.send(
              new UpdateCommand({
                ...leaseOf(queue, cell),
                UpdateExpression: 'SET #lease.#untilMs = :over',
                ConditionExpression: '#lease.#owner = :owner',
                ExpressionAttributeNames: { '#lease': 'lease', '#untilMs': 'untilMs', '#owner': 'owner' },
                ExpressionAttributeValues: { ':over': 0, ':owner': lease.owner },
              }),
            ),
          ),
        ),
      );
    },

    async close(queue, cells, nowMs) {
      const closed = await Promise.all(
        cells.map(async (cell) => {
          const { Item } = await client.send(
            new GetCommand({ ...leaseOf(queue, cell), ConsistentRead: true }),
          );
          if (Item?.lease === undefined) return 'free';
          const there = leaseItem.safeParse(Item).data?.lease;
          if (there?.slotMs === CLOSED.slotMs) return true;
          return there !== undefined && there.untilMs <= nowMs ? 'free' : false;
        }),
      );
      const free = cells.filter((_, i) => closed[i] === 'free');
      const writes = free.map((cell) =>
        conditionally(() =>
          client.send(
            new UpdateCommand({
              ...leaseOf(queue, cell),
              UpdateExpression: 'SET #lease = :closed, expiresAt = :expiresAt',
              ConditionExpression: 'attribute_not_exists(#lease) OR #lease.#untilMs <= :nowMs',
              ExpressionAttributeNames: { '#lease': 'lease', '#untilMs': 'untilMs' },
              ExpressionAttributeValues: {
                ':closed': CLOSED,
                ':nowMs': nowMs,
                ':expiresAt': secondsAfter(nowMs, RANGE_DAYS),
              },
            }),
          ),
        ),
      );
      await settled(writes);
      const met = await Promise.all(writes);
      return !closed.includes(false) && met.every((write) => write.met);
    },

    async putReport(queue, range, report, nowMs) {
      await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...reportOf(queue, range),
            UpdateExpression: 'SET report = :report, slotMs = :slotMs, expiresAt = :expiresAt',
            ConditionExpression: 'attribute_not_exists(slotMs) OR slotMs < :slotMs',
            ExpressionAttributeValues: {
              ':report': JSON.stringify(report),
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
      await settled(items.map((item) => client.send(new DeleteCommand(item))));
    },
  };
}

const arrivalsItem = z.object({ arrivals: jsonOf(tickMemory) });
const reportItem = z.object({ report: jsonOf(tickReport) });

/** The part of a lease that other ticks need. A lease of another type counts as held. */
const leaseItem = z.object({ lease: z.object({ slotMs: z.number(), untilMs: z.number() }) });

/** The reason why cells were not leased, from their items. Items of cells that were free may be absent. */
function refusal(
  items: readonly (Record<string, unknown> | undefined)[],
  { slotMs }: Lease,
): Exclude<LeaseOutcome, 'leased'> {
  const leases = items.map((item) => leaseItem.safeParse(item).data?.lease);
  return leases.some((lease) => lease !== undefined && lease.slotMs >= slotMs) ? 'done' : 'held';
}
