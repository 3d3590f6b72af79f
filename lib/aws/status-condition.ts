import { NONE, type Transition } from '../service/domain/statuses.ts';

/** The condition of a conditional write, and the values in it. */
export interface StatusCondition {
  readonly condition: string;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * The condition that an item has one of the statuses from which a transition starts.
 * @param key the attribute of the item's key, whose absence shows that the item does not exist
 * @param name the placeholder of the attribute that holds the status @default '#status'
 */
export function statusCondition(
  { from }: Transition<string>,
  key: string,
  name: '#status' | '#state' = '#status',
): StatusCondition {
  const statuses = from.filter((status) => status !== NONE);
  const values = Object.fromEntries(statuses.map((status) => [`:is${status}`, status]));
  const isOne = Object.keys(values).map((value) => `${name} = ${value}`);
  const isNone = from.includes(NONE) ? [`attribute_not_exists(${key})`] : [];
  const either = [...isNone, ...isOne];
  return { condition: either.length === 1 ? either[0]! : `(${either.join(' OR ')})`, values };
}
