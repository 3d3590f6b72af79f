import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * The `@example`s of doc comments in lib, compiled and run. An example is a block of TypeScript:
 *
 *     @example
 *     ```ts
 *     import { GamePool } from './game-pool.ts';
 *     new GamePool(rules).size; // => 0
 *     ```
 *
 * Relative imports are those of the file it stands in. A statement with `// =>` is compared with the value behind it.
 * A block that begins with ```` ```ts no-run ```` is only compiled.
 */
interface Example {
  /** The file it stands in, and where: `lib/engine/game-pool.ts:40`. */
  readonly where: string;
  readonly code: string;
  readonly runs: boolean;
}

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
const examples = globSync('lib/**/*.ts', { cwd: root }).sort().flatMap(examplesOf);

/** A folder outside the checkout, in which packages are those of the checkout. */
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-examples-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    noUnusedLocals: false,
    typeRoots: [join(root, 'node_modules/@types')],
    // That of the type check would have to begin from the start after each run of the tests.
    tsBuildInfoFile: join(root, 'node_modules/.cache/tsc-examples.tsbuildinfo'),
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
  );
  examples.forEach((example, i) => {
    writeFileSync(join(folder, `example-${i}.ts`), programOf(example));
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the examples in doc comments', () => {
  it('show what strangers call', () => {
    const files = new Set(examples.map(({ where }) => where.split(':')[0]));
    expect([...files]).toEqual(
      expect.arrayContaining([
        'lib/engine/game-pool.ts',
        'lib/infra/matchmaker.ts',
        'lib/policies/plan.ts',
        'lib/policies/policy.ts',
      ]),
    );
  });

  it('compile', async () => {
    const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), [
      '-p',
      folder,
      '--pretty',
      'false',
      '--singleThreaded',
    ]).catch((failure: { stdout: string }) => failure);
    // tsc names its own files; the reader wants the comment.
    expect(stdout.replace(/\S*example-(\d+)\.ts/g, (_, i) => examples[Number(i)].where)).toBe('');
  });

  it('hold what they say', async () => {
    // In one process, which loads their modules once.
    const program = examples
      .map(({ where, runs }, i) =>
        runs ? `await import('./example-${i}.ts').catch((error) => console.error('${where}', error));` : '',
      )
      .join('\n');
    writeFileSync(join(folder, 'all.mjs'), program);
    const { stderr } = await run(process.execPath, ['--no-warnings', join(folder, 'all.mjs')]);
    expect(stderr).toBe('');
  });
});

function examplesOf(path: string): Example[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/@example\s*\n\s*\* ```ts( no-run)?\n([\s\S]*?)\n\s*\* ```/g)].map((match) => ({
    where: `${path}:${text.slice(0, match.index).split('\n').length}`,
    code: match[2].replace(/^ *\* ?/gm, ''),
    runs: match[1] === undefined,
  }));
}

/** The example as a program: imports by absolute paths, and what stands behind `// =>` as assertions. */
function programOf({ where, code }: Example): string {
  const folderOf = dirname(join(root, where.split(':')[0]));
  const program = code
    .replace(/from '(\.{1,2}\/[^']+)'/g, (_, path) => `from ${JSON.stringify(resolve(folderOf, path))}`)
    .replace(/^(.+?);? *\/\/ => (.+)$/gm, 'deepStrictEqual($1, $2);');
  return `import { deepStrictEqual } from 'node:assert';\n${program}\n`;
}
