import { type DynamoDBDocumentClient, GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Lease, QueueRecord, QueueStore, Reports, TickReport } from '../service/ports.ts';
import { conditionally, transact } from './dynamo.ts';

/**
 * Queues in DynamoDB. Key: `queue`, `item`. Item `definition` is the queue itself; item `state` is what
 * its ticks share: an attribute for each leased cell and for each range's last report.
 *
 *     put           if version and awakeUntilMs are as read
 *     extendAwake   if awakeUntilMs is as read
 *     lease         if each cell's lease is over and its last slot is before this one, or if it is the
 *                   caller's own already: a request whose answer was lost is sent again
 *     release       if every cell's lease is still the caller's: who has lost one had overstayed them all
 */
export function queueStore(client: DynamoDBDocumentClient, table: string): QueueStore {
  const update = (queue: string, item: 'definition' | 'state') => ({
    TableName: table,
    Key: { queue, item },
  });
  return {
    async get(queue) {
      const { Item } = await client.send(
        new GetCommand({ ...update(queue, 'definition'), ConsistentRead: true }),
      );
      return Item && toRecord(Item);
    },

    async list() {
      const records: QueueRecord[] = [];
      let start: Record<string, unknown> | undefined;
      do {
        const page = await client.send(
          new ScanCommand({
            TableName: table,
            FilterExpression: '#item = :definition',
            ExpressionAttributeNames: { '#item': 'item' },
            ExpressionAttributeValues: { ':definition': 'definition' },
            ConsistentRead: true,
            ...(start && { ExclusiveStartKey: start }),
          }),
        );
        records.push(...(page.Items ?? []).map(toRecord));
        start = page.LastEvaluatedKey;
      } while (start !== undefined);
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
            ...update(record.definition.name, 'definition'),
            UpdateExpression: `SET #definition = :definition, version = :version, plans = :plans, awakeUntilMs = :awakeUntilMs ${
              record.deletedAt === undefined ? 'REMOVE deletedAt' : ', deletedAt = :deletedAt'
            }`,
            ConditionExpression: asRead,
            ExpressionAttributeNames: { '#definition': 'definition' },
            ExpressionAttributeValues: {
              ':definition': JSON.stringify(record.definition),
              ':version': record.version,
              ':plans': JSON.stringify(record.plans),
              ':awakeUntilMs': record.awakeUntilMs,
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
            ...update(record.definition.name, 'definition'),
            UpdateExpression: 'SET awakeUntilMs = :untilMs',
            ConditionExpression: 'awakeUntilMs = :read',
            ExpressionAttributeValues: { ':untilMs': untilMs, ':read': record.awakeUntilMs },
          }),
        ),
      );
      return write.met;
    },

    async dropPlans(record, keep) {
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...update(record.definition.name, 'definition'),
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
            ...update(record.definition.name, 'definition'),
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':version': record.version },
          },
        },
        { Delete: update(record.definition.name, 'state') },
      ]);
      return outcome === 'done';
    },

    async lease(queue, cells, lease) {
      const names = cellNames(cells);
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...update(queue, 'state'),
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
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      if (write.met) return { outcome: 'leased', reports: toReports(write.result.Attributes) };
      const held = Object.values(names).map((name) => write.item?.[name] as Lease | undefined);
      return {
        outcome: held.some((cell) => cell !== undefined && cell.slotMs >= lease.slotMs) ? 'done' : 'held',
      };
    },

    async release(queue, cells, lease, done) {
      await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...update(queue, 'state'),
            UpdateExpression: `SET ${cells.map((_, i) => `#cell${i}.#untilMs = :over`).join(', ')}${done ? ', #report = :report' : ''}`,
            ConditionExpression: cells.map((_, i) => `#cell${i}.#owner = :owner`).join(' AND '),
            ExpressionAttributeNames: {
              ...cellNames(cells),
              '#untilMs': 'untilMs',
              '#owner': 'owner',
              ...(done && { '#report': `${REPORT}${done.range}` }),
            },
            ExpressionAttributeValues: {
              ':over': 0,
              ':owner': lease.owner,
              ...(done && { ':report': JSON.stringify(done.report) }),
            },
          }),
        ),
      );
    },

    async reports(queue) {
      const { Item } = await client.send(new GetCommand(update(queue, 'state')));
      return toReports(Item);
    },
  };
}

const REPORT = 'report ';

function cellNames(cells: readonly string[]): Record<string, string> {
  return Object.fromEntries(cells.map((cell, i) => [`#cell${i}`, `lease ${cell}`]));
}

function toReports(item: Record<string, unknown> = {}): Reports {
  return new Map(
    Object.entries(item)
      .filter(([name]) => name.startsWith(REPORT))
      .map(([name, json]) => [name.slice(REPORT.length), JSON.parse(json as string) as TickReport]),
  );
}

function toRecord(item: Record<string, unknown>): QueueRecord {
  return {
    definition: JSON.parse(item.definition as string),
    version: item.version as number,
    plans: JSON.parse(item.plans as string),
    awakeUntilMs: item.awakeUntilMs as number,
    ...(item.deletedAt !== undefined && { deletedAt: item.deletedAt as string }),
  };
}
