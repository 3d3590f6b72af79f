import { expect, it } from 'vitest';
import * as z from 'zod';
import { type Problem, parseWith } from '../../lib/contract/problem.ts';

it('a problem names an unknown field whose name has a lone surrogate', () => {
  const { errors } = refusalOf({ '\ud800': 1 });
  expect(errors).toEqual([{ pointer: '#/%EF%BF%BD', detail: 'Expected no such field, got "\\ud800"' }]);
});

function refusalOf(value: unknown): Problem {
  try {
    parseWith(z.strictObject({}), value, 'The body');
  } catch (error) {
    return error as Problem;
  }
  throw new Error('the value was accepted');
}
