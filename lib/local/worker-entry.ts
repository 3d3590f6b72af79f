import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

let entry: URL | undefined;

/**
 * The JavaScript of `lambda-worker.ts`, built once in a process. A worker that runs TypeScript loads Node's compiler, which
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
  return new URL(`data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`);
}
