import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { bucketLayout } from '../service/domain/buckets.ts';
import {
  type QueueRecord,
  type QueueState,
  storedExperiment,
  watched,
} from '../service/domain/queue-record.ts';
import { definitionChange, deployed, storedDefinition } from '../service/domain/stored-definition.ts';
import { readWith, Unreadable, UnreadableQueue } from '../service/domain/unreadable.ts';
import type { QueueStore } from '../service/ports/queue-store.ts';
import { isAsRead } from './change-item.ts';
import { definitionKeys, definitionStore } from './definition-store.ts';
import { jsonOf, rememberedJsonOf } from './item.ts';

/**
 * Queues in DynamoDB. Key: `queue`, `item`. The item `definition` is the queue itself. For replaced definitions see
 * `definition-store.ts`.
 *
 *     put             if version and awakeUntilMs are as read
 *     extendAwake     if version and awakeUntilMs are as read
 *     confirmSent     if sentUntilMs is as read
 *     extendWatched   if watched is as read. A lost response counts as a lost race: the caller reads the queue again
 *     extend          if the queue exists
 *     dropLayouts     if version is as read
 *
 * For writes whose response is lost see `write-mark.ts`.
 */
export function queueStore(client: DynamoDBDocumentClient, table: string): QueueStore {
  const { change, store } = definitionStore<QueueDefinition, QueueState>(client, table, {
    item: ITEM,
    namePrefix: '',
    schema: storedDefinition,
    toRecord: (item, name) => readQueue(queueItem, item, name),
    toState: (item, name) => readQueue(stateItem, item, name),
    isStill: ({ version }) => [isAsRead('version', version)],
  });
  return {
    ...store,
    remove: (record) => store.remove(record, record.definition.name),

    async count() {
      let count = 0;
      for await (const keys of definitionKeys(client, table, ITEM)) count += keys.length;
      return count;
    },

    async put(record, note) {
      const { definition, version, layouts, awakeUntilMs, deletedAt, experiment } = record;
      const areAsRead =
        version === 1
          ? [isAsRead('queue', undefined)]
          : [isAsRead('version', version - 1), isAsRead('awakeUntilMs', awakeUntilMs)];
      const { met } = await change(definition.name, {
        set: {
          definition: JSON.stringify(definition),
          version,
          layouts: JSON.stringify(layouts),
          awakeUntilMs,
          change: record.change && JSON.stringify(record.change),
          deletedAt,
          experiment: experiment && JSON.stringify(experiment),
          deployed: note ? JSON.stringify(note) : undefined,
        },
        init: { sentUntilMs: 0 },
        remove: [deletedAt === undefined ? 'deletedAt' : [], note === null ? 'deployed' : []].flat(),
        if: areAsRead,
        once: true,
      });
      return met;
    },

    async extendAwake(record, untilMs) {
      const set = { awakeUntilMs: untilMs };
      const areAsRead = [isAsRead('awakeUntilMs', record.awakeUntilMs), isAsRead('version', record.version)];
      return (await change(nameOf(record), { set, if: areAsRead, once: true })).met;
    },

    async confirmSent(record, untilMs) {
      const areAsRead = [isAsRead('sentUntilMs', record.sentUntilMs)];
      await change(nameOf(record), { set: { sentUntilMs: untilMs }, if: areAsRead });
    },

    async extendWatched(record, watched) {
      const read = record.watched && JSON.stringify(record.watched);
      const set = { watched: JSON.stringify(watched) };
      return (await change(nameOf(record), { set, if: [EXISTS, isAsRead('watched', read)] })).met;
    },

    async extend(record, what, untilMs) {
      await change(nameOf(record), { set: { [what]: untilMs }, if: [EXISTS] });
    },

    async dropLayouts(record, keep) {
      const set = { layouts: JSON.stringify(keep) };
      return (await change(nameOf(record), { set, if: [isAsRead('version', record.version)] })).met;
    },
  };
}

const ITEM = 'definition';
const EXISTS = { condition: 'attribute_exists(queue)' };

const nameOf = ({ definition }: QueueRecord) => definition.name;

/**
 * The maximum characters of definitions and experiments that a function caches parsed. `dispatch` reads all of them each minute,
 * and a parsed one takes about ten bytes per character.
 */
const LETTERS_MAX = 8_000_000;
/** The same of layouts, which change with the load, and of the last changes. */
const STATE_LETTERS_MAX = 1_000_000;

const stateItem = z.object({
  version: z.number(),
  layouts: rememberedJsonOf(z.array(bucketLayout).min(1), STATE_LETTERS_MAX),
  awakeUntilMs: z.number(),
  sentUntilMs: z.number().default(0),
  watched: jsonOf(watched).exactOptional(),
  change: rememberedJsonOf(definitionChange, STATE_LETTERS_MAX).exactOptional(),
  deployed: jsonOf(deployed).exactOptional(),
  presenceHeldUntilMs: z.number().exactOptional(),
  linkedUntilMs: z.number().exactOptional(),
  deletedAt: z.iso.datetime().exactOptional(),
  // If a later version has stored an experiment that this one cannot read, the queue is searched by its definition.
  experiment: rememberedJsonOf(storedExperiment, LETTERS_MAX).optional().catch(undefined),
});

const queueItem = stateItem.extend({ definition: rememberedJsonOf(storedDefinition, LETTERS_MAX) });

/** @throws UnreadableQueue */
function readQueue<T extends z.ZodType>(schema: T, item: unknown, name: string): z.output<T> {
  try {
    return readWith(schema, item, `queue ${name}`);
  } catch (error) {
    throw error instanceof Unreadable ? new UnreadableQueue(name, error.message) : error;
  }
}
