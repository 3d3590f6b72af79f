import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LocalCloudError } from '../../lib/local/local-cloud-error.ts';
import { readState, writeState } from '../../lib/local/state-file.ts';
import { openStreamPositions } from '../../lib/local/stream-positions.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-state-file-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const schema = z.record(z.string(), z.string());

describe('a file of the data directory', () => {
  it('is read as it was written, and leaves no other file', () => {
    const file = join(folder, 'new', 'state.json');
    expect(readState(file, schema)).toBeUndefined();
    writeState(file, { a: '1' });
    writeState(file, { a: '2' });
    expect(readState(file, schema)).toEqual({ a: '2' });
    expect(readdirSync(join(folder, 'new'))).toEqual(['state.json']);
  });

  it('that is not JSON, or that another version wrote in another form, is rejected with its name and the reason', () => {
    const file = join(folder, 'other.json');
    writeFileSync(file, '{"a": ');
    expect(() => readState(file, schema)).toThrow(LocalCloudError);
    expect(() => readState(file, schema)).toThrow(
      /^The stored file .*other\.json cannot be read: .*JSON.*directory\.$/,
    );
    writeFileSync(file, '{"a": {"sequenceNumber": 7}}');
    expect(() => openStreamPositions(file)).toThrow(
      /cannot be read: #\/a: Expected text, got an object\. Start with a new data directory\.$/,
    );
  });
});
