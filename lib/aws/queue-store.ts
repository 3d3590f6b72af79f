import { DeleteCommand, type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { bucketLayout } from '../service/domain/buckets.ts';
import type { QueueRecord, QueueState, Watched } from '../service/domain/queue-record.ts';
import { storedDefinition } from '../service/domain/stored-definition.ts';
import { storedExperiment } from '../service/domain/stored-experiment.ts';
import { readWith, Unreadable, UnreadableQueue } from '../service/domain/unreadable.ts';
import type { QueueStore } from '../service/ports/queue-store.ts';
import { type Condition, changeItem } from './change-item.ts';
import { countDefinitions, definitionRecords } from './definition-items.ts';
import { definitionChange, definitionVersions, deployedNote } from './definition-versions.ts';
import { conditionally } from './dynamo.ts';
import { jsonOf, rememberedJsonOf } from './item.ts';
import { newWriteMark, wasApplied } from './write-mark.ts';

/**
 * Queues in DynamoDB. Key: `queue`, `item`. The item `definition` is the queue itself. Definitions that were replaced are beside
 * it: see `definition-versions.ts`.
 *
 *     put           if version and awakeUntilMs are as read
 *     noteDeployed  if version is as read
 *     extendAwake   if version and awakeUntilMs are as read
 *     confirmSent   if sentUntilMs is as read
 *     extendWatched  if watched is as read. A lost response counts as a lost race: the caller reads the queue again
 *     holdPresence  if the queue exists
 *     dropLayouts   if version is as read
 *     remove        if version is as read
 *
 * For writes whose response is lost see `write-mark.ts`.
 */
export function queueStore(client: DynamoDBDocumentClient, table: string): QueueStore {
  const { keep, kept } = versionsOf(client, table);
  return {
    ...queueReads(client, table),
    ...definitionWrites(client, table),
    ...tickWrites(client, table),
    keep,
    kept,
  };
}

function versionsOf(client: DynamoDBDocumentClient, table: string) {
  return definitionVersions(client, table, (queue) => queue, storedDefinition);
}

function queueReads(client: DynamoDBDocumentClient, table: string) {
  const itemOf = async (queue: string) => {
    const Key = keyOf(queue);
    const { Item } = await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
    return Item;
  };
  return {
    async get(queue) {
      const item = await itemOf(queue);
      return item && toRecord(item);
    },

    async state(queue) {
      const item = await itemOf(queue);
      return item && toState(item);
    },

    async list() {
      const { records, unreadable } = await definitionRecords(client, table, 'definition', toRecord);
      return {
        records,
        unreadable: unreadable.map(({ item, error }) => ({ queue: String(item.queue), error })),
      };
    },

    count: () => countDefinitions(client, table),
  } satisfies Partial<QueueStore>;
}

/** The writes of those who change a definition. */
function definitionWrites(client: DynamoDBDocumentClient, table: string) {
  return {
    async put(record, deployed) {
      const { definition, version, layouts, awakeUntilMs, deletedAt, change, experiment } = record;
      const writeId = newWriteMark();
      const isAsRead =
        version === 1
          ? { condition: 'attribute_not_exists(queue)' }
          : {
              condition: 'version = :version AND awakeUntilMs = :awakeUntilMs',
              values: { ':version': version - 1, ':awakeUntilMs': awakeUntilMs },
            };
      const write = await changeItem(
        client,
        {
          table,
          key: keyOf(definition.name),
          set: {
            definition: JSON.stringify(definition),
            version,
            layouts: JSON.stringify(layouts),
            awakeUntilMs,
            change: change && JSON.stringify(change),
            deletedAt,
            experiment: experiment && JSON.stringify(experiment),
            deployed: deployed ? JSON.stringify(deployed) : undefined,
            writeId,
          },
          init: { sentUntilMs: 0 },
          remove: [deletedAt === undefined ? 'deletedAt' : [], deployed === null ? 'deployed' : []].flat(),
          if: [isAsRead],
        },
        'found',
      );
      return wasApplied(write, writeId);
    },

    async noteDeployed({ version }, queue, deployed) {
      const set = { deployed: JSON.stringify(deployed) };
      const key = keyOf(queue);
      return (await changeItem(client, { table, key, set, if: [hasVersion(version)] })).met;
    },

    async remove({ definition: { name }, version, change }) {
      await versionsOf(client, table).forget(name, change?.version ?? 1);
      const removal = await conditionally(() =>
        client.send(
          new DeleteCommand({
            TableName: table,
            Key: keyOf(name),
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':version': version },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return removal.met || removal.item === undefined;
    },
  } satisfies Partial<QueueStore>;
}

/** The writes of those who schedule ticks and remove layouts. */
function tickWrites(client: DynamoDBDocumentClient, table: string) {
  const keyFor = ({ definition }: QueueRecord) => keyOf(definition.name);
  return {
    async extendAwake(record, untilMs) {
      const writeId = newWriteMark();
      const set = { awakeUntilMs: untilMs, writeId };
      const isAsRead = {
        condition: 'awakeUntilMs = :read AND version = :version',
        values: { ':read': record.awakeUntilMs, ':version': record.version },
      };
      const write = await changeItem(client, { table, key: keyFor(record), set, if: [isAsRead] }, 'found');
      return wasApplied(write, writeId);
    },

    async confirmSent(record, untilMs) {
      const isAsRead = { condition: 'sentUntilMs = :read', values: { ':read': record.sentUntilMs } };
      await changeItem(client, {
        table,
        key: keyFor(record),
        set: { sentUntilMs: untilMs },
        if: [isAsRead],
      });
    },

    async extendWatched(record, watched) {
      const { watched: read } = record;
      const isAsRead =
        read === undefined
          ? { condition: 'attribute_exists(queue) AND attribute_not_exists(watched)' }
          : { condition: 'watched = :read', values: { ':read': JSON.stringify(read) } };
      const set = { watched: JSON.stringify(watched) };
      return (await changeItem(client, { table, key: keyFor(record), set, if: [isAsRead] })).met;
    },

    async holdPresence(record, untilMs) {
      const exists = { condition: 'attribute_exists(queue)' };
      await changeItem(client, {
        table,
        key: keyFor(record),
        set: { presenceHeldUntilMs: untilMs },
        if: [exists],
      });
    },

    async dropLayouts(record, keep) {
      const set = { layouts: JSON.stringify(keep) };
      const change = { table, key: keyFor(record), set, if: [hasVersion(record.version)] };
      return (await changeItem(client, change)).met;
    },
  } satisfies Partial<QueueStore>;
}

function keyOf(queue: string) {
  return { queue, item: 'definition' };
}

function hasVersion(version: number): Condition {
  return { condition: 'version = :version', values: { ':version': version } };
}

/**
 * The letters of definitions and experiments that a function keeps parsed. `dispatch` reads all of them each minute, and a parsed one
 * takes about ten bytes a letter.
 */
const LETTERS_MAX = 8_000_000;

const watched = z.object({ fromMs: z.number(), untilMs: z.number() }) satisfies z.ZodType<Watched>;

const stateItem = z.object({
  version: z.number(),
  layouts: jsonOf(z.array(bucketLayout).min(1)),
  awakeUntilMs: z.number(),
  sentUntilMs: z.number().default(0),
  watched: jsonOf(watched).exactOptional(),
  change: jsonOf(definitionChange).exactOptional(),
  deployed: jsonOf(deployedNote).exactOptional(),
  presenceHeldUntilMs: z.number().exactOptional(),
  deletedAt: z.iso.datetime().exactOptional(),
  // Without one that a later version has stored, the queue is searched by its definition.
  experiment: rememberedJsonOf(storedExperiment, LETTERS_MAX).optional().catch(undefined),
});

const queueItem = stateItem.extend({ definition: rememberedJsonOf(storedDefinition, LETTERS_MAX) });

const toRecord = (item: Record<string, unknown>): QueueRecord => readQueue(queueItem, item);

const toState = (item: Record<string, unknown>): QueueState => readQueue(stateItem, item);

/** @throws UnreadableQueue */
function readQueue<T extends z.ZodType>(schema: T, item: Record<string, unknown>): z.output<T> {
  try {
    return readWith(schema, item, `queue ${item.queue}`);
  } catch (error) {
    throw error instanceof Unreadable ? new UnreadableQueue(String(item.queue), error.message) : error;
  }
}
