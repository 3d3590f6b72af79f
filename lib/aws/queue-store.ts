import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { QueueStore } from '../service/ports/queue-store.ts';
import { readWith, Unreadable } from '../service/ports/unreadable.ts';
import type { QueueRecord, QueueState } from '../service/queues/queue-record.ts';
import { storedDefinition } from '../service/queues/stored-definition.ts';
import { bucketLayout } from '../service/ticks/buckets.ts';
import { definitionItems } from './definition-items.ts';
import { conditionally } from './dynamo.ts';
import { jsonOf } from './item.ts';
import { newWriteMark, wasApplied } from './write-mark.ts';

/**
 * Queues in DynamoDB. Key: `queue`, `item`. The item `definition` is the queue itself; the attribute `plans` has its
 * layouts. An item `state`, in which earlier versions stored leases, is removed with its queue.
 *
 *     put           if version and awakeUntilMs are as read
 *     extendAwake   if version and awakeUntilMs are as read
 *     confirmSent   if sentUntilMs is as read
 *     dropLayouts   if version is as read
 *     remove        if version is as read
 *
 * For writes whose response is lost see `write-mark.ts`.
 */
export function queueStore(client: DynamoDBDocumentClient, table: string): QueueStore {
  const itemOf = (queue: string, item: 'definition' | 'state') => ({
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

    async state(queue) {
      const { Item } = await client.send(
        new GetCommand({ ...itemOf(queue, 'definition'), ConsistentRead: true }),
      );
      return Item && toState(Item);
    },

    async list() {
      const records: QueueRecord[] = [];
      const unreadable: { queue: string; error: Unreadable }[] = [];
      for await (const item of definitionItems(client, table)) {
        try {
          records.push(toRecord(item));
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error;
          unreadable.push({ queue: String(item.queue), error });
        }
      }
      records.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
      return { records, unreadable };
    },

    async put(record) {
      const asRead =
        record.version === 1
          ? 'attribute_not_exists(queue)'
          : 'version = :versionRead AND awakeUntilMs = :awakeUntilMs';
      const mark = newWriteMark();
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(record.definition.name, 'definition'),
            UpdateExpression: `SET #definition = :definition, version = :version, writeId = :writeId, plans = :layouts, awakeUntilMs = :awakeUntilMs, sentUntilMs = if_not_exists(sentUntilMs, :zero) ${
              record.deletedAt === undefined ? 'REMOVE deletedAt' : ', deletedAt = :deletedAt'
            }`,
            ConditionExpression: asRead,
            ExpressionAttributeNames: { '#definition': 'definition' },
            ExpressionAttributeValues: {
              ':definition': JSON.stringify(record.definition),
              ':version': record.version,
              ':layouts': JSON.stringify(record.layouts),
              ':awakeUntilMs': record.awakeUntilMs,
              ':zero': 0,
              ':writeId': mark,
              ...(record.version > 1 && { ':versionRead': record.version - 1 }),
              ...(record.deletedAt !== undefined && { ':deletedAt': record.deletedAt }),
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return wasApplied(write, mark);
    },

    async extendAwake(record, untilMs) {
      const mark = newWriteMark();
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(record.definition.name, 'definition'),
            UpdateExpression: 'SET awakeUntilMs = :untilMs, writeId = :writeId',
            ConditionExpression: 'awakeUntilMs = :read AND version = :version',
            ExpressionAttributeValues: {
              ':untilMs': untilMs,
              ':read': record.awakeUntilMs,
              ':version': record.version,
              ':writeId': mark,
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return wasApplied(write, mark);
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

    async dropLayouts(record, keep) {
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(record.definition.name, 'definition'),
            UpdateExpression: 'SET plans = :layouts',
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':layouts': JSON.stringify(keep), ':version': record.version },
          }),
        ),
      );
      return write.met;
    },

    async remove(record) {
      const { name } = record.definition;
      await client.send(new DeleteCommand(itemOf(name, 'state')));
      const removal = await conditionally(() =>
        client.send(
          new DeleteCommand({
            ...itemOf(name, 'definition'),
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':version': record.version },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return removal.met || removal.item === undefined;
    },
  };
}

const stateItem = z.object({
  version: z.number(),
  plans: jsonOf(z.array(bucketLayout).min(1)),
  awakeUntilMs: z.number(),
  sentUntilMs: z.number().default(0),
  deletedAt: z.iso.datetime().exactOptional(),
});

const queueItem = stateItem.extend({ definition: jsonOf(storedDefinition) });

function toRecord(item: Record<string, unknown>): QueueRecord {
  const { plans: layouts, ...rest } = readWith(queueItem, item, `queue ${item.queue}`);
  return { ...rest, layouts };
}

function toState(item: Record<string, unknown>): QueueState {
  const { plans: layouts, ...rest } = readWith(stateItem, item, `queue ${item.queue}`);
  return { ...rest, layouts };
}
