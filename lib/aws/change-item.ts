import { type DynamoDBDocumentClient, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { conditionally } from './dynamo.ts';
import { newWriteMark } from './write-mark.ts';

/**
 * A change of one item. Values are given by attribute, and become an expression of DynamoDB. `a.b` is the attribute `b` of a map
 * `a`.
 */
export interface ItemChange {
  readonly table: string;
  readonly key: Readonly<Record<string, string>>;
  /** The new values. An undefined value does not change its attribute. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** The values of attributes that the item does not have yet. */
  readonly init?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  /** The elements to add to sets, and the amounts to add to numbers. */
  readonly add?: Readonly<Record<string, ReadonlySet<string> | ReadonlySet<number> | number>>;
  /** All of these must hold, otherwise nothing changes. @default always */
  readonly if?: readonly Condition[];
  /** Stores a mark, by which a repetition after a lost response counts as met: see `write-mark.ts`. */
  readonly once?: true;
}

/**
 * A condition in DynamoDB's language: `#name` is an attribute, and `:name` one of the values. An OR stands in parentheses, unless
 * the condition is the only one of its change: DynamoDB rejects parentheses that change nothing.
 */
export interface Condition {
  readonly condition: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** The condition that an attribute is as it was read; undefined: the item did not have it. */
export function isAsRead(name: string, value: unknown): Condition {
  return value === undefined
    ? { condition: `attribute_not_exists(#${name})` }
    : { condition: `#${name} = :${name}`, values: { [`:${name}`]: value } };
}

/** The request of a change, alone or as a part of a transaction. */
export function updateOf({ table, key, set, init, remove = [], add, if: conditions = [] }: ItemChange) {
  const values: Record<string, unknown> = Object.assign({}, ...conditions.map((one) => one.values));
  const names: Record<string, string> = {};
  const placeholder = (path: string) =>
    path
      .split('.')
      .map((name) => {
        names[`#${name}`] = name;
        return `#${name}`;
      })
      .join('.');
  let count = 0;
  const written = (changes: ItemChange['set'], as: (path: string, value: string) => string) =>
    Object.entries(changes ?? {}).flatMap(([path, value]) => {
      if (value === undefined) return [];
      // Short, because an expression has at most 4 KB. The prefix distinguishes it from the names in conditions.
      const name = `:v${count++}`;
      values[name] = value;
      return [as(placeholder(path), name)];
    });
  const sets = [
    ...written(set, (path, value) => `${path} = ${value}`),
    ...written(init, (path, value) => `${path} = if_not_exists(${path}, ${value})`),
  ];
  const adds = written(add, (path, value) => `${path} ${value}`);
  const UpdateExpression = [
    ...clause('SET', sets),
    ...clause('REMOVE', remove.map(placeholder)),
    ...clause('ADD', adds),
  ].join(' ');
  const ConditionExpression = conditions.map(({ condition }) => condition).join(' AND ');
  for (const [placed, name] of ConditionExpression.matchAll(/#(\w+)/g)) names[placed] = name!;
  return {
    TableName: table,
    Key: key,
    UpdateExpression,
    ...(conditions.length > 0 && { ConditionExpression }),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  } satisfies UpdateCommandInput;
}

/** The request of a deletion, if all conditions hold. */
export function deletionOf(change: Pick<ItemChange, 'table' | 'key' | 'if'>) {
  const { UpdateExpression: _, ...deletion } = updateOf(change);
  return deletion;
}

const clause = (verb: string, parts: readonly string[]) =>
  parts.length === 0 ? [] : [`${verb} ${parts.join(', ')}`];

/** The item that a change returns. `found`: only if a condition failed; `after`: also the changed item. */
export type Returned = 'nothing' | 'found' | 'after';

export interface Changed {
  readonly met: boolean;
  readonly item: Record<string, unknown> | undefined;
}

/**
 * Changes an item if its conditions hold. `met`: whether they did.
 * @throws StoreBusy when every try conflicted with other writers; then nothing has changed
 */
export async function changeItem(
  client: DynamoDBDocumentClient,
  { once, ...change }: ItemChange,
  returns: Returned = once ? 'found' : 'nothing',
): Promise<Changed> {
  const writeId = once && newWriteMark();
  const write = await conditionally(() =>
    client.send(
      new UpdateCommand({
        ...updateOf({ ...change, set: { ...change.set, writeId } }),
        ...(returns === 'after' && { ReturnValues: 'ALL_NEW' }),
        ...(returns !== 'nothing' && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      }),
    ),
  );
  if (write.met) return { met: true, item: write.result.Attributes };
  return { met: writeId !== undefined && write.item?.writeId === writeId, item: write.item };
}
