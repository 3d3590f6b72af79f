import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { InvalidInput } from '../vocabulary/invalid-input.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { makeFolder } from './make-folder.ts';

/**
 * Creates the directory if it does not exist and locks it. SQLite holds the operating system's file lock, so `stop`
 * or the end of this process releases it, even after a crash.
 *
 * @throws InvalidInput when the directory cannot be used
 * @throws LocalCloudError when another local cloud holds the lock
 */
export function holdDataDir(dir: string): { stop(): void } {
  try {
    makeFolder(dir);
    return lockOf(dir);
  } catch (error) {
    if (error instanceof LocalCloudError) throw error;
    throw new InvalidInput(
      `The data directory ${dir} cannot be used: ${(error as Error).message}. Choose another directory.`,
    );
  }
}

function lockOf(dir: string): { stop(): void } {
  const lock = new DatabaseSync(join(dir, 'lock.sqlite'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new LocalCloudError(
      `Another service uses the data directory ${dir}: stop that service, or choose another directory.`,
    );
  }
  return { stop: () => lock.close() };
}

/** SQLite's result code when another connection holds the lock. */
const SQLITE_BUSY = 5;
