import type { Measure } from '../../rules/by-type/compare.ts';
import { SKILL } from '../../rules/values.ts';
import { parseExpression } from './expression.ts';
import type { Converted, FlexRuleType } from './flex-rule-type.ts';
import type { FlexMatchRule } from './rule-set.ts';
import type { Source, SourceTeam } from './source.ts';

/** What an expression of a rule measures, in the words of our rules. */
export interface Measured {
  /** The attribute in the source; undefined for counts of players. */
  readonly attribute: string | undefined;
  /** `each`: the values of the players, one by one. */
  readonly of: 'each' | Measure['of'];
  /** All players together, each team for itself, or one team of the source. */
  readonly who: 'all' | 'teams' | SourceTeam;
  /** Of the values of the teams: all, or one of them. */
  readonly over?: 'greatest' | 'least' | undefined;
}

const MEASURES: Readonly<Partial<Record<string, Measure['of']>>> = {
  avg: 'mean',
  min: 'least',
  max: 'greatest',
  sum: 'sum',
  count: 'count',
};

/** A type of rule about one measurement. */
export function ofOneMeasurement(
  convert: (measured: Measured, rule: FlexMatchRule, source: Source) => Converted | string,
): FlexRuleType {
  return {
    convert(rule, source) {
      const { measurements = [] } = rule;
      if (measurements.length !== 1) return 'only one measurement is imported';
      const [text] = measurements as [string];
      const measured = measuredBy(text, source);
      return measured === undefined ? unknownExpression(text) : convert(measured, rule, source);
    },
  };
}

export function unknownExpression(text: string): string {
  return `the expression ${text} is not one of the forms that are imported`;
}

/** Undefined when the text is not one of the forms that are imported. */
export function measuredBy(text: string, source: Source): Measured | undefined {
  const expression = parseExpression(text, source.teamNames);
  if (!expression) return undefined;
  const { calls, attribute, isEverybody, team, isPlayers } = expression;
  if (attribute === undefined && !isPlayers) return undefined;
  if (attribute !== undefined && source.typeOf(attribute) === undefined) return undefined;
  const functions = calls.filter((call) => call !== 'flatten');
  const isFlat = calls.includes('flatten');
  if (isFlat && calls.at(-1) !== 'flatten') return undefined;
  if (functions.length > 2 || calls.length - functions.length > 1) return undefined;
  const [outer, inner] = functions.length === 2 ? functions : [undefined, functions[0]];
  const of = inner === undefined ? 'each' : MEASURES[inner];
  if (of === undefined || (isPlayers && of !== 'count')) return undefined;
  const lone = source.teams.length === 1 && source.teams[0]!.quantity === 1;
  const one = team === undefined || lone ? undefined : source.teams.find(({ name }) => name === team);
  if (!isEverybody && one === undefined) return undefined;
  const isWhole = lone || (isFlat && isEverybody);
  const who = isWhole ? 'all' : (one ?? 'teams');
  if (outer === undefined) return { attribute, of, who };
  if (outer !== 'max' && outer !== 'min') return undefined;
  // Of a single value each function is that value.
  if (who === 'all') return { attribute, of, who };
  if (who !== 'teams') return undefined;
  return { attribute, of, who, over: outer === 'max' ? 'greatest' : 'least' };
}

/** The measure of our rules for one value. */
export function measureOf({ attribute, of, who }: Measured, source: Source): Measure {
  return {
    of: of as Measure['of'],
    attribute: attribute === undefined ? SKILL : source.nameOf(attribute),
    ...(typeof who === 'object' && { team: who.ours }),
  };
}

/** One measure, or one for each kind of team. */
export function measuresOf(measured: Measured, source: Source): Measure[] {
  if (measured.who !== 'teams') return [measureOf(measured, source)];
  return source.teams.map((who) => measureOf({ ...measured, who }, source));
}

/** Whether it is one value, and not one for each player or team. */
export function isSingle({ of, who, over }: Measured): boolean {
  return (
    of !== 'each' && over === undefined && (who === 'all' || (typeof who === 'object' && who.quantity === 1))
  );
}

/** The players that a rule is about, as the scope of our rules. */
export function scopeOf({ who }: Measured): { scope?: 'team'; team?: string } {
  if (who === 'teams') return { scope: 'team' };
  return who === 'all' ? {} : { team: who.ours };
}

export function sameAttribute(a: Measured, b: Measured): boolean {
  return a.attribute === b.attribute;
}

/** Whether they are about the same players. */
export function samePlayers(a: Measured, b: Measured): boolean {
  return a.who === b.who;
}
