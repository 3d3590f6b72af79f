import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { VERSIONS_KEPT } from '../contract/queue-versions.ts';
import { allOf } from '../service/concurrency/all-of.ts';
import { bucketLayout } from '../service/domain/buckets.ts';
import type { DefinitionChange, Deployed, QueueRecord, QueueState } from '../service/domain/queue-record.ts';
import { storedDefinition } from '../service/domain/stored-definition.ts';
import { readWith, Unreadable, UnreadableQueue } from '../service/domain/unreadable.ts';
import type { QueueStore } from '../service/ports/queue-store.ts';
import { batchGet } from './batch-get.ts';
import { definitionItems } from './definition-items.ts';
import { conditionally } from './dynamo.ts';
import { jsonOf } from './item.ts';
import { newWriteMark, wasApplied } from './write-mark.ts';

/**
 * Queues in DynamoDB. Key: `queue`, `item`. The item `definition` is the queue itself; the attribute `plans` has its
 * layouts. The items `version#00` to `version#49` are definitions that were replaced, each in the place of the one 50 versions
 * before it. An item `state`, in which earlier versions stored leases, is removed with its queue.
 *
 *     put           if version and awakeUntilMs are as read
 *     noteDeployed  if version is as read
 *     keep          if the place holds an earlier definition
 *     extendAwake   if version and awakeUntilMs are as read
 *     confirmSent   if sentUntilMs is as read
 *     dropLayouts   if version is as read
 *     remove        if version is as read
 *
 * For writes whose response is lost see `write-mark.ts`.
 */
export function queueStore(client: DynamoDBDocumentClient, table: string): QueueStore {
  const itemOf = (queue: string, item: 'definition' | 'state' | `version#${string}`) => ({
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

    async put(record, deployed) {
      const asRead =
        record.version === 1
          ? 'attribute_not_exists(queue)'
          : 'version = :versionRead AND awakeUntilMs = :awakeUntilMs';
      const mark = newWriteMark();
      const removed = [
        record.deletedAt === undefined ? 'deletedAt' : [],
        deployed === null ? 'deployed' : [],
      ].flat();
      const removal = removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : '';
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(record.definition.name, 'definition'),
            UpdateExpression: `SET #definition = :definition, version = :version, writeId = :writeId, plans = :layouts, awakeUntilMs = :awakeUntilMs, sentUntilMs = if_not_exists(sentUntilMs, :zero)${
              record.change === undefined ? '' : ', #change = :change'
            }${record.deletedAt === undefined ? '' : ', deletedAt = :deletedAt'}${deployed ? ', deployed = :deployed' : ''}${removal}`,
            ConditionExpression: asRead,
            ExpressionAttributeNames: {
              '#definition': 'definition',
              ...(record.change !== undefined && { '#change': 'change' }),
            },
            ExpressionAttributeValues: {
              ':definition': JSON.stringify(record.definition),
              ':version': record.version,
              ':layouts': JSON.stringify(record.layouts),
              ':awakeUntilMs': record.awakeUntilMs,
              ':zero': 0,
              ':writeId': mark,
              ...(record.change !== undefined && { ':change': JSON.stringify(record.change) }),
              ...(record.version > 1 && { ':versionRead': record.version - 1 }),
              ...(record.deletedAt !== undefined && { ':deletedAt': record.deletedAt }),
              ...(deployed && { ':deployed': JSON.stringify(deployed) }),
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return wasApplied(write, mark);
    },

    async noteDeployed({ version }, queue, deployed) {
      const write = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(queue, 'definition'),
            UpdateExpression: 'SET deployed = :deployed',
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':deployed': JSON.stringify(deployed), ':version': version },
          }),
        ),
      );
      return write.met;
    },

    async keep({ definition, change }) {
      await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...itemOf(definition.name, placeOf(change.version)),
            UpdateExpression: 'SET #definition = :definition, #change = :change, changedAt = :at',
            ConditionExpression: 'attribute_not_exists(changedAt) OR changedAt < :at',
            ExpressionAttributeNames: { '#definition': 'definition', '#change': 'change' },
            ExpressionAttributeValues: {
              ':definition': JSON.stringify(definition),
              ':change': JSON.stringify(change),
              ':at': change.at ?? '',
            },
          }),
        ),
      );
    },

    async kept(queue) {
      const keys = PLACES.map((item) => ({ queue, item }));
      return (await batchGet(client, table, keys)).flatMap((item) => replacedItem.safeParse(item).data ?? []);
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
      const replaced = Math.min((record.change?.version ?? 1) - 1, VERSIONS_KEPT);
      await allOf(
        PLACES.slice(0, replaced).map((_, i) =>
          client.send(new DeleteCommand(itemOf(name, placeOf(record.change!.version - 1 - i)))),
        ),
      );
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

/** The place of a version among those that are kept. */
function placeOf(version: number): `version#${string}` {
  return `version#${String(version % VERSIONS_KEPT).padStart(2, '0')}`;
}

const PLACES = Array.from({ length: VERSIONS_KEPT }, (_, i) => placeOf(i));

const definitionChange = z.object({
  version: z.number(),
  at: z.iso.datetime().exactOptional(),
  by: z.string().exactOptional(),
  restored: z.number().exactOptional(),
}) satisfies z.ZodType<DefinitionChange>;

const deployedNote = z.object({
  digest: z.string(),
  version: z.number(),
}) satisfies z.ZodType<Deployed>;

const replacedItem = z.object({ definition: jsonOf(storedDefinition), change: jsonOf(definitionChange) });

const stateItem = z.object({
  version: z.number(),
  plans: jsonOf(z.array(bucketLayout).min(1)),
  awakeUntilMs: z.number(),
  sentUntilMs: z.number().default(0),
  change: jsonOf(definitionChange).exactOptional(),
  deployed: jsonOf(deployedNote).exactOptional(),
  deletedAt: z.iso.datetime().exactOptional(),
});

const queueItem = stateItem.extend({ definition: jsonOf(storedDefinition) });

function toRecord(item: Record<string, unknown>): QueueRecord {
  const { plans: layouts, ...rest } = readQueue(queueItem, item);
  return { ...rest, layouts };
}

function toState(item: Record<string, unknown>): QueueState {
  const { plans: layouts, ...rest } = readQueue(stateItem, item);
  return { ...rest, layouts };
}

/** @throws UnreadableQueue */
function readQueue<T extends z.ZodType>(schema: T, item: Record<string, unknown>): z.output<T> {
  try {
    return readWith(schema, item, `queue ${item.queue}`);
  } catch (error) {
    throw error instanceof Unreadable ? new UnreadableQueue(String(item.queue), error.message) : error;
  }
}
