/** The reference of definitions, from their schemas: docs/reference.md, and JSON Schemas for editors. */
import * as z from 'zod';
import { experimentDefinition } from '../../lib/contract/experiment.ts';
import { ladderDefinition } from '../../lib/contract/ladder.ts';
import { queueDefinition } from '../../lib/contract/queue-definition.ts';
import {
  EXPERIMENT_EXAMPLES,
  type Explained,
  LADDER_EXAMPLES,
  QUEUE_EXAMPLES,
} from './reference-examples.ts';

/** The parts of JSON Schema that definitions use. */
interface Schema {
  readonly $schema?: string;
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly definitions?: Definitions;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly patternErrorMessage?: string;
  readonly format?: string;
}
type Definitions = Readonly<Record<string, Schema>>;

/** The kinds of definitions. */
export const DEFINITIONS = {
  queue: { title: 'Queue definitions', zod: queueDefinition, explained: QUEUE_EXAMPLES },
  ladder: { title: 'Ladders', zod: ladderDefinition, explained: LADDER_EXAMPLES },
  experiment: { title: 'Experiments', zod: experimentDefinition, explained: EXPERIMENT_EXAMPLES },
} as const;
const KINDS = Object.keys(DEFINITIONS) as (keyof typeof DEFINITIONS)[];

/** The JSON Schema (draft 7, which editors read) of each kind of definition, by the name of its file in docs. */
export function editorSchemas(): Record<string, Schema> {
  return Object.fromEntries(KINDS.map((kind) => [`${kind}.schema.json`, schemaOf(kind)]));
}

/** The page. */
export function referencePage(): string {
  const sections = KINDS.map((kind) => {
    const { title, explained } = DEFINITIONS[kind];
    const { properties = {}, required = [], definitions = {} } = schemaOf(kind);
    const keys = Object.entries(properties).map(([key, schema]) => {
      const rows = mergedRows(rowsOf(schema, key, required.includes(key), definitions));
      return section(kind, key, rows, explained[key]!);
    });
    return `## ${title}\n\n${keys.join('\n\n')}`;
  });
  return `${HEAD}\n\n${sections.join('\n\n')}\n`;
}

const HEAD = `# Reference of definitions

Every key of [queue definitions](#queue-definitions), [ladders](#ladders) and [experiments](#experiments). \`npm run docs:api\` writes this page from the schemas that check definitions. Unknown keys are errors. \`npx muster validate FILE\` names every fault of a file.

An editor completes and checks a file that names its schema: \`"$schema": "../node_modules/muster/docs/queue.schema.json"\` in a folder beside \`node_modules\`, or the path to [queue.schema.json](queue.schema.json), [ladder.schema.json](ladder.schema.json) or [experiment.schema.json](experiment.schema.json) of a checkout.

In names of keys \`[]\` is an entry of a list, and \`*\` a name of your choice.`;

function schemaOf(kind: keyof typeof DEFINITIONS): Schema {
  const { zod, explained } = DEFINITIONS[kind];
  const document = z.toJSONSchema(zod, {
    io: 'input',
    target: 'draft-7',
    reused: 'ref',
    override: withPatternText,
  }) as Schema;
  const { definitions = {}, $schema = '' } = document;
  const schema = resolved(document, definitions);
  const properties = Object.entries(schema.properties!).map(([key, own]) => {
    if (explained[key] === undefined)
      throw new Error(`Expected an example of ${kind} ${key}, got none: add it to reference-examples.ts`);
    const { example, also = [] } = explained[key];
    return [key, { ...own, examples: [example[key], ...also] }];
  });
  const all: Schema = { $schema, ...schema, properties: Object.fromEntries(properties), definitions };
  return kind === 'experiment' ? withChanges(all) : all;
}

