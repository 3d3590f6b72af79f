import type { Measure } from '../../../rules/by-type/compare.ts';
import { type ConvertedRule, type Limit, upper } from '../../relaxation.ts';
import type { Converted } from '../flex-rule-type.ts';
import {
  endOf,
  isShiftedSum,
  isSingle,
  type Measured,
  measuredBy,
  measureOf,
  measuresOf,
  ofOneMeasurement,
  SHIFTED,
  SHIFTED_SUM,
  shiftAlike,
  teamOf,
  unknownExpression,
} from '../measured.ts';
import { haveEqualTeams } from '../sizes.ts';
import type { Source } from '../source.ts';

/** A measure, or each value of the players, is within `maxDistance` of a number or another measure. */
export const distance = ofOneMeasurement((measured, rule, source) => {
  const { maxDistance, minDistance, referenceValue } = rule;
  if (minDistance !== undefined && minDistance > 0) return 'a least distance has no counterpart';
  if (maxDistance === undefined)
    return source.stepsOf(`rules[${rule.name}].maxDistance`).length === 0
      ? { rules: [], note: 'it sets no distance' }
      : 'it sets no distance at first, and a rule never tightens';
  if (referenceValue === undefined) return 'it has no referenceValue';
  const constant = Number(referenceValue);
  const isConstant =
    !Array.isArray(referenceValue) && String(referenceValue).trim() !== '' && !Number.isNaN(constant);
  return isConstant
    ? fromNumber(measured, source, constant, maxDistance)
    : fromMeasure(measured, source, String(referenceValue), maxDistance);
});

const NONE = 'this distance has no counterpart';

/** `max` of a rule is a multiple of the distance. */
const timesMax = (factor = 1): Readonly<Record<string, Limit>> => ({
  maxDistance: { ...upper('max'), of: (value) => factor * value },
});

function fromNumber(
  measured: Measured,
  source: Source,
  constant: number,
  distance: number,
): Converted | string {
  if (measured.over !== undefined) return NONE;
  if (isShiftedSum(measured, source)) return SHIFTED_SUM;
  const middle = source.valueOf(measured, constant);
  if (measured.of !== 'each') {
    return {
      rules: measuresOf(measured, source).map((left) => ({
        body: { type: 'compare', left, right: middle, max: distance },
        limits: timesMax(),
      })),
    };
  }
  const side = (end: 'greatest' | 'least', op: '<=' | '>=', direction: 1 | -1): ConvertedRule => {
    const of = (value: number) => middle + direction * value;
    return {
      body: { type: 'compare', left: endOf(measured, end, source), op, right: of(distance) },
      limits: { maxDistance: { key: 'right', isUpper: direction === 1, of } },
    };
  };
  return { rules: [side('greatest', '<=', 1), side('least', '>=', -1)] };
}

function fromMeasure(measured: Measured, source: Source, text: string, distance: number): Converted | string {
  const reference = measuredBy(text, source);
  if (reference === undefined) return unknownExpression(text);
  if (!shiftAlike(measured, reference, source)) return SHIFTED;
  if (isRange(measured, reference)) return range(measured, source, distance);
  if (isTeamRange(measured, reference)) return teamRange(measured, source, distance);
  if (measured.over !== undefined || reference.of === 'each' || !isSingle(reference)) return NONE;
  const right = measureOf(reference, source);
  if (measured.of === 'each') {
    const ends = (['greatest', 'least'] as const).map((end) => endOf(measured, end, source));
    return { rules: ends.map((left) => within(left, right, distance)) };
  }
  if (sameAttribute(measured, reference) && measured.of === reference.of && samePlayers(measured, reference))
    return { rules: [], free: 'maxDistance', note: 'it compares a value with itself' };
  const isMeans = measured.of === 'mean' && reference.of === 'mean' && sameAttribute(measured, reference);
  if (isMeans && measured.who === 'teams' && reference.who === 'all') {
    // Two means of as many players are twice as far from each other as from their own mean.
    if (haveEqualTeams(source)) {
      const attribute = source.nameOf(measured.attribute!);
      return { rules: [{ body: { type: 'balance', attribute, max: 2 * distance }, limits: timesMax(2) }] };
    }
  }
  return { rules: measuresOf(measured, source).map((left) => within(left, right, distance)) };
}

function within(left: Measure, right: Measure, distance: number): ConvertedRule {
  return { body: { type: 'compare', left, right, max: distance }, limits: timesMax() };
}

/** Whether one is the greatest and the other the least of the same values of players. */
function isRange(a: Measured, b: Measured): boolean {
  if (a.over !== undefined || b.over !== undefined || !sameAttribute(a, b) || !samePlayers(a, b))
    return false;
  return (a.of === 'greatest' && b.of === 'least') || (a.of === 'least' && b.of === 'greatest');
}

function range(measured: Measured, source: Source, max: number): Converted | string {
  const attribute = source.nameOf(measured.attribute!);
  const { who } = measured;
  // With teams[*] each team has a value of its own, and those of different teams are compared as well.
  if (who === 'teams' || (typeof who === 'object' && who.quantity > 1)) return NONE;
  return { rules: [{ body: { type: 'within', attribute, max, ...teamOf(measured) }, limits: timesMax() }] };
}

/** Whether values of all teams are compared with each other; the greatest with itself is not. */
function isTeamRange(a: Measured, b: Measured): boolean {
  const isOfTeams = a.who === 'teams' && b.who === 'teams' && a.of !== 'each';
  const isItself = a.over !== undefined && a.over === b.over;
  return isOfTeams && !isItself && a.of === b.of && sameAttribute(a, b);
}

/** All teams are within a distance of each other. */
function teamRange(measured: Measured, source: Source, max: number): Converted {
  if (measured.of === 'mean') {
    const attribute = source.nameOf(measured.attribute!);
    return { rules: [{ body: { type: 'balance', attribute, max }, limits: timesMax() }] };
  }
  const measures = measuresOf({ ...measured, over: undefined }, source);
  const pairs = measures.flatMap((left, i) =>
    measures
      .slice(i)
      .filter((right) => right !== left || source.teams[i]!.quantity > 1)
      .map((right) => within(left, right, max)),
  );
  return { rules: pairs };
}

function sameAttribute(a: Measured, b: Measured): boolean {
  return a.attribute === b.attribute;
}

/** Whether they are about the same players. */
function samePlayers(a: Measured, b: Measured): boolean {
  return a.who === b.who;
}
