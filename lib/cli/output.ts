import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isFolder, makeFolder } from '../local/make-folder.ts';
import { InvalidInput } from './failure.ts';
import { printJson } from './input.ts';
import { INTERRUPTED_STATUS } from './interruption.ts';
import { reasonOf } from './json-file.ts';

/** The files that options name; undefined where an option is not given. */
type Paths = readonly (string | undefined)[];

/**
 * Checks the output files of a command before its work starts.
 * @param inputs what the command reads; may name what is no file
 * @throws InvalidInput that names the file, when it cannot be written, is an input, or is the file of two outputs
 */
export function checkOutputs(outputs: Paths, inputs: Paths = []): void {
  const isGiven = (path: string | undefined) => path !== undefined;
  const read = inputs.filter(isGiven).filter(existsSync);
  const taken = new Map(read.map((path) => [placeOf(path), 'the command reads it']));
  for (const path of outputs.filter(isGiven)) {
    if (isFolder(path)) throw new InvalidInput(`cannot write ${path}: it is a folder`);
    orUnwritable(path, () => {
      if (existsSync(path)) return accessSync(path, constants.W_OK);
      closeSync(openSync(path, 'a'));
      rmSync(realpathSync(path));
    });
    const place = placeOf(path);
    const why = place && taken.get(place);
    if (why) throw new InvalidInput(`cannot write ${path}: ${why}`);
    taken.set(place, 'two options name it');
  }
}

/** Where a path leads, through all links. Undefined for what is no file, such as a terminal, which keeps nothing. */
function placeOf(path: string): string | undefined {
  if (!existsSync(path)) return join(realpathSync(dirname(path)), basename(path));
  const file = statSync(path, { bigint: true });
  return file.isFile() ? `${file.dev}:${file.ino}` : undefined;
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
    throw new InvalidInput(`cannot write ${path}: ${reasonOf(error)}`);
  }
}
