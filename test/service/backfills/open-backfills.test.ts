import { expect, it } from 'vitest';
import { openBackfills } from '../../../lib/service/backfills/open-backfills.ts';
import type { StoredBackfill } from '../../../lib/service/domain/stored-backfill.ts';
import type { StoredMatch } from '../../../lib/service/domain/stored-match.ts';
import { Unreadable } from '../../../lib/service/domain/unreadable.ts';
import { NOW_MS } from '../../aws/samples.ts';

const backfillOf = (matchId: string) =>
  ({
    backfillId: `of-${matchId}`,
    matchId,
    queue: 'duel',
    status: 'QUEUED',
    enqueuedAt: new Date(NOW_MS).toISOString(),
  }) as unknown as StoredBackfill;

const matchOf = (matchId: string) =>
  ({ matchId, queue: 'duel', status: 'COMPLETED', backfillId: `of-${matchId}` }) as unknown as StoredMatch;

it('leaves out and does not end a backfill whose match a later version has written', async () => {
  const ids = Array.from({ length: 9 }, (_, i) => `m${i}`);
  const later = new Set(['m0', 'm5']);
  const ended: string[] = [];
  const { open } = await openBackfills(
    {
      backfills: {
        open: async () => ({ backfills: ids.map(backfillOf) }),
        end: async (backfillId: string) => void ended.push(backfillId),
      } as never,
      matches: {
        async getMany(wanted) {
          if (wanted.some((id) => later.has(id))) throw new Unreadable('a match of a later version');
          return new Map(wanted.map((id) => [id, matchOf(id)]));
        },
      },
    },
    'duel',
    {},
    NOW_MS,
    undefined,
  );
  expect(ended).toEqual([]);
  expect(open.map(({ match }) => match.matchId)).toEqual(ids.filter((id) => !later.has(id)));
});

it('takes the backfills in turn when there are more than one tick reads, and starts again when none is left', async () => {
  const ids = Array.from({ length: 700 }, (_, i) => `m${String(i).padStart(3, '0')}`);
  const deps = {
    backfills: {
      open: async (_: string, { from = '' }, limit: number) => {
        const [first, next] = [
          ids.filter((id) => id >= from).slice(0, limit),
          ids.filter((id) => id >= from)[limit],
        ];
        return { backfills: first.map(backfillOf), ...(next !== undefined && { next }) };
      },
    } as never,
    matches: { getMany: async (wanted: readonly string[]) => new Map(wanted.map((id) => [id, matchOf(id)])) },
  };
  const seen: string[] = [];
  let from: string | undefined;
  for (let turn = 0; turn < 3; turn++) {
    const { open, next } = await openBackfills(deps, 'duel', {}, NOW_MS, from);
    expect(open.length).toBeLessThanOrEqual(250);
    seen.push(...open.map(({ match }) => match.matchId));
    from = next;
  }
  expect(seen).toEqual(ids);
  expect(from).toBeUndefined();
  const { open } = await openBackfills(deps, 'duel', {}, NOW_MS, 'n');
  expect(open[0]?.match.matchId).toBe('m000');
});
