import * as z from 'zod';
import { shown } from '../vocabulary/expected.ts';

/**
 * The message for an issue of a schema: "Expected a number, got nothing". A schema's own message takes precedence:
 *
 *     z.string().regex(…, { error: expected('1 to 64 letters') })
 */
export const expectation: z.core.$ZodErrorMap = (issue) => {
  const text = expectedBy(issue);
  if (text === undefined) return undefined;
  // Each unknown key becomes a separate fault, which adds the key.
  return issue.code === 'unrecognized_keys' ? `Expected ${text}` : `Expected ${text}, got ${gotOf(issue)}`;
};

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

function expectedBy(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? `a value of type ${issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values.map(shown));
    case 'too_small':
      return least(issue.origin, Number(issue.minimum), issue.inclusive !== false);
    case 'too_big':
      return most(issue.origin, Number(issue.maximum), issue.inclusive !== false);
    case 'invalid_format':
      return FORMATS[issue.format] ?? `text of the format ${issue.format}`;
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return fieldsOf(issue.inst);
    case 'invalid_union':
      return Array.isArray(issue.options) ? oneOf(issue.options.map(shown)) : alternatives(issue.errors);
    case 'invalid_key':
      return alternatives([issue.issues]);
    default:
      return undefined;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  set: 'a set',
  object: 'an object',
  record: 'an object',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'an ISO 8601 time such as "2026-01-31T12:00:00Z"',
  url: 'a URL',
};

function least(origin: string, minimum: number, inclusive: boolean): string {
  const unit = UNITS[origin];
  if (unit !== undefined) return `at least ${minimum} ${minimum === 1 ? unit.one : unit.many}`;
  return inclusive ? `a number from ${minimum} up` : `a number above ${minimum}`;
}

function most(origin: string, maximum: number, inclusive: boolean): string {
  const unit = UNITS[origin];
  if (unit !== undefined) return `at most ${maximum} ${maximum === 1 ? unit.one : unit.many}`;
  return inclusive ? `a number up to ${maximum}` : `a number below ${maximum}`;
}

const UNITS: Readonly<Record<string, { readonly one: string; readonly many: string }>> = {
  string: { one: 'character', many: 'characters' },
  array: { one: 'item', many: 'items' },
};

function oneOf(values: readonly string[]): string {
  if (values.length <= 2) return values.join(' or ');
  return `one of ${values.join(', ')}`;
}

/** The fields that the schema of an object allows. */
function fieldsOf(schema: unknown): string {
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  if (fields.length === 0) return 'no such field';
  return fields.length === 1 ? `only the field ${fields[0]}` : `one of the fields ${fields.join(', ')}`;
}

/** The expectations of the alternatives of a union, without the values they got. */
function alternatives(errors: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const wanted = errors.flatMap(([first]) => {
    const text = first?.message.match(/^Expected (.*?)(?:, got .*)?$/s)?.[1];
    return text === undefined ? [] : [text];
  });
  return wanted.length === 0 ? undefined : [...new Set(wanted)].join(' or ');
}

function gotOf(issue: RawIssue): string {
  const { input } = issue;
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined)
    return shown((input as Record<string, unknown>)[issue.discriminator]);
  if ((issue.code === 'too_small' || issue.code === 'too_big') && issue.origin === 'array')
    return Array.isArray(input) && input.length === 0 ? 'none' : String((input as unknown[]).length);
  if ((issue.code === 'too_small' || issue.code === 'too_big') && issue.origin === 'string' && input !== '')
    return String((input as string).length);
  return shown(input);
}
