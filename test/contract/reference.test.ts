import { globSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { checkExperiment, experimentDefinition } from '../../lib/contract/experiment.ts';
import { ladderDefinition } from '../../lib/contract/ladder.ts';
import { checkQueueDefinition } from '../../lib/contract/queue-definition.ts';
import { DEFINITIONS, editorSchemas, referencePage } from './reference.ts';

const root = new URL('../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');

const arena = JSON.parse(text('queues/arena.json'));
const TRIED = {
  name: 'tried',
  variants: [
    { name: 'a', changes: {} },
    { name: 'b', changes: { beta: 9 } },
  ],
  blockMinutes: 60,
  days: 7,
};
const BASES = { queue: arena, ladder: { name: 'ranked' }, experiment: TRIED };
const CHECKS = {
  queue: (value: unknown) => checkQueueDefinition(value, 'the example'),
  ladder: (value: unknown) => ladderDefinition.parse(value),
  experiment: (value: unknown) => checkExperiment(value, checkQueueDefinition(arena, ''), 'the example'),
};

const ajv = new Ajv({ allErrors: true, strict: false });
addFormats.default(ajv);
for (const [name, schema] of Object.entries(editorSchemas())) ajv.addSchema(schema, name);

/** All examples of the page, each as a whole definition. */
const EXAMPLES = (['queue', 'ladder', 'experiment'] as const).flatMap((kind) =>
  Object.entries(DEFINITIONS[kind].explained).flatMap(([key, { example, also = [] }]) =>
    [example, ...also.map((value) => ({ [key]: value }))].map((part) => {
      const whole = { ...BASES[kind], ...part };
      if (Array.isArray(whole.teams)) delete whole.teamSize;
      return { kind, key, whole };
    }),
  ),
);

describe('the reference of definitions', () => {
  it('is written', () => {
    expect(text('docs/reference.md'), 'run npm run docs:api').toBe(referencePage());
    for (const [name, schema] of Object.entries(editorSchemas()))
      expect(JSON.parse(text(`docs/${name}`)), 'run npm run docs:api').toEqual(schema);
  });

  it.each(EXAMPLES)('has a valid example of $kind $key', ({ kind, whole }) => {
    expect(() => CHECKS[kind](whole)).not.toThrow();
    const isValid = ajv.validate(`${kind}.schema.json`, whole);
    expect(isValid, ajv.errorsText()).toBe(true);
  });

  it('shows each key in an example, and says what each is', () => {
    const rows = [...referencePage().matchAll(/^\| `([^`]+)` \| (.+)$/gm)];
    expect(rows.length).toBeGreaterThan(90);
    const shown = new Set(EXAMPLES.flatMap(({ whole }) => pathsOf(whole)));
    const missing = rows.filter(([, key]) => ![...shown].some((path) => patternOf(key!).test(path)));
    expect(missing.map(([, key]) => key)).toEqual([]);
    // A row without a meaning, or with a default that does not end its description.
    const unsaid = rows.filter(([, , rest]) => /^\. |\(default /.test(rest!));
    expect(unsaid.map(([, key]) => key)).toEqual([]);
  });
});

describe('the schemas for editors', () => {
  it.each(globSync('queues/**/*.json', { cwd: root }))('take %s', (path) => {
    expect(ajv.validate('queue.schema.json', JSON.parse(text(path))), ajv.errorsText()).toBe(true);
  });

  it('reject what the service rejects', () => {
    const rejects = (kind: string, value: object) => ajv.validate(`${kind}.schema.json`, value) === false;
    expect(rejects('queue', { ...arena, teamsize: 5 })).toBe(true);
    expect(rejects('queue', { ...arena, release: { policy: 'expanding', waitCost: 1 } })).toBe(true);
    expect(rejects('ladder', { name: 'ranked', beta: 0 })).toBe(true);
    const late = { name: 'b', changes: { beta: -1 } };
    expect(rejects('experiment', { ...TRIED, variants: [TRIED.variants[0], late] })).toBe(true);
  });

  it('may be named by each kind of definition', () => {
    const $schema = '../schema.json';
    expect(checkQueueDefinition({ ...arena, $schema }, '')).toMatchObject({ $schema });
    expect(ladderDefinition.parse({ name: 'ranked', $schema })).toMatchObject({ $schema });
    expect(experimentDefinition.parse({ ...TRIED, $schema })).toMatchObject({ $schema });
  });
});

/** The paths of all keys of a value, such as `rules[].name`. */
function pathsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => pathsOf(one, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const own = path === '' ? key : `${path}.${key}`;
    return [own, ...pathsOf(one, own)];
  });
}

/** The paths that a key of the page stands for. */
function patternOf(key: string): RegExp {
  return new RegExp(`^${key.replace(/[$[\].]/g, '\\$&').replace('*', '[^.]+')}$`);
}
