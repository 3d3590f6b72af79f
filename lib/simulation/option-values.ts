import { rangeText } from '../rules/attribute-faults.ts';
import { InvalidInput } from '../vocabulary/invalid-input.ts';

/** Parsers of option values. Each function throws `InvalidInput` that names the option. */

/** `name=weight,…` with weights from 0 up, one of them above 0. Spaces around names and weights are allowed. */
export function namedWeights(option: string, text: string): Record<string, number> {
  // Without a prototype, so that any name can be one of its keys.
  const weights: Record<string, number> = Object.create(null);
  for (const pair of text.split(',')) {
    const [name, weight = '', ...rest] = pair.split('=').map((part) => part.trim());
    const value = numberOf(weight, numberIn(0));
    if (name === '' || value === undefined || rest.length > 0) {
      throw new InvalidInput(`${option}: Expected name=weight,… with weights from 0 up, got ${pair}`);
    }
    if (name in weights) throw new InvalidInput(`${option}: Expected ${name} once, got it twice`);
    weights[name] = value;
  }
  if (!Object.values(weights).some((weight) => weight > 0)) {
    throw new InvalidInput(`${option}: Expected at least one weight above 0, got ${text}`);
  }
  return weights;
}

/** Numbers in a format such as `from:to:seconds`. */
export function numbers(option: string, text: string, form: string): number[] {
  const numbers = text.split(':').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (numbers.length !== form.split(':').length || !numbers.every(Number.isFinite)) {
    throw new InvalidInput(`${option}: Expected ${form} with numbers, got ${text}`);
  }
  return numbers;
}

/** A kind of number that an option may have. */
export interface NumberKind {
  /** What the errors expect. */
  readonly expected: string;
  holds(value: number): boolean;
}

export const ABOVE_0: NumberKind = {
  expected: 'a number above 0',
  holds: (value) => Number.isFinite(value) && value > 0,
};

/** A finite number in this range. */
export function numberIn(min: number, max?: number): NumberKind {
  return {
    expected: rangeText({ min, max }),
    holds: (value) => value >= min && value <= (max ?? Number.MAX_VALUE),
  };
}

export const FROM_0_TO_1 = numberIn(0, 1);

/** A whole number from `min` up. */
export function whole(min = Number.MIN_SAFE_INTEGER): NumberKind {
  return {
    expected: `a whole number${min === Number.MIN_SAFE_INTEGER ? '' : ` from ${min} up`}`,
    holds: (value) => Number.isSafeInteger(value) && value >= min,
  };
}

/** The number that a text is; undefined if it is none of this kind. */
export function numberOf(text: string, kind: NumberKind): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return kind.holds(value) ? value : undefined;
}

/** The number of an option; undefined when the option is not given. */
export function numberFor(option: string, text: string, kind: NumberKind): number;
export function numberFor(option: string, text: string | undefined, kind: NumberKind): number | undefined;
export function numberFor(option: string, text: string | undefined, kind: NumberKind): number | undefined {
  if (text === undefined) return undefined;
  const value = numberOf(text, kind);
  if (value === undefined) throw new InvalidInput(`${option}: Expected ${kind.expected}, got ${text}`);
  return value;
}
