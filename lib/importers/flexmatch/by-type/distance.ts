import type { Measure } from '../../../rules/by-type/compare.ts';
import { type ConvertedRule, type Limit, upper } from '../../relaxation.ts';
import type { Converted } from '../flex-rule-type.ts';
import {
  isSingle,
  type Measured,
  measuredBy,
  measureOf,
  measuresOf,
  ofOneMeasurement,
  sameAttribute,
  samePlayers,
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
  const { attribute, of, over } = measured;
  if (over !== undefined) return NONE;
  if (of === 'sum' && attribute === source.skill && source.skillOffset !== 0)
    return 'sums of skills depend on the offset';
  const middle = attribute === undefined || of === 'count' ? constant : source.valueOf(attribute, constant);
  if (of !== 'each') {
    return {
      rules: measuresOf(measured, source).map((left) => ({
        body: { type: 'compare', left, right: middle, max: distance },
        limits: timesMax(),
      })),
    };
  }
  const [greatest, least] = endsOf(measured, source);
  const upper: Limit = { key: 'right', isUpper: true, of: (value) => middle + value };
  const lower: Limit = { key: 'right', isUpper: false, of: (value) => middle - value };
  return {
    rules: [
      {
        body: { type: 'compare', left: greatest, op: '<=', right: middle + distance },
        limits: { maxDistance: upper },
      },
      {
        body: { type: 'compare', left: least, op: '>=', right: middle - distance },
        limits: { maxDistance: lower },
      },
    ],
  };
}

function fromMeasure(measured: Measured, source: Source, text: string, distance: number): Converted | string {
  const reference = measuredBy(text, source);
  if (reference === undefined) return unknownExpression(text);
  if (
    !sameAttribute(measured, reference) &&
    (measured.attribute === source.skill) !== (reference.attribute === source.skill) &&
    source.skillOffset !== 0
  )
    return 'a skill with an offset is compared with another attribute';
  if (isRange(measured, reference)) return range(measured, source, distance);
  if (isTeamRange(measured, reference)) return teamRange(measured, source, distance);
  if (measured.over !== undefined || reference.of === 'each' || !isSingle(reference)) {
    const isTeams = measured.who === 'teams' && reference.who === 'teams' && measured.of === reference.of;
    return isTeams && measured.of !== 'each' ? teamRange(measured, source, distance) : NONE;
  }
  const right = measureOf(reference, source);
  if (measured.of === 'each') {
    return { rules: endsOf(measured, source).map((left) => within(left, right, distance)) };
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

/** The greatest and the least of the values of the players. */
function endsOf(measured: Measured, source: Source): [Measure, Measure] {
  const who = measured.who === 'teams' ? 'all' : measured.who;
  return [
    measureOf({ ...measured, who, of: 'greatest' }, source),
    measureOf({ ...measured, who, of: 'least' }, source),
  ];
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
  const team = typeof who === 'object' ? { team: who.ours } : {};
  if (who === 'teams' || (typeof who === 'object' && who.quantity > 1)) return NONE;
  return { rules: [{ body: { type: 'within', attribute, max, ...team }, limits: timesMax() }] };
}

/** Whether one is the greatest and the other the least of the values of all teams. */
function isTeamRange(a: Measured, b: Measured): boolean {
  const isBoth = a.over !== undefined && b.over !== undefined && a.over !== b.over;
  return isBoth && a.of === b.of && sameAttribute(a, b);
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
