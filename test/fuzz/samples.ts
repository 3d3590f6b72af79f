import fc from 'fast-check';
import type { RandomSource } from '../../lib/simulation/random.ts';

/** A JSON schema of the OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: the keywords of a schema are looked up one by one
export type Schema = Readonly<Record<string, any>>;

/** Returns a value to use for a schema, or undefined to generate one. */
export type Preferred = (schema: Schema, random: RandomSource) => unknown;

/** The share of optional fields that are present. */
const OPTIONAL_SHARE = 0.25;
const ITEMS_MAX = 4;
/** The number of generated strings kept for each pattern. */
const STRINGS = 100;

/**
 * Generates values that fit the schemas of an OpenAPI document, small ones more often than large ones. A value may break
 * rules that a schema cannot express, such as sums of counts.
 *
 * @param prefer is called first for each string
 */
export function sampler(document: object, prefer: Preferred) {
  const strings = new Map<string, readonly string[]>();

  const matching = (pattern: string): readonly string[] => {
    const known = strings.get(pattern) ?? samplesOf(pattern);
    strings.set(pattern, known);
    return known;
  };

  const text = (schema: Schema, random: RandomSource): string => {
    const { pattern, format, minLength = 0, maxLength = 8 } = schema;
    // The format is enough: its pattern repeats it.
    if (format === 'date-time') return new Date(Date.UTC(2026, 0, 1) + random.integer(2 ** 31)).toISOString();
    if (format === 'uri') return `http://127.0.0.1:9/${random.integer(100)}`;
    if (pattern !== undefined) return pick(matching(pattern), random);
    const length = Math.max(minLength, Math.min(maxLength, random.integer(8)));
    return Array.from({ length }, () => pick(LETTERS, random)).join('');
  };

  const number = (schema: Schema, random: RandomSource): number => {
    const whole = schema.type === 'integer';
    const least = schema.minimum ?? (schema.exclusiveMinimum ?? 0) + (whole ? 1 : 0.5);
    const most = schema.maximum ?? schema.exclusiveMaximum ?? least + 1_000;
    const span = random.uniform() < 0.6 ? Math.min(most - least, 3) : most - least;
    const value = least + span * random.uniform();
    return whole ? Math.round(value) : value;
  };

  const object = (schema: Schema, random: RandomSource): object => {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
    const made: Record<string, unknown> = {};
    for (const [name, property] of Object.entries<Schema>(properties)) {
      if (required.includes(name) || random.uniform() < OPTIONAL_SHARE) made[name] = value(property, random);
    }
    if (typeof additionalProperties === 'object' && Object.keys(properties).length === 0) {
      for (let i = random.integer(3); i > 0; i--) {
        const name = String(value(propertyNames ?? { type: 'string', minLength: 1 }, random));
        made[name] = value(additionalProperties, random);
      }
    }
    return made;
  };

  const list = ({ items = {}, minItems = 0, maxItems = ITEMS_MAX }: Schema, random: RandomSource) => {
    const most = Math.max(minItems, Math.min(maxItems, ITEMS_MAX));
    const length = minItems + random.integer(most - minItems + 1);
    return Array.from({ length }, () => value(items, random));
  };

  const value = (schema: Schema, random: RandomSource): unknown => {
    if (schema.$ref !== undefined) return value(resolve(document, schema.$ref), random);
    if ('const' in schema) return schema.const;
    if (schema.enum !== undefined) return pick(schema.enum, random);
    const alternatives = schema.oneOf ?? schema.anyOf;
    if (alternatives !== undefined) return value(pick<Schema>(alternatives, random), random);
    if (schema.allOf !== undefined) {
      return Object.assign({}, ...schema.allOf.map((part: Schema) => value(part, random)));
    }
    const type = Array.isArray(schema.type) ? pick<string>(schema.type, random) : schema.type;
    switch (type) {
      case 'object':
        return object(schema, random);
      case 'array':
        return list(schema, random);
      case 'string':
        return prefer(schema, random) ?? text(schema, random);
      case 'number':
      case 'integer':
        return number(schema, random);
      case 'boolean':
        return random.uniform() < 0.5;
      case 'null':
        return null;
      default:
        return pick([0, 'any', [], {}], random);
    }
  };
  return value;
}

export function pick<T>(items: readonly T[], random: RandomSource): T {
  return items[random.integer(items.length)]!;
}

/** The target of a local reference in the document. */
export function resolve(document: object, reference: string): Schema {
  const tokens = reference.slice(2).split('/');
  // biome-ignore lint/suspicious/noExplicitAny: a path through the document
  return tokens.reduce<any>(
    (node, token) => node[token.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
}

const LETTERS = [...'abcxyzABC0189 -_.'];

function samplesOf(pattern: string): string[] {
  return fc.sample(fc.stringMatching(new RegExp(pattern), { size: 'small' }), { seed: 1, numRuns: STRINGS });
}
