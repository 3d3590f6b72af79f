import { accessSync, closeSync, constants, existsSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidInput } from './failure.ts';

/**
 * Before the work whose result is to be written there.
 * @param path undefined when nothing is to be written
 * @throws InvalidInput that names the file, when it cannot be written
 */
export function checkWritable(path: string | undefined): void {
  if (path === undefined) return;
  orUnwritable(path, () => accessSync(existsSync(path) ? path : dirname(path), constants.W_OK));
}

/** @throws InvalidInput that names the file, when it cannot be written */
export function writeText(path: string, text: string): void {
  orUnwritable(path, () => writeFileSync(path, text));
}

/** Lines of a file that is written as they come, a few hundred at once. */
export interface LineWriter {
  write(line: string): void;
  end(): void;
}

const LINES_PER_WRITE = 500;

/** @throws InvalidInput that names the file, when it cannot be written; so may `write` and `end` */
export function lineWriter(path: string): LineWriter {
  const file = orUnwritable(path, () => openSync(path, 'w'));
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0) orUnwritable(path, () => writeSync(file, `${lines.join('\n')}\n`));
    lines = [];
  };
  return {
    write(line) {
      lines.push(line);
      if (lines.length >= LINES_PER_WRITE) flush();
    },
    end() {
      flush();
      closeSync(file);
    },
  };
}

function orUnwritable<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new InvalidInput(
      `${path}: Expected a file that can be written: ${(error as NodeJS.ErrnoException).code}`,
    );
  }
}
