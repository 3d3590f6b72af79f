import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variable with the folder of this run of the tests: see `global-setup.ts`. */
export const FOLDER_OF_RUN = 'MUSTER_TEST_FOLDER';

/** The folder for the temporary files of this run of the tests, which all its processes share. It is removed after the run. */
export function folderOfRun(): string {
  process.env[FOLDER_OF_RUN] ??= temporaryUntilExit();
  return process.env[FOLDER_OF_RUN];
}

/** Outside of a run, each process has a folder of its own. */
function temporaryUntilExit(): string {
  const folder = newFolderOfRun();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A new folder for a run. The caller removes it. */
export function newFolderOfRun(): string {
  return mkdtempSync(join(tmpdir(), 'muster-test-'));
}
