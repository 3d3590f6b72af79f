import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { BuildFailure, Message } from 'esbuild';
import { type CustomCode, codeOf } from './code.ts';

/** The studio's module, with all that it imports. */
export interface BundledModule {
  /** CommonJS, in strict mode. */
  readonly text: string;
  /** What it exports. */
  readonly code: CustomCode;
}

/**
 * Bundles the studio's module and loads it once, so that what does not compile or load is known before anything is deployed. It
 * may import packages, but none of Node's own modules: its functions are pure.
 *
 * @param file TypeScript or JavaScript
 * @throws Error with the file and line
 */
export function bundleCode(file: string): BundledModule {
  if (!existsSync(file))
    throw new Error(`Expected \`code\` to be a file, got "${file}", which does not exist.`);
  const text = bundled(resolve(file));
  try {
    return { text, code: codeOf(exportsOf(text)) };
  } catch (error) {
    throw new Error(`${file}: the module cannot be loaded: ${(error as Error).message}`);
  }
}

function bundled(file: string): string {
  const { buildSync } = esbuild();
  try {
    const { outputFiles } = buildSync({
      entryPoints: [file],
      write: false,
      bundle: true,
      // No module of Node resolves.
      platform: 'neutral',
      mainFields: ['module', 'main'],
      target: 'node24',
      format: 'cjs',
      keepNames: true,
      banner: { js: '"use strict";' },
      logLevel: 'silent',
    });
    return outputFiles[0]!.text;
  } catch (error) {
    const { errors } = error as BuildFailure;
    if (errors === undefined) throw error;
    throw new Error(errors.map(messageText).join('\n'));
  }
}

/** An optional peer of the package. */
function esbuild(): typeof import('esbuild') {
  try {
    return createRequire(import.meta.url)('esbuild');
  } catch (cause) {
    throw new Error('Expected the package esbuild, which bundles `code`: run npm install esbuild', { cause });
  }
}

/** FILE:LINE:COLUMN: TEXT, which terminals and editors can open. */
function messageText({ text, location }: Message): string {
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`;
}

/** What a bundle exports. */
export function exportsOf(text: string): object {
  const module = { exports: {} };
  new Function('module', 'exports', text)(module, module.exports);
  return module.exports;
}
