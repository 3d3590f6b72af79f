import { rmSync } from 'node:fs';
import { FOLDER_OF_RUN, newFolderOfRun } from './folder-of-run.ts';

/** Gives the processes of a run of the tests one folder: for the apps that they synthesize, and for temporary files. */
export default function setup(): () => void {
  const folder = newFolderOfRun();
  process.env[FOLDER_OF_RUN] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
