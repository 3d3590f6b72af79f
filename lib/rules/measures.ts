import type { RuleContext, RuledGame, RuledTicket, Verdict } from './rule-type.ts';
import type { Attributes, RuledPlayer } from './types.ts';
import { attributeOf, numbersOf } from './values.ts';

/** Whether a rule applies to the game, so that a subset of its players can violate it. */
export function isOverGame(rule: object): boolean {
  const { scope, team } = rule as { readonly scope?: string; readonly team?: string };
  return team === undefined && (scope === undefined || scope === 'game');
}

/** The rule over the players of a team, when it is one of each team, or of the teams of this kind. */
export function overMates<R extends Scoped>(rule: R, kind?: string): R | undefined {
  const isOfTeam = rule.scope === 'team' || (rule.team !== undefined && rule.team === kind);
  return isOfTeam ? { ...rule, scope: undefined, team: undefined } : undefined;
}

/** The players that a rule is about. */
export interface Scoped {
  /** @default the whole game */
  readonly scope?: 'game' | 'team' | undefined;
  /** Instead of a scope: the teams of this kind. */
  readonly team?: string | undefined;
}

/** Evaluates the game as one team, or each team (of a kind) separately: all must hold, and their shortfalls are added. */
export function perScope(
  { scope, team }: Scoped,
  game: RuledGame,
  judge: (tickets: readonly RuledTicket[]) => Verdict,
): Verdict {
  if (team !== undefined) return added(teamsOfKind(game, team).map(judge));
  return scope === 'team' ? added(game.teams.map(judge)) : judge(ticketsOf(game));
}

function added(verdicts: readonly Verdict[]): Verdict {
  return {
    holds: verdicts.every(({ holds }) => holds),
    units: verdicts.reduce((sum, { units }) => sum + units, 0),
  };
}

/** The tickets of a game, each once. */
export function ticketsOf({ teams, tickets = teams.flat() }: RuledGame): readonly RuledTicket[] {
  return tickets;
}

export function teamsOfKind({ teams, kinds }: RuledGame, kind: string): (readonly RuledTicket[])[] {
  return teams.filter((_, t) => kinds?.[t] === kind);
}

/** The kind of each team of a queue, by name; undefined when the teams have no names. */
export function kindsOf(
  teams: number | readonly { readonly name: string; readonly count?: number | undefined }[] | undefined,
): string[] | undefined {
  if (typeof teams !== 'object') return undefined;
  return teams.flatMap(({ name, count = 1 }) => new Array<string>(count).fill(name));
}

export function valuesOf(
  tickets: readonly RuledTicket[],
  attribute: string,
  { attributes }: Pick<RuleContext, 'attributes'>,
) {
  return tickets.flatMap(({ players }) =>
    players.flatMap((player) => {
      const value = attributeOf(player, attribute, attributes);
      return value === undefined ? [] : [value];
    }),
  );
}

/** The values of an attribute whose values are lists. */
export function listsOf(...args: Parameters<typeof valuesOf>): (readonly string[])[] {
  return valuesOf(...args) as (readonly string[])[];
}

export function numbersIn(
  tickets: readonly RuledTicket[],
  attribute: string,
  { attributes }: Pick<RuleContext, 'attributes'>,
): number[] {
  return tickets.flatMap(({ players }) => numbersOf(players, attribute, attributes));
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

export function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

/** The greatest absolute value of a number attribute. */
export function greatestOf(
  players: readonly RuledPlayer[],
  attribute: string,
  attributes: Attributes,
): number {
  return players.reduce((most, player) => {
    const value = attributeOf(player, attribute, attributes);
    return typeof value === 'number' ? Math.max(most, Math.abs(value)) : most;
  }, 0);
}
