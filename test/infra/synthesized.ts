import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type Synthesized, type SynthesizeOptions, synthesize } from '../../lib/infra/synthesize.ts';

/** Synthesizes into a folder that is removed after the tests of the file. */
export function synthesized(options: Omit<SynthesizeOptions, 'outdir'> = {}): Synthesized {
  return synthesize({ ...options, outdir: temporaryFolder() });
}

/** A folder that is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-infra-test-'));
  folders.push(folder);
  return folder;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
