/** Programs of other languages, for the checks that need them. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export const PYTHON_MISSING = works('python3', ['-c', 'import venv, ensurepip'])
  ? undefined
  : 'python3 with venv is not here';

/** Whether a command ends with status 0. */
export function works(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** The standard output of a command. @throws what it has printed, when it fails */
export async function run(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
  const running = promisify(execFile)(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
  const { stdout } = await running.catch(({ message, stdout, stderr }) => {
    throw new Error(`${message}\n${stdout}\n${stderr}`);
  });
  return stdout;
}

/**
 * The folder of the programs of these Python packages, which are installed when they are missing.
 * @param packages with exact versions: `cfn-lint==1.58.0`
 */
export async function pythonPrograms(...packages: readonly string[]): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache', packages.join('-'));
  // The programs name their folder, so those of a checkout that was moved or copied do not start.
  const isDone = join(folder, 'installed');
  if (!existsSync(isDone) || readFileSync(isDone, 'utf8') !== folder) {
    await run(ROOT, 'python3', '-m', 'venv', '--clear', folder);
    await run(ROOT, join(folder, 'bin/pip'), 'install', '--quiet', ...packages);
    writeFileSync(isDone, folder);
  }
  return join(folder, 'bin');
}
