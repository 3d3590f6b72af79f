import { describe, expect, it } from 'vitest';
import { openBackfills } from '../../../lib/service/backfills/open-backfills.ts';
import type { StoredBackfill } from '../../../lib/service/domain/stored-backfill.ts';
import type { StoredMatch } from '../../../lib/service/domain/stored-match.ts';
import { Unreadable } from '../../../lib/service/domain/unreadable.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';

const DUEL = definition({ name: 'duel', teamSize: 1, backfill: {} });

const backfillOf = (matchId: string) =>
  ({
    backfillId: `of-${matchId}`,
    matchId,
    queue: 'duel',
    status: 'QUEUED',
    enqueuedAt: new Date(NOW_MS).toISOString(),
    players: [{ playerId: 'here', skill: 1500, team: 0 }],
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
    DUEL,
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
    const { open, next } = await openBackfills(deps, DUEL, {}, NOW_MS, from);
    expect(open.length).toBeLessThanOrEqual(250);
    seen.push(...open.map(({ match }) => match.matchId));
    from = next;
  }
  expect(seen).toEqual(ids);
  expect(from).toBeUndefined();
  const { open } = await openBackfills(deps, DUEL, {}, NOW_MS, 'n');
  expect(open[0]?.match.matchId).toBe('m000');
});

describe('a backfill that its queue cannot fill any more, because its definition has changed', () => {
  const endOf = async (teamSize: number, here: readonly { team: number }[], match: object = {}) => {
    const players = here.map(({ team }, i) => ({ playerId: `p${i}`, skill: 1500, team }));
    const ended: string[][] = [];
    const { open } = await openBackfills(
      {
        backfills: {
          open: async () => ({ backfills: [{ ...backfillOf('m'), players }] }),
          end: async (_: string, ...end: string[]) => void ended.push(end),
        } as never,
        matches: { getMany: async () => new Map([['m', { ...matchOf('m'), ...match }]]) },
      },
      { ...DUEL, teamSize },
      {},
      NOW_MS,
      undefined,
    );
    expect(open).toHaveLength(ended.length === 0 ? 1 : 0);
    return ended[0]?.slice(0, 2);
  };
  const cancelled = (problem: string) => ['CANCELLED', `the definition of its queue has changed: ${problem}`];
  const players = (count: number) => Array.from({ length: count }, (_, i) => ({ team: i % 2 }));

  it('is cancelled when it has more empty seats than one transaction fills', async () => {
    expect(await endOf(46, players(2))).toBeUndefined();
    expect(await endOf(46, players(1))).toEqual(
      cancelled('Expected 1 to 90 empty seats beside these players, got 91'),
    );
  });

  it('is cancelled when a team has fewer seats than players', async () => {
    expect(await endOf(2, players(3))).toBeUndefined();
    expect(await endOf(1, players(3))).toEqual(cancelled('Expected at most 1 players in team 0, got 2'));
  });

  it('is cancelled when its match would have more rated seats than one transaction stores', async () => {
    expect(await endOf(50, players(60))).toBeUndefined();
    expect(await endOf(50, players(60), { ladder: 'ranked' })).toEqual(
      cancelled('Expected at most 99 seats in a match with a ladder, got 100'),
    );
  });
});
