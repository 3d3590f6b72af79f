import { DeleteCommand, type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { DefinitionChange } from '../service/domain/definition-state.ts';
import { storedLadder } from '../service/domain/stored-definition.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { LadderRecord, LadderState, LadderStore } from '../service/ports/ladder-store.ts';
import { changeItem } from './change-item.ts';
import { definitionRecords } from './definition-items.ts';
import { definitionChange, definitionVersions, deployedNote } from './definition-versions.ts';
import { conditionally } from './dynamo.ts';
import { jsonOf } from './item.ts';
import { newWriteMark, wasApplied } from './write-mark.ts';

/** No queue can have a name with this character. */
const MARK = '#ladder#';
const ITEM = 'ladder';

/**
 * Ladders in DynamoDB, in the table of the queues: an item for each. Key: `#ladder#NAME`, `ladder`. Definitions that were replaced
 * are beside it: see `definition-versions.ts`.
 *
 *     put            if version and changedAt are as read: a ladder that was removed and created since has another time
 *     noteDeployed   likewise
 *     remove         likewise. Its earlier definitions follow; after a crash they stay, and a ladder of the same name
 *                    replaces each of them before it is listed
 */
export function ladderStore(client: DynamoDBDocumentClient, table: string): LadderStore {
  const itemOf = async (ladder: string) => {
    const Key = keyOf(ladder);
    const { Item } = await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
    return Item;
  };
  const { keep, kept, forget } = definitionVersions(client, table, partitionOf, storedLadder);
  return {
    keep,
    kept,

    async get(ladder) {
      const item = await itemOf(ladder);
      return item && toRecord(item);
    },

    async state(ladder) {
      const item = await itemOf(ladder);
      return item && toState(item);
    },

    async list() {
      const { records, unreadable } = await definitionRecords(client, table, ITEM, toRecord);
      return { records, unreadable: unreadable.map(({ item, error }) => ({ ladder: nameOf(item), error })) };
    },

    async put({ definition, change }, replaced, deployed) {
      const { version } = change;
      const writeId = newWriteMark();
      const isAsRead =
        replaced === undefined ? { condition: 'attribute_not_exists(queue)' } : isStill(replaced);
      const set = {
        definition: JSON.stringify(definition),
        version,
        change: JSON.stringify(change),
        changedAt: change.at,
        deployed: deployed && JSON.stringify(deployed),
        writeId,
      };
      const key = keyOf(definition.name);
      const write = await changeItem(client, { table, key, set, if: [isAsRead] }, 'found');
      return wasApplied(write, writeId);
    },

    async noteDeployed({ change }, ladder, deployed) {
      const set = { deployed: JSON.stringify(deployed) };
      return (await changeItem(client, { table, key: keyOf(ladder), set, if: [isStill(change)] })).met;
    },

    async remove({ change }, ladder) {
      const { condition, values } = isStill(change);
      const removal = await conditionally(() =>
        client.send(
          new DeleteCommand({
            TableName: table,
            Key: keyOf(ladder),
            ConditionExpression: condition,
            ExpressionAttributeValues: values,
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      if (!removal.met && removal.item !== undefined) return false;
      await forget(ladder, change.version);
      return true;
    },
  };
}

/** A ladder of before `changedAt` was stored is known by its version alone. */
function isStill({ version, at = '' }: DefinitionChange) {
  return {
    condition: 'version = :version AND (attribute_not_exists(changedAt) OR changedAt = :changedAt)',
    values: { ':version': version, ':changedAt': at },
  };
}

const stateItem = z.object({
  change: jsonOf(definitionChange),
  deployed: jsonOf(deployedNote).exactOptional(),
});

const ladderItem = stateItem.extend({ definition: jsonOf(storedLadder) });

/** @throws Unreadable */
function toRecord(item: Record<string, unknown>): LadderRecord {
  return readWith(ladderItem, item, `ladder ${nameOf(item)}`);
}

/** @throws Unreadable */
function toState(item: Record<string, unknown>): LadderState {
  return readWith(stateItem, item, `ladder ${nameOf(item)}`);
}

function nameOf(item: Record<string, unknown>): string {
  return String(item.queue).slice(MARK.length);
}

function partitionOf(ladder: string): string {
  return `${MARK}${ladder}`;
}

function keyOf(ladder: string) {
  return { queue: partitionOf(ladder), item: ITEM };
}
