import { execFile } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_LONG } from '../long.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
/** The Node of the stranger. @default the one that runs the tests */
const nodePath = process.env.STRANGER_NODE ?? process.execPath;

/**
 * The tarball as a stranger has it: unpacked in `node_modules`, beside the packages that it depends on. Those are links to the
 * checkout's, so that the test needs no registry.
 */
let stranger: string;
let tarballBytes: number;

beforeAll(async () => {
  stranger = mkdtempSync(join(tmpdir(), 'muster-stranger-'));
  // A release names the file that it is going to publish.
  const tarball = process.env.TARBALL ?? (await packed());
  tarballBytes = statSync(tarball).size;
  const unpacked = join(stranger, 'node_modules/muster');
  mkdirSync(unpacked, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
  link(...Object.keys(manifest().dependencies));
  cpSync(join(import.meta.dirname, 'strangers'), stranger, { recursive: true });
  writeFileSync(join(stranger, 'package.json'), '{ "type": "module" }');
});

/** Builds and packs the checkout. */
async function packed(): Promise<string> {
  await run(process.execPath, [join(root, 'lib/package/build.ts')]);
  const pack = ['pack', join(root, 'dist'), '--pack-destination', stranger, '--silent'];
  const { stdout } = await run('npm', pack);
  return join(stranger, stdout.trim());
}

afterAll(() => rmSync(stranger, { recursive: true, force: true }));

function manifest() {
  return JSON.parse(readFileSync(join(stranger, 'node_modules/muster/package.json'), 'utf8'));
}

/** Adds packages to the stranger's project. */
function link(...names: readonly string[]): void {
  for (const name of names) {
    const path = join(stranger, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), path);
  }
}

/** Compiles files as a stranger does, with declarations checked, and returns the errors. */
async function compile(...files: readonly string[]): Promise<string> {
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--pretty', 'false'];
  const libraries = [
    '--singleThreaded',
    '--lib',
    'es2024,dom',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules/@types'),
  ];
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = await run(tsc, [...options, ...libraries, ...files], { cwd: stranger }).catch(
    (failure: { stdout: string }) => failure,
  );
  return stdout;
}

const node = async (...args: string[]) => (await run(nodePath, args, { cwd: stranger })).stdout;

