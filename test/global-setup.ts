import { rmSync } from 'node:fs';
import { BUILT_APPS, newAppsFolder } from './infra/built-app.ts';

/** Gives the processes of a run of the tests one folder for the apps that they synthesize: see `infra/built-app.ts`. */
export default function setup(): () => void {
  const folder = newAppsFolder();
  process.env[BUILT_APPS] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
