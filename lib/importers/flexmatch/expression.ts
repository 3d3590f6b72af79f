/** A property expression of FlexMatch in one of the forms that are imported: functions of the players of some teams. */
export interface Measurement {
  /** The functions from the outside in. */
  readonly calls: readonly string[];
  readonly attribute: string | undefined;
  /** Whether the expression refers to all teams. */
  readonly isEverybody: boolean;
  /** The team, when it refers to a single one. */
  readonly team: string | undefined;
  /** Whether it refers to the players, to be counted, and not to a value of them. */
  readonly isPlayers: boolean;
  /** Whether it refers to their ids. */
  readonly isIds: boolean;
}

const CALLS = /^(?:(?:flatten|avg|min|max|sum|count|median|stddev|set_intersection)\()*/;
const PLAYERS = /^teams\[([^\]]+)\]\.players(?:\.attributes\[([^\]]+)\]|(\[player_?id\]))?(\)*)$/i;

/** Undefined when it is not one of these forms. @param teams the names of all teams */
export function parseExpression(text: unknown, teams: readonly string[]): Measurement | undefined {
  if (typeof text !== 'string') return undefined;
  const trimmed = text.replaceAll(/\s+/g, '');
  const [opening] = CALLS.exec(trimmed)!;
  const calls = opening.split('(').slice(0, -1);
  const [, list, attribute, ids, closing] = PLAYERS.exec(trimmed.slice(opening.length)) ?? [];
  if (list === undefined || closing!.length !== calls.length) return undefined;
  const named = list.split(',');
  return {
    calls,
    attribute,
    isEverybody: list === '*' || teams.every((team) => named.includes(team)),
    team: named.length === 1 && teams.includes(list) ? list : undefined,
    isPlayers: attribute === undefined && ids === undefined,
    isIds: ids !== undefined,
  };
}
