import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Synthesized } from '../../lib/infra/synthesize.ts';
import { folderOfRun } from '../folder-of-run.ts';
import type { BuiltApp } from './build-app.ts';

/**
 * `plain`: as `cdk deploy -c push=false` would deploy it. `local`: every queue may use every secret, as in `muster serve`.
 * `tokens`: it also requires the tokens of `test/local/tokens.ts`. `whole`: with every function of the service.
 */
export type AppVariant = 'plain' | 'local' | 'tokens' | 'whole';

/**
 * The app with the queue definitions of this repository, synthesized and bundled once for a run of the tests. Whichever
 * file asks first builds all variants, in a process of its own, so that no test file imports the CDK for them; others wait.
 * Outside of a run, each process builds its own.
 */
export function builtApp(variant: AppVariant = 'plain'): Synthesized {
  const folder = join(folderOfRun(), 'apps');
  const manifest = join(folder, 'apps.json');
  if (isFirst(folder)) build(folder, manifest);
  while (!existsSync(manifest)) waitShortly(folder);
  const built = JSON.parse(readFileSync(manifest, 'utf8')) as Record<AppVariant, BuiltApp>;
  const { template, outdir, assets } = built[variant];
  const assetPathOf = (id: string): string => {
    if (assets[id] !== undefined) return assets[id];
    throw new Error(`Expected the logical id of a function with a bundle, got "${id}".`);
  };
  return { template, outdir, assetPathOf };
}

/** Whether this caller is to build the apps: the one who creates the folder. */
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

/** The manifest appears in one step, so that nobody reads half of it. */
function build(folder: string, manifest: string): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BUILDER, folder], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    writeFileSync(join(folder, 'failed'), stderr);
    throw new Error(`The app cannot be synthesized:\n${stderr}`);
  }
  const unfinished = `${manifest}.unfinished`;
  writeFileSync(unfinished, stdout);
  renameSync(unfinished, manifest);
}

function waitShortly(folder: string): void {
  const failure = join(folder, 'failed');
  if (existsSync(failure))
    throw new Error(`The app cannot be synthesized:\n${readFileSync(failure, 'utf8')}`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}
