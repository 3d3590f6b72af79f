import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type Synthesized, type SynthesizeOptions, synthesize } from '../../lib/infra/synthesize.ts';
import { folderOfRun } from '../folder-of-run.ts';

/** Synthesizes into a folder that is removed after the run of the tests. */
export function synthesized(options: Omit<SynthesizeOptions, 'outdir'> = {}): Synthesized {
  return synthesize({ ...options, outdir: temporaryFolder() });
}

/** A folder that is removed after the run of the tests. */
export function temporaryFolder(): string {
  return mkdtempSync(join(folderOfRun(), 'infra-'));
}
