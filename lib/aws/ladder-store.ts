import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { LadderDefinition } from '../contract/ladder.ts';
import {
  type DefinitionChange,
  definitionChange,
  deployed,
  storedLadder,
} from '../service/domain/stored-definition.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { LadderState, LadderStore } from '../service/ports/ladder-store.ts';
import { isAsRead } from './change-item.ts';
import { definitionStore } from './definition-store.ts';
import { jsonOf } from './item.ts';

/**
 * Ladders in DynamoDB, in the table of the queues; see `definition-store.ts`. No queue can have a name like the partition key of
 * a ladder. A ladder is unchanged if its version and `changedAt` are. A ladder that was removed and created again has another
 * time.
 *
 *     put   if the ladder is unchanged
 */
export function ladderStore(client: DynamoDBDocumentClient, table: string): LadderStore {
  const { change, store } = definitionStore<LadderDefinition, LadderState>(client, table, {
    item: 'ladder',
    namePrefix: '#ladder#',
    schema: storedLadder,
    toRecord: (item, name) => readWith(ladderItem, item, `ladder ${name}`),
    toState: (item, name) => readWith(stateItem, item, `ladder ${name}`),
    isStill: ({ change }) => isStill(change),
  });
  return {
    ...store,

    async put({ definition, change: made }, replaced, note) {
      const areAsRead = replaced === undefined ? [isAsRead('queue', undefined)] : isStill(replaced);
      const set = {
        definition: JSON.stringify(definition),
        version: made.version,
        change: JSON.stringify(made),
        changedAt: made.at,
        deployed: note && JSON.stringify(note),
      };
      return (await change(definition.name, { set, if: areAsRead, once: true })).met;
    },
  };
}

function isStill({ version, at = '' }: DefinitionChange) {
  return [isAsRead('version', version), isAsRead('changedAt', at)];
}

const stateItem = z.object({
  change: jsonOf(definitionChange),
  deployed: jsonOf(deployed).exactOptional(),
});

const ladderItem = stateItem.extend({ definition: jsonOf(storedLadder) });
