import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { holdDataDir } from '../../lib/local/data-dir.ts';
import { InvalidInput } from '../../lib/vocabulary/invalid-input.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-data-dir-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a data directory', () => {
  it('is created, and held by one service at a time', () => {
    const dir = join(folder, 'new', 'data');
    const held = holdDataDir(dir);
    expect(() => holdDataDir(dir)).toThrow(/^Another service uses the data directory .*data: stop/);
    held.stop();
    holdDataDir(dir).stop();
  });

  it('that cannot be created or read is rejected with the reason', () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'text');
    expect(() => holdDataDir(join(file, 'data'))).toThrow(InvalidInput);
    expect(() => holdDataDir(join(file, 'data'))).toThrow(/^The data directory .* cannot be used: ENOTDIR.*/);
    // This folder exists, and takes no folders.
    expect(() => holdDataDir('/proc/muster/data')).toThrow(InvalidInput);
    writeFileSync(join(folder, 'lock.sqlite'), 'this is no database, but long enough to be read as one');
    expect(() => holdDataDir(folder)).toThrow(
      /^The data directory .* cannot be used: file is not a database\./,
    );
  });
});
