import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Synthesized } from '../../lib/infra/synthesize.ts';
import { folderOfRun } from '../folder-of-run.ts';
import type { BuiltApp } from './build-app.ts';

/**
 * `plain`: as `cdk deploy -c push=false` would deploy it. `local`: every queue may use every secret, as in `muster serve`.
 * `tokens`: it also requires the tokens of `test/local/tokens.ts`, and permits the origin there. `whole`: with every function of the service.
 */
export type AppVariant = 'plain' | 'local' | 'tokens' | 'whole';

/**
 * The app with the queue definitions of this repository, synthesized and bundled once for the sources as they are. Whichever
 * file of a run asks first builds all variants, in a process of its own, so that no test file imports the CDK for them; others
 * wait. The next run finds them when the sources are the same.
 */
export function builtApp(variant: AppVariant = 'plain'): Synthesized {
  apps ??= JSON.parse(readFileSync(manifest(), 'utf8')) as Record<AppVariant, BuiltApp>;
  const { template, outdir, assets } = structuredClone(apps[variant]);
  const assetPathOf = (id: string): string => {
    if (assets[id] !== undefined) return assets[id];
    throw new Error(`Expected the logical id of a function with a bundle, got "${id}".`);
  };
  return { template, outdir, assetPathOf };
}

let apps: Record<AppVariant, BuiltApp> | undefined;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/muster-test-apps');
/** How many apps of other sources are kept, which other runs may use. */
const OTHERS_MAX = 2;
/** What the apps are made of. */
const SOURCES = [
  'lib',
  'lambdas',
  'queues',
  'cdk.json',
  'package-lock.json',
  'test/infra/build-app.ts',
  'test/local/tokens.ts',
];

/** The path of the file that describes the apps of this run. */
function manifest(): string {
  const folder = join(folderOfRun(), 'apps');
  const found = join(folder, 'found');
  if (isFirst(folder)) {
    const cached = join(CACHE, digestOfSources());
    if (!existsSync(cached)) build(folder, cached);
    // It appears in one step, so that nobody reads half of it.
    writeFileSync(`${found}.unfinished`, join(cached, 'apps.json'));
    renameSync(`${found}.unfinished`, found);
  }
  while (!existsSync(found)) waitShortly(folder);
  return readFileSync(found, 'utf8');
}

function digestOfSources(): string {
  const hash = createHash('sha256').update(process.version);
  const files = SOURCES.flatMap((path) =>
    statSync(join(ROOT, path)).isFile() ? [path] : globSync(`${path}/**/*.*`, { cwd: ROOT }).sort(),
  );
  for (const path of files) hash.update(`\n${path}\n`).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, 16);
}

/** Whether this caller is to find or build the apps: the one of the run who creates the folder. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const BUILDER = fileURLToPath(new URL('./build-app.ts', import.meta.url));

/** Builds the apps in a folder, and moves them to the cache in one step. */
function build(folder: string, cached: string): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BUILDER, folder], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    writeFileSync(join(folder, 'failed'), stderr);
    throw new Error(`The app cannot be synthesized:\n${stderr}`);
  }
  mkdirSync(CACHE, { recursive: true });
  const ages = new Map(readdirSync(CACHE).map((name) => [name, statSync(join(CACHE, name)).mtimeMs]));
  for (const [name] of [...ages].sort(([, a], [, b]) => b - a).slice(OTHERS_MAX))
    rmSync(join(CACHE, name), { recursive: true, force: true });
  const unfinished = mkdtempSync(join(CACHE, 'unfinished-'));
  cpSync(folder, unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'apps.json'), stdout.replaceAll(folder, cached));
  try {
    renameSync(unfinished, cached);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(cached)) throw error;
  }
}

function waitShortly(folder: string): void {
  const failure = join(folder, 'failed');
  if (existsSync(failure))
    throw new Error(`The app cannot be synthesized:\n${readFileSync(failure, 'utf8')}`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}
