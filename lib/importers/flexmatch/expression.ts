/** A property expression of FlexMatch in the forms that are imported. */
export type Expression =
  | { readonly call: string; readonly of: Expression }
  /** The players of some teams: a value for each player of each team. */
  | { readonly teams: '*' | readonly string[]; readonly attribute: string }
  | { readonly teams: '*' | readonly string[]; readonly playerIds: true }
  /** The players themselves, to be counted. */
  | { readonly teams: '*' | readonly string[]; readonly players: true };

const CALL = /^(flatten|avg|min|max|sum|count|median|stddev|set_intersection)\((.*)\)$/;
const ATTRIBUTE = /^teams\[([^\]]+)\]\.players\.attributes\[([^\]]+)\]$/;
const IDS = /^teams\[([^\]]+)\]\.players\[(?:playerId|player_id)\]$/i;

const PLAYERS = /^teams\[([^\]]+)\]\.players$/;

/** The forms that are imported have three functions at most. */
const LENGTH_MAX = 500;

/** Undefined when the text is not one of these forms. */
export function parseExpression(text: string): Expression | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const trimmed = text.replaceAll(/\s+/g, '');
  const call = CALL.exec(trimmed);
  if (call) {
    const of = parseExpression(call[2]!);
    return of && { call: call[1]!, of };
  }
  const attribute = ATTRIBUTE.exec(trimmed);
  if (attribute) return { teams: teamsOf(attribute[1]!), attribute: attribute[2]! };
  const players = PLAYERS.exec(trimmed);
  if (players) return { teams: teamsOf(players[1]!), players: true };
  const ids = IDS.exec(trimmed);
  return ids ? { teams: teamsOf(ids[1]!), playerIds: true } : undefined;
}

function teamsOf(list: string): '*' | readonly string[] {
  return list === '*' ? '*' : list.split(',');
}

/** A parsed expression: the functions from the outside in, and their operand. */
export interface Measurement {
  readonly calls: readonly string[];
  readonly attribute: string | undefined;
  /** Whether the expression refers to all teams. */
  readonly isEverybody: boolean;
  /** The team, when it refers to a single one. */
  readonly team: string | undefined;
  /** Whether it refers to the players and not to a value of them. */
  readonly isPlayers: boolean;
  /** Whether it refers to their ids. */
  readonly isIds: boolean;
}

export function takeApart(expression: Expression, teams: readonly string[]): Measurement {
  const calls: string[] = [];
  let inner = expression;
  while ('call' in inner) {
    calls.push(inner.call);
    inner = inner.of;
  }
  const named = inner.teams;
  return {
    calls,
    attribute: 'attribute' in inner ? inner.attribute : undefined,
    isEverybody: named === '*' || teams.every((team) => named.includes(team)),
    team: named !== '*' && named.length === 1 && teams.includes(named[0]!) ? named[0] : undefined,
    isPlayers: 'players' in inner,
    isIds: 'playerIds' in inner,
  };
}
