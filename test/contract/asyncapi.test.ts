import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type AnySchemaObject } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { asyncApi } from '../../lib/contract/asyncapi.ts';
import { FRAME_ACTIONS, frame } from '../../lib/contract/watch.ts';

const require = createRequire(import.meta.url);
const document = JSON.parse(JSON.stringify(asyncApi()));

describe('the AsyncAPI document', () => {
  it('is valid by the schema of AsyncAPI 3', () => {
    const specification: AnySchemaObject = require('@asyncapi/specs/schemas/3.0.0.json');
    const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
    formats.default(ajv);
    const isValid = ajv.compile(specification);
    expect(isValid(document), JSON.stringify(isValid.errors?.slice(0, 5))).toBe(true);
    const { channels: _, ...broken } = { ...document, operations: { x: { action: 'shout' } } };
    expect(isValid(broken)).toBe(false);
  });

  it('has a target for each of its references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, path]) => path!,
    );
    expect(references.length).toBeGreaterThan(10);
    const missing = references.filter(
      (path) => path.split('/').reduce((at, key) => at?.[key], document) === undefined,
    );
    expect(missing).toEqual([]);
  });

  it('is the one in the documentation', () => {
    const page = readFileSync(new URL('../../docs/asyncapi.json', import.meta.url), 'utf8');
    expect(JSON.parse(page), 'run npm run docs:api').toEqual(document);
  });

  it('describes the frames that the service takes', () => {
    const ajv = new Ajv({ strict: false });
    formats.default(ajv);
    const takes = ajv.compile({ ...document.components.schemas.Frame, components: document.components });
    const samples = [
      ...FRAME_ACTIONS.flatMap((action) => [{ action }, { action, matchId: 'm' }, { action, more: 1 }]),
      { action: 'ping', seen: { status: 'QUEUED' } },
      { action: 'ping', seen: { status: 'ASLEEP' } },
      'cancel',
      {},
    ];
    for (const sample of samples)
      expect(takes(sample), JSON.stringify(sample)).toBe(frame.safeParse(sample).success);
  });
});
