import { expect, it } from 'vitest';
import { sample } from '../long.ts';
import { killWhileRating } from './kills-while-rating.ts';

it('each result is rated once when the service is killed while results are posted', async () => {
  const size = sample(
    { results: 8, perSecond: 100, kills: 1, seed: 1 },
    { results: 300, perSecond: 100, kills: 3, seed: 1 },
  );
  const after = await killWhileRating(size);
  expect(after).toMatchObject({ accepted: size.results, lost: 0, doubled: 0, broken: 0 });
});
