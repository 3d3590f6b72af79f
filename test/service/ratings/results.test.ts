import { describe, expect, it } from 'vitest';
import type { LadderDefinition } from '../../../lib/contract/ladder.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { putQueue } from '../../../lib/service/queues/queues.ts';
import { putLadder } from '../../../lib/service/ratings/ladders.ts';
import { postResult } from '../../../lib/service/ratings/post-result.ts';
import { rateResult } from '../../../lib/service/ratings/rate-result.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { getTicket } from '../../../lib/service/tickets/tickets.ts';
import { definition } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

describe('results of matches', () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  const ladder = (changes: Partial<LadderDefinition> = {}): LadderDefinition => ({
    name: queue,
    model: 'plackett-luce',
    initial: { mean: 1_500, deviation: 350 },
    beta: 175,
    drift: { perGame: 3, perDay: 5 },
    ...changes,
  });
  const define = async (changes: Partial<QueueDefinition> = {}) => {
    await putLadder(cloud.deps.ladders, ladder(), cloud.nowMs);
    await putQueue(cloud.deps.queues, definition({ name: queue, ladder: queue, ...changes }), cloud.nowMs);
  };
  /** A match of tickets of one player each. */
  const matchOf = async (...playerIds: string[]) => {
    for (const playerId of playerIds)
      await enqueue(
        cloud.deps,
        queue,
        { ticketId: `${queue}:${playerIds.join('.')}:${playerId}`, players: [{ playerId }] },
        cloud.nowMs,
      );
    await cloud.run(2_000);
    return (await getTicket(cloud.deps, `${queue}:${playerIds.join('.')}:${playerIds[0]}`)).matchId!;
  };
  const post = (matchId: string, body: object) => postResult(cloud.deps, matchId, body, cloud.nowMs);
  const ratingOf = async (playerId: string) => (await cloud.deps.ratings.of(queue, [playerId])).get(playerId);

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'rate a player whose id is %s as any other',
    async (name) => {
      await define();
      const matchId = await matchOf(name, 'zoe');
      const body = { ranks: [1, 1], players: [{ playerId: 'zoe', weight: 1 }] };
      await post(matchId, body);
      expect(await rateResult(cloud.deps, matchId)).toBe('rated');
      expect(await ratingOf(name)).toMatchObject({ matches: 1, mean: expect.closeTo(1_500, 6) });
    },
  );

  it.each(['constructor', '__proto__'])('keep the weight of a player whose id is %s', async (name) => {
    await define();
    const matchId = await matchOf(name, 'zoe');
    const body = { scores: [3, 1], players: [{ playerId: name, weight: 0 }] };
    await post(matchId, body);
    // The same again.
    expect((await post(matchId, body)).matchId).toBe(matchId);
    expect(await rateResult(cloud.deps, matchId)).toBe('rated');
    expect(await ratingOf(name)).toMatchObject({ mean: expect.closeTo(1_500, 6) });
    expect((await ratingOf('zoe'))!.mean).not.toBeCloseTo(1_500, 0);
  });

  it('are rejected when they are no numbers, of other teams or of other players, and store nothing', async () => {
    await define();
    const matchId = await matchOf('ann', 'zoe');
    const of = (...players: [playerId: string, weight: number][]) => ({
      ranks: [1, 2],
      players: players.map(([playerId, weight]) => ({ playerId, weight })),
    });
    const bodies = [
      {},
      { ranks: [1] },
      { ranks: [1, 2, 3] },
      { ranks: [1, Number.NaN] },
      { ranks: [1, Number.POSITIVE_INFINITY] },
      { ranks: ['1', '2'] },
      { ranks: [1, 2], void: true },
      of(['nobody', 1]),
      of(['ann', 1.1]),
      of(['ann', 1], ['ann', 0]),
    ];
    for (const body of bodies) await expect(post(matchId, body)).rejects.toMatchObject({ status: 400 });
    expect((await cloud.deps.matches.get(matchId))!.result).toBeUndefined();
  });

  it('stand as the first says, and a draw of players who were not there changes no rating', async () => {
    await define();
    const matchId = await matchOf('ann', 'zoe');
    const absent = ['ann', 'zoe'].map((playerId) => ({ playerId, weight: 0 }));
    await post(matchId, { ranks: [-0, 0], players: absent });
    await post(matchId, { ranks: [0, -0], players: absent });
    for (const other of [{ ranks: [1, 1] }, { scores: [0, 0] }, { void: true }])
      await expect(post(matchId, other)).rejects.toMatchObject({ status: 409 });
    expect(await rateResult(cloud.deps, matchId)).toBe('rated');
    expect(await rateResult(cloud.deps, matchId)).toBe('nothing');
    expect(await ratingOf('ann')).toMatchObject({ mean: 1_500, deviation: 350, matches: 1 });
  });

  it('that nobody expected are learnt from as any other', async () => {
    await define();
    await cloud.deps.ratings.put(queue, 'ann', { mean: 9_000, deviation: 30, matches: 9 }, cloud.nowMs);
    for (let results = 1; results <= 2; results++) {
      const matchId = await matchOf('ann', `zoe-${results}`);
      const { expected, teams } = (await cloud.deps.matches.get(matchId))!;
      expect(Math.min(...expected!)).toBeGreaterThan(0);
      const hasWon = teams.map(({ players }) => players[0]!.playerId !== 'ann');
      await post(matchId, { scores: hasWon.map(Number) });
      await rateResult(cloud.deps, matchId);
      expect((await cloud.deps.ratings.odds(queue))!.sums).toMatchObject({ results });
    }
  });

  it('give a ticket no skill below 0, however low the mean of its player is', async () => {
    await define();
    await putLadder(cloud.deps.ladders, ladder({ initial: { mean: 0, deviation: 350 } }), cloud.nowMs);
    const matchId = await matchOf('ann', 'zoe');
    await post(matchId, { ranks: [1, 2] });
    await rateResult(cloud.deps, matchId);
    expect((await ratingOf('zoe'))!.mean).toBeLessThan(-50);
    const again = { ticketId: `${queue}:again`, players: [{ playerId: 'zoe' }] };
    const { ticket } = await enqueue(cloud.deps, queue, again, cloud.nowMs);
    expect(ticket.players).toMatchObject([{ skill: 0 }]);
  });
});