describe('the package', () => {
  it('has a file for each of its exports and its command, and no TypeScript but declarations', () => {
    const files = globSync('**/*', { cwd: join(stranger, 'node_modules/muster') });
    const { exports, bin } = manifest() as { exports: Record<string, unknown>; bin: Record<string, string> };
    const named = JSON.stringify([exports, bin]).match(/"\.\/[^"]+\.(?:js|d\.ts)"/g) ?? [];
    expect(named).toHaveLength(13);
    for (const path of named) expect(files).toContain(JSON.parse(path).slice(2));
    for (const kind of ['queue', 'ladder', 'experiment']) expect(files).toContain(`docs/${kind}.schema.json`);
    expect(files.filter((path) => /(?<!\.d)\.tsx?$/.test(path))).toEqual([]);
    expect(tarballBytes).toBeLessThan(8_000_000);
  });

  it('leaves out the research and the solver that only research needs', async () => {
    const files = globSync('**/*.js', { cwd: join(stranger, 'node_modules/muster') });
    expect(files.filter((path) => path.includes('research'))).toEqual([]);
    expect(JSON.stringify(manifest())).not.toContain('highs');
    const muster = join(stranger, 'node_modules/muster/lib/cli/muster.js');
    const { code, stdout, stderr } = await run(nodePath, [muster, 'reproduce', 'wu']).catch(
      (failure) => failure,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    // Node 22 prints a warning about its SQLite first.
    expect(stderr).toMatch(
      /^muster reproduce needs a checkout of Muster, .* npm ci && npx muster reproduce$/m,
    );
  });

  it('installs a few small packages, and asks for those of its parts', () => {
    const { dependencies, peerDependencies, peerDependenciesMeta, engines } = manifest();
    expect(Object.keys(dependencies)).toEqual([
      '@commander-js/extra-typings',
      'aws4fetch',
      'commander',
      'csv-parse',
      'ipaddr.js',
      'jsonc-parser',
      'zod',
    ]);
    expect(Object.keys(peerDependencies)).toEqual(expect.arrayContaining(['aws-cdk-lib', 'constructs']));
    expect(Object.keys(peerDependenciesMeta)).toEqual(Object.keys(peerDependencies));
    expect(engines.node).toBe('>=22.23');
  });

  it('asks for esbuild to bundle custom rules, by name', async () => {
    const examples = join(root, 'examples/custom-rules');
    const muster = join(stranger, 'node_modules/muster/lib/cli/muster.js');
    const args = ['validate', join(examples, 'arena.json'), '--code', join(examples, 'rules.ts')];
    const validate = () => run(nodePath, [muster, ...args], { cwd: stranger }).catch((failure) => failure);
    expect(Object.keys(manifest().peerDependencies)).toContain('esbuild');
    expect((await validate()).stderr).toMatch(
      /--code: Expected the package esbuild, which bundles `code`: run npm install esbuild$/m,
    );
    link('esbuild');
    expect((await validate()).stderr).toContain('rule Votes: enoughVotes permits');
  });

  it('has the licence of every package whose code it contains', () => {
    const unpacked = join(stranger, 'node_modules/muster');
    const notices = readFileSync(join(unpacked, 'THIRD-PARTY-NOTICES.md'), 'utf8');
    const named = [...notices.matchAll(/([@\w./-]+) \d+\.\d+\.\d+ \(/g)].map(([, name]) => name!);
    // All that the checkout depends on and the package neither installs nor asks for is bundled or only builds it.
    const checkout = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const others = Object.keys({ ...manifest().dependencies, ...manifest().peerDependencies });
    for (const name of Object.keys(checkout.dependencies))
      if (![...others, 'cdk-nag'].includes(name)) expect(named).toContain(name);
    expect(named).toEqual(expect.arrayContaining(['zod', 'preact', '@smithy/core']));
    // Every package with its own copyright line, or under the text of its licence.
    for (const text of notices.split('\n## ').slice(1))
      expect(text).toMatch(/Copyright|copyright|public domain/);
    expect(notices).toContain('Jason Miller');
    expect(notices).toContain('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION');
  });

  it('gives a script the engine, the policies and the simulation, and a page the client', async () => {
    expect(await compile('engine-script.ts', 'page.ts')).toBe('');
    expect(await node('engine-script.js')).toBe('ann+bob 1 0\n');
    const { metafile, outputFiles } = await build({
      entryPoints: [join(stranger, 'page.ts')],
      bundle: true,
      minify: true,
      write: false,
      platform: 'browser',
      format: 'esm',
      metafile: true,
      logLevel: 'silent',
    });
    const inputs = Object.keys(metafile.inputs).filter((path) => !/aws4fetch|\/client\/|page\.ts/.test(path));
    expect(inputs).toEqual([]);
    expect(outputFiles[0]!.contents.length).toBeLessThan(22_500);
  });

  it('has a command that needs no further package to match, simulate and validate', async () => {
    const muster = join(stranger, 'node_modules/muster/lib/cli/muster.js');
    expect(await node(muster, '--version')).toBe(`${manifest().version}\n`);
    const [queue, tickets] = ['queues/duel.json', 'examples/tickets.json'].map((path) => join(root, path));
    await node(muster, 'validate', queue!);
    expect(JSON.parse(await node(muster, 'match', '--queue', queue!, '--tickets', tickets!)).queue).toBe(
      'duel',
    );
    const players = ['--rate', '5', '--players', '100', '--json'];
    expect(JSON.parse(await node(muster, 'simulate', '--queue', queue!, ...players))).toHaveProperty('seed');
    const { stderr } = await run(nodePath, [muster, 'serve', '--port', '0']).catch((failure) => failure);
    // Node 22 prints a warning about its SQLite first.
    expect(stderr).toMatch(/^This command needs the package [\w@/-]+, which is not installed: npm install /m);
  });

  it.runIf(IS_LONG)(
    'deploys in the CDK app of a stranger, and compiles with the examples of the documentation',
    async () => {
      link('aws-cdk-lib', 'constructs');
      // The app needs the CDK alone.
      expect(await compile('cdk-app.ts')).toBe('');
      link('jose');
      const files = examplesOfPages();
      expect(files.length).toBeGreaterThan(4);
      expect(await compile('cdk-app.ts', ...files)).toBe('');
      expect(Number(await node('cdk-app.js'))).toBeGreaterThan(12);
    },
  );
});

/** Writes each example of the documentation that imports what it uses, which is a whole module, into a file. */
function examplesOfPages(): string[] {
  return globSync('*.md', { cwd: join(root, 'docs') }).flatMap((page) => {
    const text = readFileSync(join(root, 'docs', page), 'utf8');
    return [...text.matchAll(/```ts\n(import [\s\S]*?)```/g)].map(([, code], at) => {
      const file = `${page}-${at}.ts`;
      writeFileSync(join(stranger, file), code!);
      return file;
    });
  });
}
