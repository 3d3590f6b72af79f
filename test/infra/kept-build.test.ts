import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { keptBuild } from '../../lib/infra/kept-build.ts';
import { temporaryFolder } from './synthesized.ts';

describe('a kept build', () => {
  let folder: string;
  let builds: number;
  beforeEach(() => {
    folder = temporaryFolder();
    builds = 0;
    write('one', '1');
    write('two', '2');
  });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const files = () => ['one', 'two'].map((name) => join(folder, name));
  /** The texts of both files, as bytes. */
  const build = (path = join(folder, 'cache/kept')) =>
    keptBuild(path, () => {
      builds++;
      return {
        value: new Map(files().map((file) => [file, new Uint8Array(readFileSync(file))])),
        files: files(),
      };
    });
  const texts = () => [...build().values()].map((bytes) => Buffer.from(bytes).toString());

  it('is used as long as its files have the same contents', () => {
    expect([texts(), texts()]).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
    write('two', '2');
    texts();
    expect(builds).toBe(1);
  });

  it('is built again when a file changes, or when it is unreadable', () => {
    texts();
    write('two', 'changed');
    expect(texts()).toEqual(['1', 'changed']);
    write('cache/kept', 'half of it');
    expect(texts()).toEqual(['1', 'changed']);
    expect(builds).toBe(3);
  });

  it('is not used when a file is gone', () => {
    texts();
    rmSync(join(folder, 'two'));
    expect(() => texts()).toThrow('ENOENT');
  });

  it('is built each time where nothing can be written', () => {
    const path = join(folder, 'one/kept');
    expect(build(path)).toEqual(build(path));
    expect(builds).toBe(2);
  });
});
