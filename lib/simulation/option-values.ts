import { InvalidInput } from './invalid-input.ts';

/** Parsers of option values. Each function throws `InvalidInput` that names the option. */

/** `name=weight,…` with weights from 0 up, one of them above 0. */
export function namedWeights(option: string, text: string): Record<string, number> {
  const weights: Record<string, number> = {};
  for (const pair of text.split(',')) {
    const [name, weight, ...rest] = pair.split('=');
    const value = Number(weight);
    if (
      name === '' ||
      weight === undefined ||
      weight === '' ||
      rest.length > 0 ||
      !(value >= 0) ||
      value === Infinity
    ) {
      throw new InvalidInput(`${option}: Expected name=weight,… with weights from 0 up, got ${pair}`);
    }
    if (Object.hasOwn(weights, name))
      throw new InvalidInput(`${option}: Expected ${name} once, got it twice`);
    weights[name] = value;
  }
  if (!Object.values(weights).some((weight) => weight > 0)) {
    throw new InvalidInput(`${option}: Expected at least one weight above 0, got ${text}`);
  }
  return weights;
}

/** Numbers in a format such as `from:to:seconds`. */
export function numbers(option: string, text: string, form: string): number[] {
  const numbers = text.split(':').map((part) => (part === '' ? Number.NaN : Number(part)));
  if (numbers.length !== form.split(':').length || !numbers.every(Number.isFinite)) {
    throw new InvalidInput(`${option}: Expected ${form} with numbers, got ${text}`);
  }
  return numbers;
}

/** A finite number above 0. */
export function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new InvalidInput(`${option}: Expected a number above 0, got ${text}`);
  return value;
}

/** A number in [0, 1]. */
export function share(option: string, text: string): number {
  const value = Number(text);
  if (text === '' || !(value >= 0 && value <= 1)) {
    throw new InvalidInput(`${option}: Expected a number from 0 to 1, got ${text}`);
  }
  return value;
}

/** A whole number from `min` up. */
export function integer(option: string, text: string, min: number): number {
  const value = Number(text);
  if (text === '' || !Number.isSafeInteger(value) || value < min) {
    const range = min === Number.MIN_SAFE_INTEGER ? '' : ` from ${min} up`;
    throw new InvalidInput(`${option}: Expected a whole number${range}, got ${text}`);
  }
  return value;
}
