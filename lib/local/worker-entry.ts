import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { keptBuild } from '../infra/kept-build.ts';

let entry: URL | undefined;

/**
 * The JavaScript of `lambda-worker.ts`, loaded once in a process. A worker that runs TypeScript loads Node's compiler, which
 * doubles its memory and its start time.
 */
export function workerEntry(): URL {
  entry ??= built();
  return entry;
}

function built(): URL {
  // In the published package it is JavaScript already.
  const javascript = new URL('./lambda-worker.js', import.meta.url);
  if (existsSync(javascript)) return javascript;
  const javaScript = keptBuild(fileURLToPath(new URL('node_modules/.cache/muster-worker', ROOT)), () => ({
    value: bundled(),
    files: SOURCES.map((file) => fileURLToPath(new URL(file, ROOT))),
  }));
  return new URL(`data:text/javascript,${encodeURIComponent(javaScript)}`);
}

const ROOT = new URL('../../', import.meta.url);
/** What the entry is made of. The lock file has the version of esbuild, and the worker imports only types. */
const SOURCES = ['lib/local/lambda-worker.ts', 'lib/local/worker-entry.ts', 'package-lock.json'];

function bundled(): string {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('./lambda-worker.ts', import.meta.url))],
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}
