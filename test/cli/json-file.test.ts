import { chmodSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../lib/cli/failure.ts';
import { readJson } from '../../lib/cli/json-file.ts';
import { file } from './muster.ts';

describe('reading a JSON file', () => {
  it.each([
    ['{"name":', ':1:9: expected JSON: a value is missing'],
    ['{\n  "a": 1,\n}', ':3:1: expected JSON: a property name in double quotes is missing'],
    ['{\n  "a": tru\n}', ':2:8: expected JSON: text here is not a string, number, true, false or null'],
    ['{ "a" 1 }', ':1:7: expected JSON: a colon is missing'],
    ['[1 2]', ':1:4: expected JSON: a comma is missing'],
    ['[1, 2', ':1:6: expected JSON: a closing bracket is missing'],
    ['{"a": 1} {}', ':1:10: expected JSON: there is more text after the end of the value'],
    ['// queue\n{}', ':1:1: expected JSON: JSON has no comments'],
    ['{"a": "b}', ':1:7: expected JSON: a closing double quote is missing'],
    ['{"a": "\\x"}', ':1:7: expected JSON: a backslash is followed by a character that cannot be escaped'],
    [' \n', ':1:1: expected JSON, got an empty file'],
    ['['.repeat(100_000), ': expected JSON: Unexpected end of JSON input'],
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
      new InvalidInput(`expected text in UTF-8, got other bytes: ${path}`),
    );
  });

  it.each([
    ['/nowhere/at/all.json', 'file not found: /nowhere/at/all.json'],
    ['package.json/queue.json', 'file not found: package.json/queue.json'],
    ['queues', 'expected a file, got a folder: queues'],
  ])('reports why %s cannot be read', (path, message) => {
    expect(() => readJson(path)).toThrow(new InvalidInput(message));
  });

  it.skipIf(process.getuid?.() === 0)('reports a missing permission to read a file', () => {
    const path = file('secret.json', {});
    chmodSync(path, 0);
    expect(() => readJson(path)).toThrow(new InvalidInput(`no permission to read the file: ${path}`));
  });
});
