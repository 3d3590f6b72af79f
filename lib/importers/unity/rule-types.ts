import { nextNumber } from '../numbers.ts';
import { type ConvertedRule, lower, SWITCH, upper } from '../relaxation.ts';
import type { UnityRule } from './queue.ts';

/** Where the values of a rule come from. */
export type UnitySource = { readonly attribute: string } | 'latency';

export interface UnityNames {
  /** The name of an attribute in the queue. */
  nameOf(source: string): string;
  /** The team of the rule; undefined for a rule of the match. */
  readonly team: string | undefined;
}

export interface UnityRuleType {
  /** The type of the attribute that it reads. */
  attribute(rule: UnityRule): 'number' | 'string' | 'strings';
  /** The counterpart, whose limit is named reference, or the reason why there is none. */
  convert(rule: UnityRule, source: UnitySource, names: UnityNames): readonly ConvertedRule[] | string;
}

const LATENCY = /^Players\.QosResults\.Latency$/i;
const ATTRIBUTE = /^Players\.(?:CustomData|ExternalData)\.(.+)$/i;

/** Undefined when the source is not the data of the players themselves. */
export function sourceOf(source: string): UnitySource | undefined {
  if (LATENCY.test(source)) return 'latency';
  const [, attribute] = ATTRIBUTE.exec(source) ?? [];
  return attribute === undefined ? undefined : { attribute };
}

/** Each player's number on one side of the reference. */
const compared = (op: '<=' | '>=', isStrict: boolean): UnityRuleType => ({
  attribute: () => 'number',
  convert({ reference }, source, { nameOf, team }) {
    if (typeof reference !== 'number') return NO_NUMBER;
    const of = (value: number) => (isStrict ? nextNumber(value, op === '<=' ? -1 : 1) : value);
    if (source === 'latency') {
      if (op === '>=') return 'a least latency has no counterpart';
      if (team !== undefined) return 'latencies of one team have no counterpart';
      const limits = { reference: { ...upper('max'), of } };
      return [{ body: { type: 'latency', max: of(reference) }, limits }];
    }
    const left = {
      of: op === '<=' ? ('greatest' as const) : ('least' as const),
      attribute: nameOf(source.attribute),
      ...(team !== undefined && { team }),
    };
    const limits = { reference: { ...(op === '<=' ? upper('right') : lower('right')), of } };
    return [{ body: { type: 'compare', left, op, right: of(reference) }, limits }];
  },
});

const RULE_TYPES: Readonly<Record<string, UnityRuleType>> = {
  Difference: {
    attribute: () => 'number',
    convert({ reference }, source, { nameOf, team }) {
      if (typeof reference !== 'number') return NO_NUMBER;
      if (source === 'latency') return 'differences of latencies have no counterpart';
      const where = team === undefined ? {} : { team };
      const body = { type: 'within', attribute: nameOf(source.attribute), max: reference, ...where } as const;
      return [{ body, limits: { reference: upper('max') } }];
    },
  },
  Equality: {
    attribute: ({ reference }) => (typeof reference === 'number' ? 'number' : 'string'),
    convert({ reference }, source, { nameOf, team }) {
      if (source === 'latency') return 'equal latencies have no counterpart';
      const attribute = nameOf(source.attribute);
      const where = team === undefined ? {} : { team };
      const same = { body: { type: 'same', attribute, ...where } } as const;
      if (reference === undefined || reference === null) return [{ ...same, limits: { reference: SWITCH } }];
      if (typeof reference !== 'string' && typeof reference !== 'number')
        return 'only texts and numbers are compared';
      const count = { type: 'count', attribute, value: reference, atLeast: 1, ...where } as const;
      return [
        { ...same, limits: { reference: SWITCH } },
        { body: count, limits: { reference: SWITCH } },
      ];
    },
  },
  LessThan: compared('<=', true),
  LessThanEqual: compared('<=', false),
  GreaterThan: compared('>=', true),
  GreaterThanEqual: compared('>=', false),
  Intersection: {
    attribute: () => 'strings',
    convert({ overlap = 1 }, source, { nameOf, team }) {
      if (source === 'latency') return 'latencies are no lists';
      if (overlap <= 0) return [];
      const where = team === undefined ? {} : { team };
      const body = {
        type: 'common',
        attribute: nameOf(source.attribute),
        atLeast: overlap,
        ...where,
      } as const;
      return [{ body, limits: { reference: SWITCH } }];
    },
  },
};

const NO_NUMBER = 'its reference is no number';

export const UNITY_RULE_TYPES: ReadonlyMap<string, UnityRuleType> = new Map(Object.entries(RULE_TYPES));
