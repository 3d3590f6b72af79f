import { DeleteCommand, type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { ladderDefinition } from '../contract/ladder.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { LadderRecord, LadderStore } from '../service/ports/ladder-store.ts';
import { changeItem } from './change-item.ts';
import { definitionItems } from './definition-items.ts';
import { conditionally } from './dynamo.ts';
import { jsonOf } from './item.ts';
import { definitionChange, deployedNote } from './queue-store.ts';
import { newWriteMark, wasApplied } from './write-mark.ts';

/** No queue can have a name with this character. */
const MARK = '#ladder#';
const ITEM = 'ladder';

/**
 * Ladders in DynamoDB, in the table of the queues: an item for each. Key: `#ladder#NAME`, `ladder`.
 *
 *     put      if version is as read
 *     remove   if version is as read
 */
export function ladderStore(client: DynamoDBDocumentClient, table: string): LadderStore {
  return {
    async get(ladder) {
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: keyOf(ladder), ConsistentRead: true }),
      );
      return Item && toRecord(Item);
    },

    async list() {
      const records: LadderRecord[] = [];
      for await (const item of definitionItems(client, table, ITEM)) records.push(toRecord(item));
      return records.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
    },

    async put({ definition, change, deployed }) {
      const { version } = change;
      const writeId = newWriteMark();
      const isAsRead =
        version === 1
          ? { condition: 'attribute_not_exists(queue)' }
          : { condition: 'version = :version', values: { ':version': version - 1 } };
      const set = {
        definition: JSON.stringify(definition),
        version,
        change: JSON.stringify(change),
        deployed: deployed && JSON.stringify(deployed),
        writeId,
      };
      const key = keyOf(definition.name);
      const write = await changeItem(client, { table, key, set, if: [isAsRead] }, 'found');
      return wasApplied(write, writeId);
    },

    async remove({ definition: { name }, change }) {
      const removal = await conditionally(() =>
        client.send(
          new DeleteCommand({
            TableName: table,
            Key: keyOf(name),
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':version': change.version },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return removal.met || removal.item === undefined;
    },
  };
}

const ladderItem = z.object({
  definition: jsonOf(z.object(ladderDefinition.shape)),
  change: jsonOf(definitionChange),
  deployed: jsonOf(deployedNote).exactOptional(),
});

/** @throws Unreadable */
function toRecord(item: Record<string, unknown>): LadderRecord {
  return readWith(ladderItem, item, `ladder ${String(item.queue).slice(MARK.length)}`);
}

function keyOf(ladder: string) {
  return { queue: `${MARK}${ladder}`, item: ITEM };
}
