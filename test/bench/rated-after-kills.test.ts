import { expect, it } from 'vitest';
import { IS_LONG } from '../long.ts';
import { killWhileRating } from './kills-while-rating.ts';

it.runIf(IS_LONG)(
  'each result is rated once when the service is killed while results are posted',
  async () => {
    const after = await killWhileRating({ results: 200, perSecond: 100, kills: 3, seed: 2 });
    expect(after).toMatchObject({ accepted: 200, lost: 0, doubled: 0, broken: 0 });
  },
);
