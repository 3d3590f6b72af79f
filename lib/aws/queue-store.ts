import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Lease, QueueStore } from '../service/ports/queue-store.ts';
import type { QueueRecord } from '../service/queues/queue-record.ts';
import { rangesOf } from '../service/ticks/buckets.ts';
import type { TickReport } from '../service/ticks/tick-report.ts';
import { definitionItems } from './definition-items.ts';
import { conditionally, secondsAfter, transact } from './dynamo.ts';

/** Days a range's report is kept: it is of use only while the range is searched. */
const REPORT_DAYS = 1;

/**
 * Queues in DynamoDB. Key: `queue`, `item`. Item `definition` is the queue itself; item `state` has an
 * attribute for each cell that was leased; each range has its last report in an item of its own, because
 * an item may have 400 KB, a write is paid by the size of its item, and every tick writes the state twice.
 *
 *     put           if version and awakeUntilMs are as read
 *     extendAwake   if version and awakeUntilMs are as read
 *     confirmSent   if sentUntilMs is as read
 *     lease         if each cell's lease is over and its last slot is before this one, or if it is the
 *                   caller's own already: a request whose answer was lost is sent again
 *     release       if every cell's lease is still the caller's: who has lost one had overstayed them all
 *     putReport     if the report there is older
 */
