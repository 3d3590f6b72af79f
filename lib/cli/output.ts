import { accessSync, closeSync, constants, existsSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isFolder, makeFolder } from '../local/make-folder.ts';
import { InvalidInput } from './failure.ts';
import { printJson } from './input.ts';
import { INTERRUPTED_STATUS } from './interruption.ts';

/**
 * Checks an output file before the work starts.
 * @param path undefined when there is no output file
 * @throws InvalidInput that names the file, when it cannot be written
 */
export function checkWritable(path: string | undefined): void {
  if (path === undefined) return;
  if (isFolder(path)) {
    throw new InvalidInput(`cannot write ${path}: it is a folder`);
  }
  orUnwritable(path, () => accessSync(existsSync(path) ? path : dirname(path), constants.W_OK));
}

/**
 * @param folder whether its folder is made, if there is none. @default false
 * @throws InvalidInput that names the file or the folder, when it cannot be written
 */
export function writeText(path: string, text: string, { folder = false } = {}): void {
  if (folder) orUnwritable(dirname(path), () => makeFolder(dirname(path)));
  orUnwritable(path, () => writeFileSync(path, text));
}

/** Follows the description of a run that was interrupted. */
export const CUT = ' Interrupted before the end.';

/**
 * Prints the results of a run: as JSON, or as text on a terminal. A run that was interrupted ends with the status of an interruption.
 */
export function printRun<Result extends { readonly interrupted: boolean }>(
  { json }: { readonly json?: boolean },
  result: Result,
  text: () => string,
): void {
  if (json || !process.stdout.isTTY) printJson(result);
  else console.error(text());
  if (result.interrupted) process.exitCode = INTERRUPTED_STATUS;
}

/**
 * Writes lines to a file while they are produced.
 * @throws InvalidInput that names the file, when it cannot be written; so may `write`
 */
export function lineWriter(path: string): { write(line: string): void; end(): void } {
  const file = orUnwritable(path, () => openSync(path, 'w'));
  return {
    write: (line) => void orUnwritable(path, () => writeSync(file, `${line}\n`)),
    end: () => closeSync(file),
  };
}

function orUnwritable<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const isNowhere = (code === 'ENOENT' || code === 'ENOTDIR') && !isFolder(dirname(path));
    const why = isNowhere ? `folder not found: ${dirname(path)}` : (WHY_UNWRITABLE[code] ?? message);
    throw new InvalidInput(`cannot write ${path}: ${why}`);
  }
}

/** By the code of the error. */
const WHY_UNWRITABLE: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ENOENT: 'its folder takes no new files',
  EACCES: 'no permission',
  EPERM: 'no permission',
  ENOSPC: 'the disk is full',
};
