import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalCloudError } from './local-cloud-error.ts';

/**
 * Makes the directory where there is none, and keeps others out of it until `stop`, or until this process ends,
 * however it ends: the lock is the operating system's, by way of SQLite.
 *
 * @throws LocalCloudError when another local cloud has it
 */
export function holdDataDir(dir: string): { stop(): void } {
  mkdirSync(dir, { recursive: true });
  const lock = new DatabaseSync(join(dir, 'lock.sqlite'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new LocalCloudError(
      `Another service uses the data directory ${dir}: end it, or choose another one.`,
    );
  }
  return { stop: () => lock.close() };
}