export function queueStore(client: DynamoDBDocumentClient, table: string): QueueStore {
  const itemOf = (queue: string, item: 'definition' | 'state' | `report ${string}`) => ({
    TableName: table,
    Key: { queue, item },
  });
  return {
    async get(queue) {
      const { Item } = await client.send(
        new GetCommand({ ...itemOf(queue, 'definition'), ConsistentRead: true }),
      );
      return Item && toRecord(Item);
    },

    async list() {
      const records: QueueRecord[] = [];
      for await (const item of definitionItems(client, table)) records.push(toRecord(item));
      return records.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
    },

    async put(record) {
      const asRead =
        record.version === 1
          ? 'attribute_not_exists(queue)'
          : 'version = :versionRead AND awakeUntilMs = :awakeUntilMs';
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(record.definition.name, 'definition'),
            UpdateExpression: `SET #definition = :definition, version = :version, plans = :plans, awakeUntilMs = :awakeUntilMs, sentUntilMs = if_not_exists(sentUntilMs, :zero) ${
              record.deletedAt === undefined ? 'REMOVE deletedAt' : ', deletedAt = :deletedAt'
            }`,
            ConditionExpression: asRead,
            ExpressionAttributeNames: { '#definition': 'definition' },
            ExpressionAttributeValues: {
              ':definition': JSON.stringify(record.definition),
              ':version': record.version,
              ':plans': JSON.stringify(record.plans),
              ':awakeUntilMs': record.awakeUntilMs,
              ':zero': 0,
              ...(record.version > 1 && { ':versionRead': record.version - 1 }),
              ...(record.deletedAt !== undefined && { ':deletedAt': record.deletedAt }),
            },
          }),
        ),
      );
      return write.met;
    },

    async extendAwake(record, untilMs) {
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(record.definition.name, 'definition'),
            UpdateExpression: 'SET awakeUntilMs = :untilMs',
            ConditionExpression: 'awakeUntilMs = :read AND version = :version',
            ExpressionAttributeValues: {
              ':untilMs': untilMs,
              ':read': record.awakeUntilMs,
              ':version': record.version,
            },
          }),
        ),
      );
      return write.met;
    },

    async confirmSent(record, untilMs) {
      await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(record.definition.name, 'definition'),
            UpdateExpression: 'SET sentUntilMs = :untilMs',
            ConditionExpression: 'sentUntilMs = :read',
            ExpressionAttributeValues: { ':untilMs': untilMs, ':read': record.sentUntilMs },
          }),
        ),
      );
    },

    async dropPlans(record, keep) {
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(record.definition.name, 'definition'),
            UpdateExpression: 'SET plans = :plans',
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':plans': JSON.stringify(keep), ':version': record.version },
          }),
        ),
      );
      return write.met;
    },

    async remove(record) {
      const outcome = await transact(client, [
        {
          Delete: {
            ...itemOf(record.definition.name, 'definition'),
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':version': record.version },
          },
        },
        { Delete: itemOf(record.definition.name, 'state') },
      ]);
      if (outcome !== 'done') return false;
      const { name } = record.definition;
      const ranges = [...new Set(record.plans.flatMap(rangesOf))];
      await Promise.all(
        ranges.map((range) => client.send(new DeleteCommand(itemOf(name, `report ${range}`)))),
      );
      return true;
    },

    async lease(queue, cells, lease) {
      const names = cellNames(cells);
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(queue, 'state'),
            UpdateExpression: `SET ${cells.map((_, i) => `#cell${i} = :lease`).join(', ')}`,
            ConditionExpression: cells
              .map(
                (_, i) =>
                  `(attribute_not_exists(#cell${i}) OR #cell${i} = :lease OR (#cell${i}.#slotMs < :slotMs AND #cell${i}.#untilMs <= :nowMs))`,
              )
              .join(' AND '),
            ExpressionAttributeNames: { ...names, '#slotMs': 'slotMs', '#untilMs': 'untilMs' },
            ExpressionAttributeValues: {
              ':lease': { owner: lease.owner, slotMs: lease.slotMs, untilMs: lease.untilMs },
              ':slotMs': lease.slotMs,
              ':nowMs': lease.nowMs,
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      if (write.met) return 'leased';
      const held = Object.values(names).map((name) => write.item?.[name] as Lease | undefined);
      return held.some((cell) => cell !== undefined && cell.slotMs >= lease.slotMs) ? 'done' : 'held';
    },

    async release(queue, cells, lease) {
      await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(queue, 'state'),
            UpdateExpression: `SET ${cells.map((_, i) => `#cell${i}.#untilMs = :over`).join(', ')}`,
            ConditionExpression: cells.map((_, i) => `#cell${i}.#owner = :owner`).join(' AND '),
            ExpressionAttributeNames: { ...cellNames(cells), '#untilMs': 'untilMs', '#owner': 'owner' },
            ExpressionAttributeValues: { ':over': 0, ':owner': lease.owner },
          }),
        ),
      );
    },

    async putReport(queue, range, report, nowMs) {
      await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(queue, `report ${range}`),
            UpdateExpression: 'SET report = :report, slotMs = :slotMs, expiresAt = :expiresAt',
            ConditionExpression: 'attribute_not_exists(slotMs) OR slotMs < :slotMs',
            ExpressionAttributeValues: {
              ':report': JSON.stringify(report),
              ':slotMs': report.slotMs,
              ':expiresAt': secondsAfter(nowMs, REPORT_DAYS),
            },
          }),
        ),
      );
    },

    async reports(queue, ranges) {
      const found = await Promise.all(
        ranges.map(async (range): Promise<[string, TickReport][]> => {
          const { Item } = await client.send(
            new GetCommand({ ...itemOf(queue, `report ${range}`), ConsistentRead: true }),
          );
          return Item === undefined ? [] : [[range, JSON.parse(Item.report as string)]];
        }),
      );
      return new Map(found.flat());
    },
  };
}

function cellNames(cells: readonly string[]): Record<string, string> {
  return Object.fromEntries(cells.map((cell, i) => [`#cell${i}`, `lease ${cell}`]));
}

function toRecord(item: Record<string, unknown>): QueueRecord {
  return {
    definition: JSON.parse(item.definition as string),
    version: item.version as number,
    plans: JSON.parse(item.plans as string),
    awakeUntilMs: item.awakeUntilMs as number,
    sentUntilMs: item.sentUntilMs as number,
    ...(item.deletedAt !== undefined && { deletedAt: item.deletedAt as string }),
  };
}
