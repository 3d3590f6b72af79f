import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetCode, type CodeConfig } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type Built, keptBuild } from './kept-build.ts';

/** Every function of the service. Each has its entry in `lambdas/<name>.ts`. */
export const functionNames = [
  'enqueue',
  'tickets',
  'ticket-changes',
  'matches',
  'queues',
  'players',
  'dry-run',
  'meta',
  'dispatch',
  'tick',
  'publish',
  'notify',
  'provision',
  'provision-gamelift',
  'deadline',
  'rate',
  'deploy-queues',
  'authorize',
  'sockets',
  'push',
] as const;

export type FunctionName = (typeof functionNames)[number];

/** The folder of the functions' entries. In the published package it has their bundles instead. */
export const lambdasDir = fileURLToPath(new URL('../../lambdas', import.meta.url));
const root = dirname(lambdasDir);

/**
 * A function's code: one `index.mjs` with all its dependencies.
 *
 * The first instance in a process bundles all functions in one pass, so that esbuild parses shared code once. Later
 * changes of the source have no effect. Throws esbuild's error when a function does not compile. The published package
 * has the bundles, so it needs neither esbuild nor the dependencies of the functions.
 */
export class BundledCode extends AssetCode {
  readonly #isTemporary: boolean;

  /** @param files texts of further files, by name */
  constructor(name: FunctionName, files?: Readonly<Record<string, string>>) {
    const built = join(lambdasDir, name);
    const isAsBuilt = existsSync(built) && files === undefined;
    super(isAsBuilt ? built : temporaryFolder(name, files));
    this.#isTemporary = !isAsBuilt;
  }

  /** Copies the bundle into the cloud assembly. A temporary folder is not needed afterwards. */
  override bind(scope: Construct): CodeConfig {
    try {
      return super.bind(scope);
    } finally {
      if (this.#isTemporary) rmSync(this.path, { recursive: true, force: true });
    }
  }
}

/** A new folder with the bundle of a function and further files. */
function temporaryFolder(name: FunctionName, files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bundle-'));
  const built = join(lambdasDir, name);
  if (existsSync(built)) cpSync(built, folder, { recursive: true });
  else writeFileSync(join(folder, 'index.mjs'), bundleOf(name));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

function bundleOf(name: FunctionName): Uint8Array {
  bundles ??= bundleAll();
  return bundles.get(name)!.code;
}

let bundles: ReadonlyMap<string, Bundle> | undefined;

interface Bundle {
  readonly code: Uint8Array;
  /** The paths of the files that it contains, relative to the root of the checkout. */
  readonly sources: readonly string[];
}

/** The bundles of all functions by name. Throws esbuild's error when a function does not compile. */
export function bundleAll(): ReadonlyMap<string, Bundle> {
  return keptBuild(join(root, 'node_modules/.cache/muster-bundles'), bundled);
}

function bundled(): Built<ReadonlyMap<string, Bundle>> {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: functionNames.map((name) => join(lambdasDir, `${name}.ts`)),
    write: false,
    outdir: lambdasDir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    alias: { 'node:http': join(root, 'lib/infra/node-http.cjs') },
    minify: true,
    // Logs contain names of errors and classes, which must stay readable.
    keepNames: true,
    legalComments: 'none',
    banner: { js: `${requireForCommonJs} ${interpretedSchemas}` },
    logLevel: 'silent',
    metafile: true,
  });
  const codes = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const outputs = Object.entries(metafile.outputs).map(([path, { inputs }]): [string, Bundle] => [
    basename(path, '.mjs'),
    { code: codes.get(basename(path))!, sources: Object.keys(inputs) },
  ]);
  // This file has the options, and the lock file the version of every package.
  const files = [...Object.keys(metafile.inputs), 'package-lock.json', 'lib/infra/bundle.ts'];
  return { value: new Map(outputs), files: files.map((file) => join(root, file)) };
}

/** Dependencies in CommonJS call `require` for Node's own modules, which an ES module does not have. */
const requireForCommonJs =
  "import { createRequire as musterCreateRequire } from 'node:module'; const require = musterCreateRequire(import.meta.url);";

/**
 * zod compiles each schema at its first use. That takes 40 ms of a whole CPU in a cold start, and pays off after some thousand tickets,
 * which only a tick reads. Schemas read this setting when they are created, so a module of the service would set it too late.
 */
const interpretedSchemas =
  "globalThis.__zod_globalConfig = { jitless: process.env.POWERTOOLS_SERVICE_NAME !== 'tick' };";
