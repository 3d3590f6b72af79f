import { describe, expect, test } from 'vitest';
import { compilePattern, PatternError } from '../../lib/local/pattern.ts';

const matches = (pattern: unknown, event: unknown) => compilePattern(pattern)(event);

describe('a pattern', () => {
  test('matches when one alternative of every key matches', () => {
    const pattern = { source: ['muster'], detail: { status: ['QUEUED', 'CANCELLED'] } };
    expect(matches(pattern, { source: 'muster', detail: { status: 'CANCELLED' }, extra: 1 })).toBe(true);
    expect(matches(pattern, { source: 'muster', detail: { status: 'PLACING' } })).toBe(false);
    expect(matches(pattern, { source: 'other', detail: { status: 'QUEUED' } })).toBe(false);
    expect(matches(pattern, { source: 'muster' })).toBe(false);
  });

  test('matches a list in the event when any of its items matches', () => {
    expect(matches({ resources: [{ prefix: 'webhooks/' }] }, { resources: ['x', 'webhooks/duel'] })).toBe(
      true,
    );
    expect(matches({ resources: [{ prefix: 'webhooks/' }] }, { resources: [] })).toBe(false);
    expect(
      matches({ players: { role: ['tank'] } }, { players: [{ role: 'healer' }, { role: 'tank' }] }),
    ).toBe(true);
  });

  test.each([
    [{ prefix: 'eu-' }, 'eu-west', 'us-east'],
    [{ exists: true }, '', undefined],
    [{ exists: false }, undefined, 0],
    [null, null, undefined],
    [true, true, 'true'],
  ])('%j matches %j and not %j', (matcher, yes, no) => {
    expect(matches({ value: [matcher] }, { value: yes })).toBe(true);
    expect(matches({ value: [matcher] }, { value: no })).toBe(false);
  });

  test('with $or matches when one of its patterns and all other keys match', () => {
    const pattern = { source: ['s'], $or: [{ a: [1] }, { b: [{ exists: true }] }] };
    expect(matches(pattern, { source: 's', b: 9 })).toBe(true);
    expect(matches(pattern, { source: 's', a: 2 })).toBe(false);
    expect(matches(pattern, { source: 't', a: 1 })).toBe(false);
  });

  test.each([
    ['QUEUED', 'must be an object'],
    [{}, 'must not be empty'],
    [{ a: [] }, "pattern's a must list at least one"],
    [{ a: { b: 'c' } }, "pattern's a.b must be an object"],
    [{ a: [{ cidr: '10.0.0.0/8' }] }, 'uses the operator "cidr"'],
    [{ a: [{ prefix: 1 }] }, 'needs a string for "prefix"'],
    [{ a: [{ exists: 'yes' }] }, 'needs true or false'],
    [{ a: [{ prefix: 'x', suffix: 'y' }] }, 'exactly one operator'],
    [{ $or: [{ a: [1] }] }, 'two or more'],
  ])('%j is rejected: %s', (pattern, problem) => {
    expect(() => compilePattern(pattern)).toThrow(PatternError);
    expect(() => compilePattern(pattern)).toThrow(problem);
  });
});
