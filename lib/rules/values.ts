import type { Attributes, AttributeValue, RuledPlayer } from './types.ts';

/** The attribute that every player has without naming it. */
export const SKILL = 'skill';

/** A player's value: its own, or the default; undefined for a bot and for a player without either. */
export function attributeOf(
  player: RuledPlayer,
  attribute: string,
  attributes: Attributes,
): AttributeValue | undefined {
  if (attribute === SKILL) return player.skill;
  if (player.bot) return undefined;
  const own = player.attributes;
  if (own !== undefined && Object.hasOwn(own, attribute)) return own[attribute];
  return attributes[attribute]?.default;
}

/** How a party counts in a `within` rule: each player, or one value for all. */
export type PartyValue = 'each' | 'mean' | 'least' | 'greatest';

/** The numbers of a party in a `within` rule; a player without a value does not count. */
export function numbersOf(
  players: readonly RuledPlayer[],
  attribute: string,
  attributes: Attributes,
  party: PartyValue = 'each',
): number[] {
  const values: number[] = [];
  for (const player of players) {
    const value = attributeOf(player, attribute, attributes);
    if (typeof value === 'number') values.push(value);
  }
  if (party === 'each' || values.length === 0) return values;
  if (party === 'least') return [Math.min(...values)];
  if (party === 'greatest') return [Math.max(...values)];
  return [values.reduce((a, b) => a + b, 0) / values.length];
}
