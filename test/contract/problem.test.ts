import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { type Problem, parseWith } from '../../lib/contract/problem.ts';
import { CONFLICT_CODES } from '../../lib/contract/problem-document.ts';

it('a problem names an unknown field whose name has a lone surrogate', () => {
  const { errors } = refusalOf({ '\ud800': 1 });
  expect(errors).toEqual([{ pointer: '#/%EF%BF%BD', detail: 'Expected no such field, got "\\ud800"' }]);
});

it('the documentation lists every code of a conflict, with its meaning and what to do', () => {
  const rows = readFileSync('docs/client.md', 'utf8').matchAll(/^\| `([A-Z_]+)` \| (.+) \| .+ \|$/gm);
  expect(Array.from(rows, ([, code, meaning]) => [code, meaning])).toEqual(Object.entries(CONFLICT_CODES));
});

function refusalOf(value: unknown): Problem {
  try {
    parseWith(z.strictObject({}), value, 'The body');
  } catch (error) {
    return error as Problem;
  }
  throw new Error('the value was accepted');
}
