import { type Body, type ConvertedRule, type Limit, nextNumber } from '../../relaxation.ts';
import type { Converted } from '../flex-rule-type.ts';
import {
  eachOf,
  endOf,
  fixedSizeOf,
  isShiftedSum,
  isSingle,
  type Measured,
  measuredBy,
  measureOf,
  measuresOf,
  ofOneMeasurement,
  SHIFTED,
  SHIFTED_SUM,
  scopeOf,
  shiftAlike,
  teamOf,
} from '../measured.ts';
import type { Source } from '../source.ts';

/** Values of players are compared with a value, with a measure or with each other. */
export const comparison = ofOneMeasurement((measured, { operation = '', referenceValue }, source) => {
  if (measured.over !== undefined) return 'the greatest or least value of the teams has no counterpart here';
  if (referenceValue === undefined) return withEachOther(measured, operation, source);
  if (Array.isArray(referenceValue)) return 'a list is not compared';
  const reference = typeof referenceValue === 'string' ? measuredBy(referenceValue, source) : undefined;
  if (reference !== undefined) return withMeasure(measured, operation, reference, source);
  const value = constantOf(referenceValue as string | number, measured, source);
  if (value === undefined)
    return `the value ${String(referenceValue)} is neither a constant nor one of the forms that are imported`;
  if (measured.of === 'count' && measured.attribute === undefined && source.hasFixedSizes)
    return ofFixedSizes(measured, operation, Number(value), source);
  return withConstant(measured, operation, value, source);
});

/** The values of the players, by `=` and `!=`. */
function withEachOther(measured: Measured, operation: string, source: Source): Converted | string {
  if (measured.of !== 'each') return 'only the values of players are compared with each other';
  const attribute = source.nameOf(measured.attribute!);
  const type = operation === '=' ? 'same' : operation === '!=' ? 'different' : undefined;
  if (type === undefined) return `players are compared by = and !=, not by ${operation}`;
  return { rules: [{ body: { type, attribute, ...scopeOf(measured) } }] };
}

function constantOf(value: string | number, measured: Measured, source: Source): string | number | undefined {
  const { attribute, of } = measured;
  const isNumber = of === 'count' || attribute === undefined || source.typeOf(attribute) === 'number';
  if (!isNumber) return String(value);
  const number = Number(value);
  if (String(value).trim() === '' || !Number.isFinite(number)) return undefined;
  return source.valueOf(measured, number);
}

function withConstant(
  measured: Measured,
  operation: string,
  value: string | number,
  source: Source,
): Converted | string {
  const { of, attribute } = measured;
  if (isShiftedSum(measured, source)) return SHIFTED_SUM;
  if (of === 'each' && operation === '=') return allHave(measured, value, source);
  if (of === 'each' && operation === '!=') {
    const none = { attribute: source.nameOf(attribute!), value, atMost: 0, ...teamOf(measured) };
    return { rules: [{ body: { type: 'count', ...none } }] };
  }
  if (typeof value !== 'number') return `text is compared by = and !=, not by ${operation}`;
  const op = operatorOf(operation);
  if (op === undefined) return `the operation ${operation} has no counterpart`;
  const limitOf = (limit: number) => strictly(limit, operation, of === 'count');
  const lefts =
    of === 'each'
      ? [endOf(measured, op === '<=' ? 'greatest' : 'least', source)]
      : measuresOf(measured, source);
  const referenceValue: Limit = {
    key: 'right',
    isUpper: op === '<=',
    of: (limit) => limitOf(source.valueOf(measured, limit)),
  };
  return {
    rules: lefts.map((left) => ({
      body: { type: 'compare', left, op, right: limitOf(value) },
      ...(op !== '=' && { limits: { referenceValue } }),
    })),
  };
}

/** All players, of all teams or of one, have a value. */
function allHave(measured: Measured, value: string | number, source: Source): Converted {
  const attribute = source.nameOf(measured.attribute!);
  const team = teamOf(measured);
  const size = fixedSizeOf(measured, source);
  if (size !== undefined)
    return { rules: [{ body: { type: 'count', attribute, value, atLeast: size, ...team } }] };
  const bodies: Body[] =
    typeof value === 'number'
      ? [
          { type: 'compare', left: { of: 'greatest', attribute, ...team }, op: '<=', right: value },
          { type: 'compare', left: { of: 'least', attribute, ...team }, op: '>=', right: value },
        ]
      : [
          { type: 'same', attribute, ...team },
          { type: 'count', attribute, value, atLeast: 1, ...team },
        ];
  return { rules: bodies.map((body): ConvertedRule => ({ body })) };
}

/** Two measures, such as the means of two teams. */
function withMeasure(
  measured: Measured,
  operation: string,
  reference: Measured,
  source: Source,
): Converted | string {
  if (measured.of === 'each' || reference.of === 'each' || !isSingle(reference))
    return 'only single values are compared with each other';
  const isSizes = [measured, reference].every(
    ({ of, attribute }) => of === 'count' && attribute === undefined,
  );
  if (isSizes && source.hasFixedSizes)
    return ofFixedSizes(measured, operation, fixedSizeOf(reference, source)!, source);
  const op = operatorOf(operation);
  if (op === undefined) return `the operation ${operation} has no counterpart`;
  if (operation !== op) return 'two measures are compared by <=, >= and =';
  if (!shiftAlike(measured, reference, source)) return SHIFTED;
  const right = measureOf(reference, source);
  return {
    rules: measuresOf(measured, source).map((left) => ({ body: { type: 'compare', left, op, right } })),
  };
}

/** A comparison of numbers of players that never change needs no rule. */
function ofFixedSizes(
  measured: Measured,
  operation: string,
  right: number,
  source: Source,
): Converted | string {
  const lefts = eachOf(measured, source).map((one) => fixedSizeOf(one, source)!);
  const holds = COMPARISONS.get(operation);
  if (holds === undefined) return `the operation ${operation} has no counterpart`;
  if (lefts.every((left) => holds(left, right)))
    return { rules: [], note: 'it needs no rule: the sizes of the teams keep it' };
  return 'the sizes of the teams always break it';
}

const COMPARISONS: ReadonlyMap<string, (left: number, right: number) => boolean> = new Map([
  ['=', (left, right) => left === right],
  ['!=', (left, right) => left !== right],
  ['<', (left, right) => left < right],
  ['<=', (left, right) => left <= right],
  ['>', (left, right) => left > right],
  ['>=', (left, right) => left >= right],
]);

function operatorOf(operation: string): '<=' | '>=' | '=' | undefined {
  if (operation === '<' || operation === '<=') return '<=';
  if (operation === '>' || operation === '>=') return '>=';
  return operation === '=' ? '=' : undefined;
}

/** The next number below or above stands for a strict comparison. */
function strictly(limit: number, operation: string, isCount: boolean): number {
  if (operation !== '<' && operation !== '>') return limit;
  const direction = operation === '<' ? -1 : 1;
  if (!isCount) return nextNumber(limit, direction);
  return direction === 1 ? Math.floor(limit) + 1 : Math.ceil(limit) - 1;
}
