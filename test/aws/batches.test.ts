import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gathered, inBatches } from '../../lib/aws/batches.ts';

it('batches keep the order and both limits, and none could take the first item of the next', () => {
  const limit = { count: 10, bytes: 100 };
  const total = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 130 }), { maxLength: 60 }), (sizes) => {
      const batches = inBatches(sizes, limit, (size) => size);
      expect(batches.flat()).toEqual(sizes);
      for (const [i, batch] of batches.entries()) {
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length).toBeLessThanOrEqual(limit.count);
        if (batch.length > 1) expect(total(batch)).toBeLessThanOrEqual(limit.bytes);
        const [next] = batches[i + 1] ?? [];
        if (next !== undefined && batch.length < limit.count)
          expect(total(batch) + next).toBeGreaterThan(limit.bytes);
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});

it('items given in the same turn are sent together, later ones by themselves, and each caller learns its own result', async () => {
  const sent: (readonly string[])[] = [];
  const send = gathered<string>((items) => {
    sent.push(items);
    return items.map(async (item) => {
      if (item === 'bad') throw new Error('rejected');
    });
  });
  await Promise.all([send('a'), Promise.resolve().then(() => send('b'))]);
  await send('c');
  const results = await Promise.allSettled([send('d'), send('bad'), send('e')]);
  await send('f');
  expect(sent).toEqual([['a', 'b'], ['c'], ['d', 'bad', 'e'], ['f']]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
