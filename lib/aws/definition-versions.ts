import { DeleteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { VERSIONS_KEPT } from '../contract/definition-versions.ts';
import { allOf } from '../service/concurrency/all-of.ts';
import type { DefinitionChange, Deployed, ReplacedDefinition } from '../service/domain/definition-state.ts';
import { batchGet } from './batch-get.ts';
import { changeItem } from './change-item.ts';
import { jsonOf } from './item.ts';

/**
 * The definitions that were replaced, in the table of the queues. The items `version#00` to `version#49` beside a definition have
 * them, each in the place of the one 50 versions before it.
 *
 *     keep   if the place holds an earlier definition
 *
 * @param keyOf the partition key of a definition, by its name
 * @param schema that of a stored definition
 */
export function definitionVersions<Definition extends { readonly name: string }>(
  client: DynamoDBDocumentClient,
  table: string,
  keyOf: (name: string) => string,
  schema: z.ZodType<Definition>,
) {
  const replacedItem = z.object({ definition: jsonOf(schema), change: jsonOf(definitionChange) });
  return {
    /** Keeps a definition that is about to be replaced. A repetition, or one that is late, changes nothing. */
    async keep({ definition, change }: ReplacedDefinition<Definition>): Promise<void> {
      const changedAt = change.at ?? '';
      const isLater = {
        condition: 'attribute_not_exists(changedAt) OR changedAt < :at',
        values: { ':at': changedAt },
      };
      await changeItem(client, {
        table,
        key: { queue: keyOf(definition.name), item: placeOf(change.version) },
        set: { definition: JSON.stringify(definition), change: JSON.stringify(change), changedAt },
        if: [isLater],
      });
    },

    /** The definitions that were kept and that this version of Muster can parse, in no order. */
    async kept(name: string): Promise<ReplacedDefinition<Definition>[]> {
      const keys = PLACES.map((item) => ({ queue: keyOf(name), item }));
      return (await batchGet(client, table, keys)).flatMap((item) => replacedItem.safeParse(item).data ?? []);
    },

    /** Removes the definitions that were replaced before this version. */
    async forget(name: string, version: number): Promise<void> {
      const replaced = Math.min(version - 1, VERSIONS_KEPT);
      await allOf(
        PLACES.slice(0, replaced).map((_, i) => {
          const Key = { queue: keyOf(name), item: placeOf(version - 1 - i) };
          return client.send(new DeleteCommand({ TableName: table, Key }));
        }),
      );
    },
  };
}

/** The place of a version among those that are kept. */
function placeOf(version: number): string {
  return `version#${String(version % VERSIONS_KEPT).padStart(2, '0')}`;
}

const PLACES = Array.from({ length: VERSIONS_KEPT }, (_, i) => placeOf(i));

/** A change of a definition as it is stored. */
export const definitionChange = z.object({
  version: z.number(),
  at: z.iso.datetime().exactOptional(),
  by: z.string().exactOptional(),
  restored: z.number().exactOptional(),
}) satisfies z.ZodType<DefinitionChange>;

/** What a deployment has noted, as it is stored. */
export const deployedNote = z.object({
  digest: z.string(),
  version: z.number(),
}) satisfies z.ZodType<Deployed>;
