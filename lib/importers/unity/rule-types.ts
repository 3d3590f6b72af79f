import { type ConvertedRule, lower, nextNumber, SWITCH, upper } from '../relaxation.ts';
import type { UnityRule } from './queue.ts';

/** Where the values of a rule come from. An attribute is such as CustomData.mmr. */
export type UnitySource = { readonly attribute: string } | 'latency';

/** The part of a rule that names its team; empty for a rule of the match. */
export interface UnityPlace {
  readonly team?: string;
}

export interface UnityRuleType {
  /** The type of the attribute that it reads. */
  attribute(rule: UnityRule): 'number' | 'string' | 'strings';
  /** The counterpart, whose limit is named reference, or the reason why there is none. @param attribute in the queue */
  convert(rule: UnityRule, attribute: string, place: UnityPlace): readonly ConvertedRule[] | string;
  /** The same of latencies, where they have a counterpart. */
  ofLatency?(rule: UnityRule, place: UnityPlace): readonly ConvertedRule[] | string;
}

const LATENCY = /^Players\.QosResults\.Latency$/i;
const ATTRIBUTE = /^Players\.(?:(CustomData)|ExternalData)\.(.+)$/i;

/** Undefined when the source is not the data of the players themselves. */
export function sourceOf(source: string): UnitySource | undefined {
  if (LATENCY.test(source)) return 'latency';
  const [, custom, field] = ATTRIBUTE.exec(source) ?? [];
  if (field === undefined) return undefined;
  return { attribute: `${custom === undefined ? 'ExternalData' : 'CustomData'}.${field}` };
}

/** The field of an attribute, without the kind of its data. */
export function fieldOf(attribute: string): string {
  return attribute.slice(attribute.indexOf('.') + 1);
}

/** Each player's number on one side of the reference. */
function compared(op: '<=' | '>=', isStrict: boolean): UnityRuleType {
  const of = (value: number) => (isStrict ? nextNumber(value, op === '<=' ? -1 : 1) : value);
  return {
    attribute: () => 'number',
    convert({ reference }, attribute, place) {
      if (typeof reference !== 'number') return NO_NUMBER;
      const left = { of: op === '<=' ? ('greatest' as const) : ('least' as const), attribute, ...place };
      const limits = { reference: { ...(op === '<=' ? upper('right') : lower('right')), of } };
      return [{ body: { type: 'compare', left, op, right: of(reference) }, limits }];
    },
    ofLatency({ reference }, { team }) {
      if (typeof reference !== 'number') return NO_NUMBER;
      if (op === '>=') return 'a least latency has no counterpart';
      if (team !== undefined) return 'latencies of one team have no counterpart';
      return [
        { body: { type: 'latency', max: of(reference) }, limits: { reference: { ...upper('max'), of } } },
      ];
    },
  };
}

const RULE_TYPES: Readonly<Record<string, UnityRuleType>> = {
  Difference: {
    attribute: () => 'number',
    convert({ reference }, attribute, place) {
      if (typeof reference !== 'number') return NO_NUMBER;
      const body = { type: 'within', attribute, max: reference, ...place } as const;
      return [{ body, limits: { reference: upper('max') } }];
    },
  },
  Equality: {
    attribute: ({ reference }) => (typeof reference === 'number' ? 'number' : 'string'),
    convert({ reference }, attribute, place) {
      const same = { body: { type: 'same', attribute, ...place } } as const;
      if (reference === undefined || reference === null) return [{ ...same, limits: { reference: SWITCH } }];
      if (typeof reference !== 'string' && typeof reference !== 'number')
        return 'only texts and numbers are compared';
      const count = { type: 'count', attribute, value: reference, atLeast: 1, ...place } as const;
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
    convert({ overlap = 1 }, attribute, place) {
      if (overlap <= 0) return [];
      const body = { type: 'common', attribute, atLeast: overlap, ...place } as const;
      return [{ body, limits: { reference: SWITCH } }];
    },
  },
};

const NO_NUMBER = 'its reference is no number';

export const UNITY_RULE_TYPES: ReadonlyMap<string, UnityRuleType> = new Map(Object.entries(RULE_TYPES));
