import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalCloudError } from './local-cloud-error.ts';

/**
 * Creates the directory if it does not exist and locks it. SQLite holds the operating system's file lock, so `stop`
 * or the end of this process releases it, even after a crash.
 *
 * @throws LocalCloudError when another local cloud holds the lock
 */
export function holdDataDir(dir: string): { stop(): void } {
  mkdirSync(dir, { recursive: true });
  const lock = new DatabaseSync(join(dir, 'lock.sqlite'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new LocalCloudError(
      `Another service uses the data directory ${dir}: stop that service, or choose another directory.`,
    );
  }
  return { stop: () => lock.close() };
}
