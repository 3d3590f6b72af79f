import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { rememberedJsonOf } from '../../lib/aws/item.ts';

/** The schema, and the texts that it has parsed. */
function counted(lettersMax: number) {
  const parsed: unknown[] = [];
  const value = z.object({ a: z.number() }).transform((read) => {
    parsed.push(read.a);
    return read;
  });
  return { schema: rememberedJsonOf(value, lettersMax), parsed };
}

describe('JSON that is remembered', () => {
  it('is parsed once for each text, and its value is shared', () => {
    const { schema, parsed } = counted(1_000);
    const first = schema.parse('{"a":1}');
    expect(schema.parse('{"a":1}')).toBe(first);
    expect(schema.parse('{"a":2}')).toEqual({ a: 2 });
    expect(parsed).toEqual([1, 2]);
  });

  it('keeps what is wrong with a text as well', () => {
    const { schema } = counted(1_000);
    const faults = () =>
      [schema.safeParse('{"a":"b"}'), schema.safeParse('no JSON')].map(({ error }) => error?.issues);
    const [first, broken] = faults();
    expect(first).toMatchObject([{ path: ['a'], message: expect.stringContaining('number') }]);
    expect(broken).toMatchObject([{ message: expect.stringContaining('Expected JSON') }]);
    expect(faults()).toEqual([first, broken]);
    expect(z.object({ plans: schema }).safeParse({ plans: '{"a":"b"}' }).error?.issues[0]?.path).toEqual([
      'plans',
      'a',
    ]);
  });

  it('forgets the texts that were read longest ago when there are too many letters', () => {
    const { schema, parsed } = counted(3 * '{"a":1}'.length);
    for (const a of [1, 2, 3]) schema.parse(JSON.stringify({ a }));
    schema.parse('{"a":1}');
    schema.parse('{"a":4}');
    expect(parsed).toEqual([1, 2, 3, 4]);
    schema.parse('{"a":1}');
    schema.parse('{"a":3}');
    expect(parsed).toEqual([1, 2, 3, 4]);
    schema.parse('{"a":2}');
    expect(parsed).toEqual([1, 2, 3, 4, 2]);
  });
});
