import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod';
import { check } from '../contract/problem.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { makeFolder } from './make-folder.ts';

/**
 * Reads a JSON file of the data directory, which another version of Muster may have written.
 *
 * @returns undefined when the file does not exist
 * @throws LocalCloudError that names the file, when it is not JSON of this schema
 */
export function readState<T extends z.ZodType>(file: string, schema: T): z.output<T> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(file, (error as Error).message);
  }
  const result = check(schema, value);
  if (result.problems === undefined) return result.data;
  throw unreadable(file, result.problems.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '));
}

/** Writes the file in one step, so that a crash leaves the old or the new content. */
export function writeState(file: string, value: unknown): void {
  makeFolder(dirname(file));
  writeFileSync(`${file}.new`, JSON.stringify(value));
  renameSync(`${file}.new`, file);
}

function unreadable(file: string, why: string): LocalCloudError {
  return new LocalCloudError(
    `The stored file ${file} cannot be read: ${why}. Start with a new data directory.`,
  );
}