/** Editors show `patternErrorMessage` for a text that does not match: what the service says is expected. */
function withPatternText({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }) {
  if (!('pattern' in jsonSchema)) return;
  const [, text] = /Expected (.*), got/.exec(z.safeParse(zodSchema, ' ').error!.message)!;
  Object.assign(jsonSchema, { patternErrorMessage: `Expected ${text}` });
}

/** What a variant changes are keys of a queue definition, or null. */
function withChanges(schema: Schema): Schema {
  const read = JSON.stringify(schema, (key, value) => {
    if (key !== 'changes' || value.properties === undefined) return value;
    const changes = Object.keys(value.properties).map((name) => [
      name,
      { anyOf: [{ $ref: `queue.schema.json#/properties/${name}` }, { type: 'null' }] },
    ]);
    return { ...value, properties: Object.fromEntries(changes) };
  });
  return JSON.parse(read);
}

interface Row {
  readonly key: string;
  readonly meaning: string;
  readonly values: string;
  readonly preset: string;
  /** The form of its object, such as the type of a rule; undefined when there is one form. */
  readonly of: readonly string[];
}

/** The rows of a key and of all below it. */
function rowsOf(
  given: Schema,
  key: string,
  isRequired: boolean,
  definitions: Definitions,
  of?: string,
): Row[] {
  const schema = resolved(given, definitions);
  const [, meaning = '', preset] = /^(.*?)(?: \(default (.*)\))?$/.exec(schema.description ?? '')!;
  const ownDefault = schema.default === undefined ? preset : JSON.stringify(schema.default);
  const own = {
    key,
    meaning,
    values: valuesOf(schema, definitions),
    preset: isRequired ? 'required' : (ownDefault ?? 'none').replace(/^(?!none$)[^\s`]+$/, '`$&`'),
    of: of === undefined ? [] : [of],
  };
  if (SAME_AS_ABOVE.test(key)) return [own];
  return [own, ...below(schema, key, definitions, of)];
}

/** Keys whose own keys have rows elsewhere. */
const SAME_AS_ABOVE = /^rules\[\]\.rules$|^variants\[\]\.changes$/;
/** The keys of a step that loosens a rule are those of the rule. */
const LOOSENED = /^rules\[\]\.relax\[\]\.(?!waitSeconds|off)/;

function below(schema: Schema, key: string, definitions: Definitions, of?: string): Row[] {
  const { properties = {}, required = [], items, additionalProperties } = schema;
  const forms = schema.anyOf ?? schema.oneOf ?? [];
  const rows = Object.entries(properties).flatMap(([name, one]) =>
    LOOSENED.test(`${key}.${name}`)
      ? []
      : rowsOf(one, `${key}.${name}`, required.includes(name), definitions, of),
  );
  if (items !== undefined) rows.push(...below(resolved(items, definitions), `${key}[]`, definitions, of));
  if (typeof additionalProperties === 'object')
    rows.push(...below(resolved(additionalProperties, definitions), `${key}.*`, definitions, of));
  for (const form of forms) {
    const one = resolved(form, definitions);
    const { type, policy } = one.properties ?? {};
    const name = resolved(type ?? policy ?? {}, definitions).const as string | undefined;
    rows.push(...below(one, key, definitions, name === undefined ? of : `\`${name}\``));
  }
  return rows;
}

/** Follows references; what stands beside one counts first. */
function resolved(schema: Schema, definitions: Definitions): Schema {
  const { $ref, allOf, ...rest } = schema;
  const ref = $ref ?? allOf?.[0]?.$ref;
  if (ref === undefined) return schema;
  const target = definitions[ref.split('/').at(-1)!]!;
  return resolved({ ...target, ...rest }, definitions);
}

