import { existsSync, readFileSync } from 'node:fs';
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
  const source = fileURLToPath(new URL('./lambda-worker.ts', import.meta.url));
  const cache = fileURLToPath(new URL('../../node_modules/.cache/muster-worker', import.meta.url));
  const text = keptBuild(cache, () => ({ value: withoutTypes(source), files: [source] }));
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
}

function withoutTypes(path: string): string {
  const { transformSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  return transformSync(readFileSync(path, 'utf8'), { loader: 'ts', target: 'node24' }).code;
}
