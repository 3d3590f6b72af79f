import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const MUSTER = fileURLToPath(new URL('../../lib/cli/muster.ts', import.meta.url));

export interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `muster` to its end. */
export function muster(...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MUSTER, ...args], { encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** A file that is removed after the tests. Text is written unchanged, other content as JSON. */
export function file(name: string, content: unknown): string {
  folder ??= mkdtempSync(join(tmpdir(), 'muster-cli-test-'));
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

let folder: string | undefined;
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
});
