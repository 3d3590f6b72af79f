import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Every function of the service; each has its entry in `lambdas/<name>.ts`. */
export const functionNames = [
  'enqueue',
  'tickets',
  'matches',
  'queues',
  'dry-run',
  'meta',
  'dispatch',
  'tick',
  'publish',
  'notify',
  'provision',
  'deadline',
  'deploy-queues',
] as const;

export type FunctionName = (typeof functionNames)[number];

/** The folder of the functions' entries. */
export const lambdasDir = fileURLToPath(new URL('../../lambdas', import.meta.url));

/**
 * The folder that holds a function's bundle, one `index.mjs` with all its dependencies.
 *
 * The first call of a process bundles all functions in one pass, for esbuild then parses what they share
 * once; source changed after that is not seen. The folders live until the process ends.
 * Throws esbuild's error when a function does not compile.
 */
export function bundleOf(name: FunctionName): string {
  bundlesDir ??= bundleAll();
  return join(bundlesDir, name);
}

let bundlesDir: string | undefined;

function bundleAll(): string {
  const outdir = mkdtempSync(join(tmpdir(), 'muster-bundles-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  buildSync({
    entryPoints: Object.fromEntries(
      functionNames.map((name) => [join(name, 'index'), join(lambdasDir, `${name}.ts`)]),
    ),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    // Logs name errors and classes; minified names would say nothing.
    keepNames: true,
    legalComments: 'none',
    banner: { js: requireForCommonJs },
    logLevel: 'silent',
  });
  return outdir;
}

/** Dependencies in CommonJS call `require` for Node's own modules, which an ES module does not have. */
const requireForCommonJs =
  "import { createRequire as musterCreateRequire } from 'node:module'; const require = musterCreateRequire(import.meta.url);";
