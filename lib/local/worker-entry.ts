import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

let entry: URL | undefined;

/**
 * The JavaScript of `lambda-worker.ts`, built once in a process. A worker that runs TypeScript loads Node's own compiler, which
 * doubles its memory and the time of its start.
 */
export function workerEntry(): URL {
  entry ??= built();
  return entry;
}

function built(): URL {
  // In the published package it is JavaScript already.
  const javascript = new URL('./lambda-worker.js', import.meta.url);
  if (existsSync(javascript)) return javascript;
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