/** Rows of several forms that say the same become one, and those that all forms have name none. */
function mergedRows(rows: readonly Row[]): Row[] {
  const merged = new Map<string, Row>();
  for (const row of rows) {
    const isForm = /^`/.test(row.of[0] ?? '') && row.values === row.of[0];
    const id = isForm ? row.key : JSON.stringify([row.key, row.meaning, row.values, row.preset]);
    const before = merged.get(id);
    if (before === undefined)
      merged.set(id, isForm ? { ...row, meaning: 'Its type, which decides on the other keys' } : row);
    else
      merged.set(id, {
        ...before,
        values: isForm ? `${before.values}, ${row.values}` : before.values,
        of: [...new Set([...before.of, ...row.of])],
      });
  }
  return [...merged.values()];
}

function section(
  kind: string,
  key: string,
  rows: readonly Row[],
  { example, also = [], page }: Explained,
): string {
  const forms = new Set(rows.flatMap(({ of }) => of)).size;
  const lines = rows.map(({ key: name, meaning, values, preset, of }) => {
    const only = of.length > 0 && of.length < forms ? ` Of ${of.join(', ')}.` : '';
    const cells = [`\`${name}\``, `${meaning}${/[.…]$/.test(meaning) ? '' : '.'}${only}`, values, preset];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  const examples = [example, ...also.map((value) => ({ [key]: value }))].map((one) =>
    Object.entries(one)
      .map(([name, value]) => `"${name}": ${jsonOf(value)}`)
      .join(',\n'),
  );
  const name = page?.replace(/#.*/, '').replace(/.*\//, '');
  return [
    `### ${kind === 'queue' ? '' : `${kind}: `}\`${key}\``,
    ['| key | meaning | values | default |', '| --- | --- | --- | --- |', ...lines].join('\n'),
    examples.map((one) => `\`\`\`json\n${one}\n\`\`\``).join('\n\n'),
    ...(page === undefined ? [] : [`Explained in [${name}](${page}).`]),
  ].join('\n\n');
}

/** JSON with one line for what fits into 100 characters. */
function jsonOf(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, undefined, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/(?<=\[) | (?=\])/g, '');
  if (line.length + indent.length <= 100 || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((one) => `${inner}${jsonOf(one, inner)}`)
    : Object.entries(value).map(([key, one]) => `${inner}"${key}": ${jsonOf(one, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${entries.join(',\n')}\n${indent}${close}`;
}

function valuesOf(given: Schema, definitions: Definitions): string {
  const schema = resolved(given, definitions);
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms !== undefined)
    return [...new Set(forms.map((form) => valuesOf(form, definitions)))].join(', or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const).replaceAll('"', '')}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  switch (schema.type) {
    case 'integer':
      return `whole number${rangeOf(schema)}`;
    case 'number':
      return `number${rangeOf(schema)}`;
    case 'string':
      return textOf(schema);
    case 'array':
      return listOf(schema, definitions);
    case 'boolean':
      return '`true`, `false`';
    case 'null':
      return '`null`';
    default:
      return 'object';
  }
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const least =
    exclusiveMinimum === undefined ? `from ${shown(minimum!)}` : `above ${shown(exclusiveMinimum)}`;
  return ` ${least} to ${shown(maximum!)}`;
}

function shown(value: number): string {
  return Math.abs(value) >= 1e12
    ? String(value).replace(
        /^(-?)1e\+?(\d+)$|^(-?)1(0+)$/,
        (_, a, b, c, zeros) => `${a ?? c ?? ''}10^${b ?? zeros.length}`,
      )
    : value.toLocaleString('en-US');
}

function textOf({ format, patternErrorMessage, maxLength }: Schema): string {
  if (format === 'uri') return 'URL';
  if (patternErrorMessage !== undefined) return patternErrorMessage.replace('Expected ', '');
  return maxLength === undefined ? 'text' : `text of up to ${shown(maxLength)} characters`;
}

function listOf({ items, minItems = 0, maxItems }: Schema, definitions: Definitions): string {
  const entry = resolved(items ?? {}, definitions);
  const kind =
    entry.properties || entry.anyOf || entry.oneOf ? 'objects' : `of ${valuesOf(entry, definitions)}`;
  return `list of ${minItems} ${maxItems === undefined ? 'or more' : `to ${maxItems}`} ${kind}`;
}
