import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Synthesized, synthesize } from '../../lib/infra/synthesize.ts';
import { exportsOf } from '../../lib/rules/custom/bundle.ts';

const examples = join(import.meta.dirname, '../../examples/custom-rules');
const code = join(examples, 'rules.ts');
const folder = mkdtempSync(join(tmpdir(), 'muster-code-'));
const queues = join(folder, 'queues');
let app: Synthesized;

beforeAll(() => {
  cpSync(join(examples, 'arena.json'), join(queues, 'arena.json'));
  app = synthesize({ queuesDir: queues, context: { code }, outdir: join(folder, 'out') });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const functions = () =>
  Object.entries(app.template.Resources).flatMap(([id, { Type, Properties, DependsOn }]) =>
    Type === 'AWS::Lambda::Function'
      ? [{ id, variables: Properties.Environment?.Variables ?? {}, DependsOn }]
      : [],
  );

it('is beside the bundles of the functions that search, and nowhere else', () => {
  const having = functions().filter(({ id }) => existsSync(join(app.assetPathOf(id), 'code.cjs')));
  expect(having.map(({ variables }) => variables.POWERTOOLS_SERVICE_NAME).sort()).toEqual([
    'dry-run',
    'tick',
    'tickets',
  ]);
  for (const { id } of having) {
    expect(readdirSync(app.assetPathOf(id)).sort()).toEqual(['code.cjs', 'index.mjs']);
    const text = readFileSync(join(app.assetPathOf(id), 'code.cjs'), 'utf8');
    expect(Object.keys(exportsOf(text))).toContain('enoughVotes');
  }
});

it('is known by name to the functions that check definitions, which a deployment puts after the code', () => {
  const knowing = functions().filter(({ variables }) => variables.CUSTOM_FUNCTIONS !== undefined);
  expect(knowing.map(({ variables }) => variables.POWERTOOLS_SERVICE_NAME).sort()).toEqual([
    'deploy-queues',
    'queues',
  ]);
  expect(knowing[0]!.variables.CUSTOM_FUNCTIONS.split(',').sort()).toEqual([
    'closeRanks',
    'enoughVotes',
    'newcomersApart',
    'rivalry',
  ]);
  const [put] = Object.values(app.template.Resources).filter(
    ({ Type }) => Type === 'Custom::QueueDefinitions',
  );
  const searching = functions().filter(({ id }) => existsSync(join(app.assetPathOf(id), 'code.cjs')));
  for (const { id } of searching) expect(put!.DependsOn).toContain(id);
});

it('fails the synthesis by name when a definition needs a function that it does not have', () => {
  const other = join(folder, 'other.ts');
  writeFileSync(other, 'export const rivalry = () => 1;\n');
  const synthesis = (context: object) => () =>
    synthesize({ queuesDir: queues, context: { ...context }, outdir: join(folder, 'failed') });
  const file = join(queues, 'arena.json');
  expect(synthesis({ code: other })).toThrow(/got enoughVotes for rule Votes: the code exports rivalry/);
  expect(synthesis({ code: other })).toThrow(file);
  expect(synthesis({})).toThrow(/got enoughVotes for rule Votes: there is no code/);
  writeFileSync(other, 'export const rivalry = (;\n');
  expect(synthesis({ code: other })).toThrow(/other\.ts:1:\d+: Unexpected ";"/);
});
