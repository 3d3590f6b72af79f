import { chmodSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../lib/cli/failure.ts';
import { readJson } from '../../lib/cli/json-file.ts';
import { file } from './muster.ts';

describe('reading a JSON file', () => {
  it.each([
    ['{"name":', ':1:9: invalid JSON: value expected'],
    ['{\n  "a": 1,\n}', ':3:1: invalid JSON: property name expected'],
    ['{\n  "a": tru\n}', ':2:8: invalid JSON: invalid symbol'],
    ['{ "a" 1 }', ':1:7: invalid JSON: colon expected'],
    ['[1 2]', ':1:4: invalid JSON: comma expected'],
    ['[1, 2', ':1:6: invalid JSON: close bracket expected'],
    ['{"a": 1} {}', ':1:10: invalid JSON: end of file expected'],
    ['// queue\n{}', ':1:1: invalid JSON: invalid comment token'],
    ['{"a": "b}', ':1:7: invalid JSON: unexpected end of string'],
    ['{"a": "\\x"}', ':1:7: invalid JSON: invalid escape character'],
    [' \n', ':1:1: expected JSON, got an empty file'],
    ['['.repeat(100_000), ': invalid JSON: Unexpected end of JSON input'],
  ])('reports the line and column at which %j is invalid, and the reason', (text, message) => {
    const path = file('broken.json', text);
    expect(() => readJson(path)).toThrow(new InvalidInput(path + message));
  });

  it('returns the content of a JSON file, with or without a byte order mark', () => {
    expect(readJson(file('good.json', { a: [1, 'b'] }))).toEqual({ a: [1, 'b'] });
    expect(readJson(file('marked.json', '\uFEFF{ "a": 1 }'))).toEqual({ a: 1 });
  });

  it('rejects a file in another encoding than UTF-8', () => {
    const path = file('utf16.json', '');
    writeFileSync(path, '\uFEFF[1]', 'utf16le');
    expect(() => readJson(path)).toThrow(
      new InvalidInput(`cannot read ${path}: The encoded data was not valid for encoding utf-8`),
    );
  });

  it.each([
    ['/nowhere/at/all.json', 'cannot read /nowhere/at/all.json: no such file or directory'],
    ['package.json/queue.json', 'cannot read package.json/queue.json: not a directory'],
    ['queues', 'cannot read queues: illegal operation on a directory'],
  ])('reports why %s cannot be read', (path, message) => {
    expect(() => readJson(path)).toThrow(new InvalidInput(message));
  });

  it.skipIf(process.getuid?.() === 0)('reports a missing permission to read a file', () => {
    const path = file('secret.json', {});
    chmodSync(path, 0);
    expect(() => readJson(path)).toThrow(new InvalidInput(`cannot read ${path}: permission denied`));
  });
});
