import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { check } from '../../lib/contract/problem.ts';
import { queueDefinition } from '../../lib/contract/queue-definition.ts';
import { newTicket, ticketView, waitSeconds } from '../../lib/contract/ticket.ts';
import { expected } from '../../lib/vocabulary/expected.ts';
import { definition } from '../service/definitions.ts';

/** Every fault as one line: the pointer, then the message. */
function faults(schema: z.ZodType, value: unknown): string[] {
  return (check(schema, value).problems ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

const fields = z.object({ name: z.string(), count: z.number() });

describe('messages for invalid fields', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['a missing number', fields, { name: 'a' }, '#/count: Expected a number, got nothing'],
    ['a number that is text', fields, { name: 'a', count: '3' }, '#/count: Expected a number, got "3"'],
    ['a number that is null', fields, { name: 'a', count: null }, '#/count: Expected a number, got null'],
    ['a number that is NaN', z.number(), Number.NaN, '#: Expected a number, got NaN'],
    ['an infinite number', z.number(), Number.POSITIVE_INFINITY, '#: Expected a number, got Infinity'],
    ['a fraction for a whole number', z.number().int(), 1.5, '#: Expected a whole number, got 1.5'],
    ['text that is a list', fields, { name: [], count: 1 }, '#/name: Expected text, got a list'],
    ['text that is an object', fields, { name: {}, count: 1 }, '#/name: Expected text, got an object'],
    ['a boolean that is text', z.boolean(), 'yes', '#: Expected true or false, got "yes"'],
    ['an object that is a list', fields, [], '#: Expected an object, got a list'],
    ['a record that is text', z.record(z.string(), z.number()), 'a', '#: Expected an object, got "a"'],
    ['a list that is missing', z.array(z.string()), undefined, '#: Expected a list, got nothing'],
    ['a number below its minimum', z.number().min(1), 0, '#: Expected a number from 1 up, got 0'],
    ['a number at its exclusive minimum', z.number().positive(), 0, '#: Expected a number above 0, got 0'],
    ['a number above its maximum', z.number().max(8), 9, '#: Expected a number up to 8, got 9'],
    ['a number at its exclusive maximum', z.number().lt(8), 8, '#: Expected a number below 8, got 8'],
    ['a list too short', z.array(z.string()).min(1), [], '#: Expected at least 1 item, got none'],
    ['a list too long', z.array(z.string()).max(2), ['a', 'b', 'c'], '#: Expected at most 2 items, got 3'],
    ['text too short', z.string().min(1), '', '#: Expected at least 1 character, got ""'],
    ['text too long', z.string().max(3), 'abcd', '#: Expected at most 3 characters, got 4'],
    ['a multiple', z.number().multipleOf(5), 7, '#: Expected a multiple of 5, got 7'],
    ['a wrong constant', z.literal(2), 3, '#: Expected 2, got 3'],
    ['one of two', z.enum(['raw', 'percentile']), 'log', '#: Expected "raw" or "percentile", got "log"'],
    ['one of many', z.enum(['a', 'b', 'c']), 'd', '#: Expected one of "a", "b", "c", got "d"'],
    [
      'a time',
      z.iso.datetime(),
      'noon',
      '#: Expected an ISO 8601 time such as "2026-01-31T12:00:00Z", got "noon"',
    ],
    ['a union', z.union([z.number(), z.literal('inf')]), 'many', '#: Expected a number or "inf", got "many"'],
    [
      'a union whose alternatives agree',
      z.union([z.string().min(2), z.string().max(9)]),
      1,
      '#: Expected text, got 1',
    ],
    [
      'a union inside which one alternative fits better',
      z.union([z.array(z.object({ a: z.number() })), z.object({ b: z.string() })]),
      [{ a: 'x' }],
      '#/0/a: Expected a number, got "x"',
    ],
    [
      'an unknown alternative',
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('none') }),
        z.object({ type: z.literal('http') }),
      ]),
      { type: 'ftp' },
      '#/type: Expected "none" or "http", got "ftp"',
    ],
    [
      'an alternative that is missing',
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('none') }),
        z.object({ type: z.literal('http') }),
      ]),
      {},
      '#/type: Expected "none" or "http", got nothing',
    ],
    [
      'an unknown field',
      z.strictObject({ a: z.number(), b: z.number().optional() }),
      { a: 1, c: 2 },
      '#/c: Expected one of the fields a, b, got "c"',
    ],
    [
      'a bad key',
      z.record(z.string().max(2), z.number()),
      { long: 1 },
      '#/long: Expected at most 2 characters, got "long"',
    ],
    [
      'a message of its own',
      z.string().regex(/^a/, { error: expected('text that begins with a') }),
      'b',
      '#: Expected text that begins with a, got "b"',
    ],
  ])('state the expected and the actual value: %s', (_, schema, value, line) => {
    expect(faults(schema, value)).toEqual([line]);
  });

  it('name every unknown field separately', () => {
    expect(faults(z.strictObject({ a: z.number() }), { a: 1, 'b/c': 2, d: 3 })).toEqual([
      '#/b~1c: Expected only the field a, got "b/c"',
      '#/d: Expected only the field a, got "d"',
    ]);
  });

  it('truncate long text', () => {
    const [line] = faults(z.number(), 'x'.repeat(5_000));
    expect(line).toBe(`#: Expected a number, got "${'x'.repeat(60)}…"`);
  });

  it('are Muster’s own for every value that a client may send', () => {
    const wrong: readonly unknown[] = [undefined, null, true, 0, -1, 1.5, 'text', '', [], [{}], {}, { a: 1 }];
    const schemas = { queueDefinition, newTicket, ticketView, waitSeconds };
    for (const [name, schema] of Object.entries(schemas)) {
      for (const value of wrong) expectOurWords(name, schema, value);
    }
    for (const field of Object.keys(queueDefinition.shape)) {
      for (const value of wrong) expectOurWords(field, queueDefinition, { ...definition(), [field]: value });
    }
    for (const policy of ['periodic', 'expanding', 'option-value', 'unknown']) {
      for (const value of wrong) {
        const release = { policy, everySeconds: value, count: value, tolerance: value, steps: value };
        expectOurWords(policy, queueDefinition, { ...definition(), release });
      }
    }
  });

  function expectOurWords(name: string, schema: z.ZodType, value: unknown): void {
    for (const line of faults(schema, value))
      expect(line, `${name} ${JSON.stringify(value)}`).toMatch(/^#\S*: Expected .+/);
  }
});
