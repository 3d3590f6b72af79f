import type { Measure } from '../../rules/by-type/compare.ts';
import { SKILL } from '../../rules/values.ts';
import { type Measurement, parseExpression } from './expression.ts';
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
  return (rule, source) => {
    const { measurements = [] } = rule;
    if (measurements.length !== 1) return 'only one measurement is imported';
    const [text] = measurements as [string];
    const measured = measuredBy(text, source);
    return measured === undefined ? unknownExpression(text) : convert(measured, rule, source);
  };
}

export function unknownExpression(text: string): string {
  return `the expression ${text} is not one of the forms that are imported`;
}

/** Undefined when the text is not one of the forms that are imported. */
export function measuredBy(text: string, source: Source): Measured | undefined {
  const expression = parseExpression(text, source.teamNames);
  if (!expression) return undefined;
  const { calls, attribute, isPlayers } = expression;
  if (attribute === undefined && !isPlayers) return undefined;
  if (attribute !== undefined && source.typeOf(attribute) === undefined) return undefined;
  const functions = calls.filter((call) => call !== 'flatten');
  const isFlat = calls.includes('flatten');
  if (isFlat && calls.at(-1) !== 'flatten') return undefined;
  if (functions.length > 2 || calls.length - functions.length > 1) return undefined;
  const [outer, inner] = functions.length === 2 ? functions : [undefined, functions[0]];
  const of = inner === undefined ? 'each' : MEASURES[inner];
  if (of === undefined || (isPlayers && of !== 'count')) return undefined;
  const who = playersOf(expression, isFlat, source);
  if (who === undefined) return undefined;
  if (outer === undefined) return { attribute, of, who };
  if (outer !== 'max' && outer !== 'min') return undefined;
  // Of a single value each function is that value.
  if (who === 'all') return { attribute, of, who };
  if (who !== 'teams') return undefined;
  return { attribute, of, who, over: outer === 'max' ? 'greatest' : 'least' };
}

/** The players of an expression; undefined when it is about some of several teams. */
export function playersOf(
  { isEverybody, team }: Measurement,
  isFlat: boolean,
  { teams }: Source,
): Measured['who'] | undefined {
  const isLone = teams.length === 1 && teams[0]!.quantity === 1;
  if (isEverybody && (isLone || isFlat)) return 'all';
  return teams.find(({ name }) => name === team) ?? (isEverybody ? 'teams' : undefined);
}

/** The measure of our rules for one value. */
export function measureOf(measured: Measured, source: Source): Measure {
  const { attribute, of } = measured;
  return {
    of: of as Measure['of'],
    attribute: attribute === undefined ? SKILL : source.nameOf(attribute),
    ...teamOf(measured),
  };
}

/** The greatest or the least of the values of players. */
export function endOf(measured: Measured, of: 'greatest' | 'least', source: Source): Measure {
  return measureOf({ ...measured, who: measured.who === 'teams' ? 'all' : measured.who, of }, source);
}

/** One measure, or one for each kind of team. */
export function measuresOf(measured: Measured, source: Source): Measure[] {
  return eachOf(measured, source).map((one) => measureOf(one, source));
}

/** The measurement of each kind of team where it is one of every team, else itself. */
export function eachOf(measured: Measured, source: Source): Measured[] {
  return measured.who === 'teams' ? source.teams.map((who) => ({ ...measured, who })) : [measured];
}

/** Whether it is one value, and not one for each player or team. */
export function isSingle({ of, who, over }: Measured): boolean {
  return (
    of !== 'each' && over === undefined && (who === 'all' || (typeof who === 'object' && who.quantity === 1))
  );
}

/** The players that a rule is about, as the scope of our rules. */
export function scopeOf(of: Pick<Measured, 'who'>): { scope?: 'team'; team?: string } {
  return of.who === 'teams' ? { scope: 'team' } : teamOf(of);
}

/** The team of our rules, where a measurement is about one. */
export function teamOf({ who }: Pick<Measured, 'who'>): { team?: string } {
  return typeof who === 'object' ? { team: who.ours } : {};
}

/** Whether an offset of skills changes a sum by the number of its players. */
export function isShiftedSum({ of, attribute }: Measured, { skill, skillOffset }: Source): boolean {
  return of === 'sum' && attribute === skill && skillOffset !== 0;
}

/** Whether an offset of skills changes two measurements alike, so that what compares them stays the same. */
export function shiftAlike(a: Measured, b: Measured, source: Source): boolean {
  const shifts = [a, b].flatMap((one) => eachOf(one, source)).map((one) => shiftOf(one, source));
  return source.skillOffset === 0 || shifts.every((shift) => shift !== undefined && shift === shifts[0]);
}

/** How many times the offset changes a measurement; undefined when that depends on the match. */
function shiftOf(measured: Measured, source: Source): number | undefined {
  const { attribute, of } = measured;
  if (attribute !== source.skill || of === 'count') return 0;
  return of === 'sum' ? fixedSizeOf(measured, source) : 1;
}

/** The number of players that a measurement is about; undefined when it changes. */
export function fixedSizeOf({ who }: Measured, source: Source): number | undefined {
  if (typeof who === 'object') return who.least === who.most ? who.most : undefined;
  return source.hasFixedSizes ? source.seats : undefined;
}

export const SHIFTED = 'a skill with an offset is compared with another measure';
export const SHIFTED_SUM = 'sums of skills depend on the offset';
