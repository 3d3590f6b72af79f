import { getLocation } from 'jsonc-parser';
import * as z from 'zod';
import { queueDefinition } from '../../../contract/queue-definition.ts';
import { isTooDeep } from './faults.ts';

/** What may stand at a place of a definition. */
export interface Completion {
  readonly label: string;
  readonly description: string | undefined;
  /** What to insert at the place. */
  readonly insert: string;
}

export interface Completions {
  /** The object around the place, as `release`; empty for the definition itself. */
  readonly of: string;
  readonly items: readonly Completion[];
  /** The part of the text that an item replaces. */
  readonly from: number;
  readonly to: number;
}

/** The parts of a JSON schema that completion reads. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly additionalProperties?: Schema | boolean;
  readonly $ref?: string;
}

/** The schema that the service checks with, as JSON schema. */
const schema = z.toJSONSchema(queueDefinition, { io: 'input', unrepresentable: 'any' }) as Schema & {
  readonly $defs?: Readonly<Record<string, Schema>>;
};

/** The fields or values that may stand at an offset of the text. */
export function completionsAt(text: string, offset: number): Completions {
  if (isTooDeep(text)) return { of: '', items: [], from: offset, to: offset };
  const location = getLocation(text, offset);
  const path = location.isAtPropertyKey ? location.path.slice(0, -1) : location.path;
  const value = valueAt(text);
  const schemas = schemasAt(path, value);
  const { previousNode } = location;
  const [from, to] =
    previousNode !== undefined &&
    previousNode.offset <= offset &&
    offset <= previousNode.offset + previousNode.length
      ? [previousNode.offset, previousNode.offset + previousNode.length]
      : [offset, offset];
  if (!location.isAtPropertyKey) return { of: path.join('.'), items: schemas.flatMap(valuesOf), from, to };
  const there = at(path, value);
  const used = new Set(typeof there === 'object' && there !== null ? Object.keys(there) : []);
  const items = schemas
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .filter(([key], index, all) => !used.has(key) && all.findIndex(([other]) => other === key) === index)
    .map(([key, field]) => ({
      label: key,
      description: resolved(field).description ?? field.description,
      insert: `${JSON.stringify(key)}: ${skeletonOf(field)}`,
    }));
  return { of: path.join('.'), items, from, to };
}

function valueAt(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function at(path: readonly (string | number)[], value: unknown): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key],
    value,
  );
}

/** The schemas of a place: one for each alternative of a union, without those that contradict what is written. */
function schemasAt(path: readonly (string | number)[], value: unknown): Schema[] {
  let schemas: Schema[] = alternatives(schema, value);
  let inner = value;
  for (const key of path) {
    inner = (inner as Record<string | number, unknown> | undefined)?.[key];
    schemas = schemas.flatMap((one) => {
      const next =
        typeof key === 'number'
          ? one.items
          : (one.properties?.[key] ??
            (typeof one.additionalProperties === 'object' ? one.additionalProperties : undefined));
      return next === undefined ? [] : alternatives(next, inner);
    });
  }
  return schemas;
}

function alternatives(one: Schema, value: unknown): Schema[] {
  const target = resolved(one);
  const options = target.anyOf ?? target.oneOf;
  if (options === undefined) return [target];
  const all = options.flatMap((option) => alternatives(option, value));
  const fitting = all.filter(({ properties = {} }) =>
    Object.entries(properties).every(([key, field]) => {
      const written = (value as Record<string, unknown> | undefined)?.[key];
      return field.const === undefined || written === undefined || written === field.const;
    }),
  );
  return fitting.length > 0 ? fitting : all;
}

function resolved(one: Schema): Schema {
  if (one.$ref === undefined) return one;
  if (one.$ref === '#') return schema;
  return schema.$defs?.[one.$ref.split('/').at(-1)!] ?? one;
}

function valuesOf(one: Schema): Completion[] {
  const values =
    one.const !== undefined ? [one.const] : (one.enum ?? (one.type === 'boolean' ? [true, false] : []));
  return values.map((value) => ({
    label: JSON.stringify(value),
    description: one.description,
    insert: JSON.stringify(value),
  }));
}

/** The least that a field can be, to be filled in. */
function skeletonOf(field: Schema): string {
  const [first] = alternatives(field, undefined);
  if (first?.const !== undefined) return JSON.stringify(first.const);
  if (first?.enum !== undefined) return JSON.stringify(first.enum[0]);
  switch (first?.type) {
    case 'object':
      return '{}';
    case 'array':
      return '[]';
    case 'string':
      return '""';
    case 'boolean':
      return 'true';
    default:
      return '0';
  }
}
