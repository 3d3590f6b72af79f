import { DeleteCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { VERSIONS_KEPT } from '../contract/definition-versions.ts';
import { allOf } from '../service/concurrency/in-parallel.ts';
import { changeOf, type DefinitionState, definitionChange } from '../service/domain/stored-definition.ts';
import { ifReadable } from '../service/domain/unreadable.ts';
import type { DefinitionStore, StoredDefinitions } from '../service/ports/definition-store.ts';
import { BATCH_GET_MAX, batchGet } from './batch-get.ts';
import { type Condition, deletionOf } from './change-item.ts';
import { conditionally } from './dynamo.ts';
import { jsonOf } from './item.ts';
import { itemTable } from './item-table.ts';

/** The index of the queues table by `item`, then `queue`. It holds keys only. */
const INDEX = 'items';

/** A kind of definitions in the table of the queues. */
export interface DefinitionKind<Definition, State> {
  /** The sort key of definitions of this kind. */
  readonly item: string;
  /** The prefix of their names in the partition key. */
  readonly namePrefix: string;
  /** The schema of a stored definition. */
  readonly schema: z.ZodType<Definition>;
  /** @throws Unreadable */
  readonly toRecord: (item: Item, name: string) => State & { readonly definition: Definition };
  /** @throws Unreadable */
  readonly toState: (item: Item, name: string) => State;
  /** The conditions that a stored definition still has this state. */
  readonly isStill: (state: State) => readonly Condition[];
}

type Item = Record<string, unknown>;
type Rest<All extends readonly unknown[]> = All extends [unknown, ...infer Others] ? Others : never;

/**
 * Definitions in DynamoDB, in the table of the queues. Key: `queue`, `item`. The items `version#00` to `version#49` of a
 * definition hold its replaced versions. Each overwrites the version 50 before it.
 *
 *     recordDeployed   if the definition still has the state
 *     remove           on the same condition. The replaced versions are removed next. After a crash they stay, and a new
 *                      definition of the same name overwrites each before it is listed
 *     keep             if the item holds an earlier version
 */
export function definitionStore<Definition extends { readonly name: string }, State extends DefinitionState>(
  client: DynamoDBDocumentClient,
  table: string,
  { item, namePrefix, schema, toRecord, toState, isStill }: DefinitionKind<Definition, State>,
) {
  const items = itemTable(client, table, (name: string, at: string) => ({
    queue: `${namePrefix}${name}`,
    item: at,
  }));
  /** Changes the item of a definition. */
  const change = (name: string, ...rest: Rest<Parameters<typeof items.change>>) =>
    items.change([name, item], ...rest);
  const replacedItem = z.object({ definition: jsonOf(schema), change: jsonOf(definitionChange) });
  const nameOf = ({ queue }: Item) => String(queue).slice(namePrefix.length);
  const forget = (name: string, version: number) =>
    allOf(
      PLACES.slice(0, Math.min(version - 1, VERSIONS_KEPT)).map((_, i) => {
        const Key = items.keyOf(name, versionItem(version - 1 - i));
        return client.send(new DeleteCommand({ TableName: table, Key }));
      }),
    );
  const store: DefinitionStore<Definition, State> = {
    async get(name) {
      const found = await items.get([name, item]);
      return found && toRecord(found, name);
    },

    async state(name) {
      const found = await items.get([name, item]);
      return found && toState(found, name);
    },

    async list() {
      const listed: StoredDefinitions<State & { readonly definition: Definition }> = {
        records: [],
        unreadable: [],
      };
      for await (const keys of definitionKeys(client, table, item)) {
        for (const found of await batchGet(client, table, keys)) {
          const name = nameOf(found);
          const record = ifReadable(
            () => toRecord(found, name),
            (error) => listed.unreadable.push({ name, error }),
          );
          if (record !== undefined) listed.records.push(record);
        }
      }
      listed.records.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
      return listed;
    },

    async recordDeployed(state, name, deployed) {
      const set = { deployed: JSON.stringify(deployed) };
      return (await change(name, { set, if: isStill(state) })).met;
    },

    async remove(state, name) {
      const deletion = deletionOf({ table, key: items.keyOf(name, item), if: isStill(state) });
      const removal = await conditionally(() =>
        client.send(new DeleteCommand({ ...deletion, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })),
      );
      if (!removal.met && removal.item !== undefined) return false;
      await forget(name, changeOf(state).version);
      return true;
    },

    async keep({ definition, change: made }) {
      const changedAt = made.at ?? '';
      const isLater = {
        condition: 'attribute_not_exists(changedAt) OR changedAt < :at',
        values: { ':at': changedAt },
      };
      const set = { definition: JSON.stringify(definition), change: JSON.stringify(made), changedAt };
      await items.change([definition.name, versionItem(made.version)], { set, if: [isLater] });
    },

    async kept(name) {
      const found = await items.all(PLACES.map((place) => [name, place]));
      return found.flatMap((one) => replacedItem.safeParse(one).data ?? []);
    },
  };
  return { change, store };
}

/**
 * The keys of all definitions of a kind, a hundred at a time, in no order. The cost grows with their number: one key of the
 * index, and one consistent read of the item. Leases and reports, which are far more numerous, are not read.
 *
 * The index is updated a moment after the table, so a definition created less than about a second ago may be missing.
 */
export async function* definitionKeys(
  client: DynamoDBDocumentClient,
  table: string,
  item: string,
): AsyncGenerator<Item[]> {
  let start: Item | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: INDEX,
        KeyConditionExpression: '#item = :definition',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':definition': item },
        Limit: BATCH_GET_MAX,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    yield (page.Items ?? []).map((key) => ({ queue: key.queue, item: key.item }));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

/** The sort key of a replaced version. */
function versionItem(version: number): string {
  return `version#${String(version % VERSIONS_KEPT).padStart(2, '0')}`;
}

const PLACES = Array.from({ length: VERSIONS_KEPT }, (_, i) => versionItem(i));
