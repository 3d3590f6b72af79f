import { describe, expect, it } from 'vitest';
import { getBackfill, requestBackfill } from '../../../lib/service/backfills/request-backfill.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { definition, putLadder, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

describe('a backfill in a queue with a ladder', () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  /** A match of ann and ben, whose ratings are 1,700 and that of a new player, and which ben has left. */
  async function matchWithoutBen() {
    const ladder = { name: queue, initial: { mean: 1_500, deviation: 350 } };
    const rest = { model: 'plackett-luce', beta: 175, drift: { perGame: 3, perDay: 5 } } as const;
    await putLadder(cloud.deps.ladders, { ...ladder, ...rest }, cloud.nowMs);
    await cloud.deps.ratings.put(queue, 'ann', { mean: 1_700, deviation: 90, matches: 9 }, cloud.nowMs);
    const changes = { name: queue, ladder: queue, backfill: {} };
    await putQueue(cloud.deps.queues, definition(changes), cloud.nowMs);
    for (const playerId of ['ann', 'ben'])
      await enqueue(
        cloud.deps,
        queue,
        { ticketId: `${queue}:${playerId}`, players: [{ playerId }] },
        cloud.nowMs,
      );
    await cloud.run(2_000);
    const matchId = (await getTicket(cloud.deps, `${queue}:ann`)).matchId!;
    const { teams } = (await cloud.deps.matches.get(matchId))!;
    const team = teams.findIndex(({ players }) => players.some(({ playerId }) => playerId === 'ann'));
    const backfillId = `${queue}:fill`;
    const ask = (player: object, id = backfillId) =>
      requestBackfill(
        cloud.deps,
        matchId,
        { backfillId: id, players: [{ playerId: 'ann', team, ...player }] },
        cloud.nowMs,
      );
    return { backfillId, ask };
  }

  it('gives the players who are present their ratings, and fills the seat', async () => {
    const { backfillId, ask } = await matchWithoutBen();
    const { created, backfill } = await ask({});
    expect({ created, backfill }).toMatchObject({
      created: true,
      backfill: { players: [{ playerId: 'ann', skill: 1_700 }] },
    });
    await enqueue(
      cloud.deps,
      queue,
      { ticketId: `${queue}:zoe`, players: [{ playerId: 'zoe' }] },
      cloud.nowMs,
    );
    await cloud.run(3_000);
    expect((await getBackfill(cloud.deps, backfillId, cloud.nowMs)).status).toBe('COMPLETED');
  });

  it('takes no ticket of a player who is in the match', async () => {
    const { backfillId, ask } = await matchWithoutBen();
    await ask({});
    const again = { ticketId: `${queue}:ann-again`, players: [{ playerId: 'ann' }] };
    await enqueue(cloud.deps, queue, again, cloud.nowMs);
    await cloud.run(3_000);
    expect((await getBackfill(cloud.deps, backfillId, cloud.nowMs)).status).toBe('QUEUED');
    expect((await getTicket(cloud.deps, again.ticketId)).status).toBe('QUEUED');
  });

  it('is found by a repeated request after a rating has changed', async () => {
    const { ask } = await matchWithoutBen();
    const { backfill } = await ask({});
    await cloud.deps.ratings.put(queue, 'ann', { mean: 1_900, deviation: 90, matches: 10 }, cloud.nowMs);
    expect(await ask({})).toEqual({ created: false, backfill });
    await expect(ask({ team: 1 - backfill.players[0]!.team })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('already exists with another body'),
    });
  });

  it('is rejected when a player brings a skill', async () => {
    const { ask } = await matchWithoutBen();
    await expect(ask({ skill: 1_600 })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('The backfill is not valid'),
      errors: [{ pointer: '#/players/0/skill', detail: expect.stringContaining('whose ladder') }],
    });
  });
});
