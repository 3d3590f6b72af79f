import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { playerDataStore } from '../../../lib/aws/player-data-store.ts';
import type { LadderDefinition } from '../../../lib/contract/ladder.ts';
import { LIMITS, type QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { newRatingOf, rateGame } from '../../../lib/ratings/rate-game.ts';
import type { StoredMatch } from '../../../lib/service/domain/stored-match.ts';
import { erasePlayer } from '../../../lib/service/players/erase-player.ts';
import { deleteLadder } from '../../../lib/service/ratings/ladders.ts';
import { postResult } from '../../../lib/service/ratings/post-result.ts';
import { rateResult } from '../../../lib/service/ratings/rate-result.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import type { EmulatedTables } from '../../aws/emulated-tables.ts';
import { match } from '../../aws/samples.ts';
import { definition, putLadder, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { Line, VirtualCloud } from '../virtual-cloud.ts';

describe('results of matches', () => {
  let cloud: VirtualCloud;
  let queue: string;
  let tables: EmulatedTables;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue, tables } = own);
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
      { ranks: [[1], [2]] },
      { ranks: { 0: 1, 1: 2 } },
      { scores: [Number.NaN, Number.NaN] },
      { scores: [1e308, 0] },
      { ranks: [1, 2], scores: [2, 1] },
      { void: false },
      { ranks: [1, 2], winner: 'ann' },
      [1, 2],
      of(['nobody', 1]),
      of(['ann', 1.1]),
      of(['ann', -0.1]),
      of(['ann', Number.NaN]),
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

  it('that were least expected are learnt from as any other', async () => {
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

  it('of a match made while a rating cannot be read have no odds, and stop no tick', async () => {
    await define();
    const enqueued = (name: string) =>
      enqueue(
        cloud.deps,
        queue,
        { ticketId: `${queue}:${name}`, players: [{ playerId: name }] },
        cloud.nowMs,
      );
    for (const name of ['ann', 'zoe']) await enqueued(name);
    const Item = { playerId: 'ann', ladder: queue, mean: 'of a later version' };
    await cloud.client.send(new PutCommand({ TableName: tables.names.ratings, Item }));
    await cloud.run(2_000);
    const { matchId } = await getTicket(cloud.deps, `${queue}:ann`);
    expect(await cloud.deps.matches.get(matchId!)).toMatchObject({ ladder: queue });
    expect(await cloud.deps.matches.get(matchId!)).not.toHaveProperty('expected');
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

  /** A match that is COMPLETED, of these teams. */
  const played = async (matchId: string, teams: StoredMatch['teams'], changes: Partial<StoredMatch> = {}) => {
    await cloud.deps.matches.create(
      match(queue, matchId, ['t'], {
        teams,
        ladder: queue,
        createdAt: new Date(cloud.nowMs).toISOString(),
        ...changes,
      }),
      cloud.nowMs,
    );
    return matchId;
  };
  const teamOf = (...playerIds: string[]) => ({
    players: playerIds.map((playerId) => ({ playerId, ticketId: `t-${playerId}` })),
  });
  const rated = async (matchId: string, body: object) => {
    await post(matchId, body);
    expect(await rateResult(cloud.deps, matchId)).toBe('rated');
    return (await cloud.deps.matches.get(matchId))!;
  };
  const id = (name: string) => `${queue}:${name}`;

  describe('of matches without one', () => {
    it('are rejected: no such match, one that is not played yet, and one of a queue without a ladder', async () => {
      await define();
      await expect(post(id('nothing'), { ranks: [1, 2] })).rejects.toMatchObject({ status: 404 });
      const open = await played(id('open'), [teamOf('ann'), teamOf('zoe')], { status: 'PLACING' });
      await expect(post(open, { ranks: [1, 2] })).rejects.toMatchObject({ status: 409 });
      await putQueue(cloud.deps.queues, definition({ name: queue }), cloud.nowMs);
      const plain = await (async () => {
        for (const [i, playerId] of ['ann', 'zoe'].entries())
          await enqueue(
            cloud.deps,
            queue,
            { ticketId: id(playerId), players: [{ playerId, skill: i }] },
            cloud.nowMs,
          );
        await cloud.run(2_000);
        return (await getTicket(cloud.deps, id('ann'))).matchId!;
      })();
      await expect(post(plain, { ranks: [1, 2] })).rejects.toMatchObject({ status: 409 });
      expect(await rateResult(cloud.deps, plain)).toBe('nothing');
      expect(await rateResult(cloud.deps, id('nothing'))).toBe('nothing');
      expect((await cloud.deps.matches.get(plain))!.endedAt).toBeUndefined();
    });

    it('that are void stand too: they end the match, change no rating, and no real one follows', async () => {
      await define();
      const matchId = await matchOf('ann', 'zoe');
      for (let i = 0; i < 2; i++) await post(matchId, { void: true });
      await expect(post(matchId, { ranks: [1, 2] })).rejects.toMatchObject({ status: 409 });
      await cloud.run(2_000);
      expect(await rateResult(cloud.deps, matchId)).toBe('nothing');
      const stored = (await cloud.deps.matches.get(matchId))!;
      expect(stored.endedAt).toBe(stored.result!.at);
      expect(stored.rated).toBeUndefined();
      expect(await ratingOf('ann')).toBeUndefined();
      expect(await cloud.deps.ratings.odds(queue)).toBeUndefined();
    });
  });

  describe('of a ladder that changes', () => {
    it('are rated by the definition that was in force when they were accepted', async () => {
      await define();
      const [early, late] = [await matchOf('ann', 'zoe'), await matchOf('ben', 'yan')];
      await post(early, { scores: [2, 1] });
      const changed = ladder({ beta: 900, initial: { mean: 3_000, deviation: 100 } });
      await putLadder(cloud.deps.ladders, changed, cloud.nowMs);
      await post(late, { scores: [2, 1] });
      for (const [matchId, then] of [
        [early, ladder()],
        [late, changed],
      ] as const) {
        expect(await rateResult(cloud.deps, matchId)).toBe('rated');
        const { result, rated: ratings } = (await cloud.deps.matches.get(matchId))!;
        expect(result!.ladder).toEqual(then);
        const seat = { known: newRatingOf(then), weight: 1 };
        const { after } = rateGame(then, [[seat], [seat]], result!.ranks!, Date.parse(result!.at));
        const nine = (one: number) => Number(one.toPrecision(9));
        const expected = after.flat().map(({ mean, deviation }) => [nine(mean), nine(deviation)]);
        expect(ratings!.map(([, , , ...now]) => now)).toEqual(expected);
      }
    });

    it('are rejected when it was removed, and rated when it is removed after them', async () => {
      await define();
      const [early, late] = [await matchOf('ann', 'zoe'), await matchOf('ben', 'yan')];
      await post(early, { ranks: [1, 2] });
      await putQueue(cloud.deps.queues, definition({ name: queue }), cloud.nowMs);
      await deleteLadder(cloud.deps, queue);
      await expect(post(late, { ranks: [1, 2] })).rejects.toMatchObject({ status: 409 });
      // The same again, of a match that has its result.
      await post(early, { ranks: [1, 2] });
      expect(await rateResult(cloud.deps, early)).toBe('rated');
      expect(await rateResult(cloud.deps, late)).toBe('nothing');
      expect((await ratingOf('ann'))!.matches).toBe(1);
    });
  });

  describe('of players who are erased', () => {
    let pseudonyms = 0;
    /** Other tests have matches with other players. */
    const ann = () => id('ann');
    const erase = async (playerId: string) => {
      for (let reading = 0; reading < 5; reading++) {
        const { isErased } = await erasePlayer(
          {
            ...cloud.deps,
            data: playerDataStore(cloud.client, tables.names),
            pseudonym: () => `00000000-0000-4000-8000-${String(pseudonyms++).padStart(12, '0')}`,
            log: { warn: () => {} },
          },
          playerId,
          undefined,
        );
        if (isErased) return;
      }
      throw new Error('Expected the player to be erased');
    };
    /** The player is nowhere, and the other one is rated as after a match against a new player. */
    const expectErased = async (matchId: string) => {
      expect(await ratingOf(ann())).toBeUndefined();
      const stored = (await cloud.deps.matches.get(matchId))!;
      expect(JSON.stringify(stored)).not.toContain(JSON.stringify(ann()));
      expect(stored.rated!.map(([playerId]) => playerId)).toEqual(['zoe']);
      expect(await ratingOf('zoe')).toMatchObject({ matches: 1 });
    };

    it('between the match and its result: they count as new players, and get no rating', async () => {
      await define();
      const matchId = await played(id('m'), [teamOf(ann()), teamOf('zoe')]);
      await erase(ann());
      const named = { ranks: [1, 2], players: [{ playerId: ann(), weight: 0.5 }] };
      await expect(post(matchId, named)).rejects.toMatchObject({ status: 400 });
      await rated(matchId, { ranks: [1, 2] });
      await expectErased(matchId);
    });

    it('between the result and its rating: they keep their weight, and get no rating', async () => {
      await define();
      await cloud.deps.ratings.put(queue, ann(), { mean: 2_500, deviation: 60, matches: 50 }, cloud.nowMs);
      const matchId = await played(id('m'), [teamOf(ann()), teamOf('zoe')]);
      const body = { ranks: [1, 2], players: [{ playerId: ann(), weight: 0.5 }] };
      await post(matchId, body);
      await erase(ann());
      // The same again, from a client that knows nothing of the erasure.
      expect((await post(matchId, body)).matchId).toBe(matchId);
      await expect(post(matchId, { ...body, ranks: [2, 1] })).rejects.toMatchObject({ status: 409 });
      expect((await cloud.deps.matches.get(matchId))!.result!.weights).toEqual([
        [expect.stringMatching(/^erased-/), 0.5],
      ]);
      expect(await rateResult(cloud.deps, matchId)).toBe('rated');
      await expectErased(matchId);
    });

    /** A line that erases the player just before the last write of a function. */
    const erasedBefore = (call: string): Line => {
      let isDone = false;
      return async (what, effect) => {
        if (what === call && !isDone) {
          isDone = true;
          await cloud.on(
            (_, go) => go(),
            () => erase(ann()),
          );
        }
        return effect();
      };
    };

    it.each(['a new player', 'a known one'])('while they are rated: %s gets no rating', async (who) => {
      await define();
      if (who === 'a known one')
        await cloud.deps.ratings.put(queue, ann(), { mean: 2_500, deviation: 60, matches: 5 }, cloud.nowMs);
      const matchId = await played(id('m'), [teamOf(ann()), teamOf('zoe')]);
      await post(matchId, { ranks: [1, 2] });
      const outcome = await cloud.on(erasedBefore('TransactWriteItems'), () =>
        rateResult(cloud.deps, matchId),
      );
      expect(outcome).toBe('rated');
      await expectErased(matchId);
    });

    it('while the result is stored: it does not name them', async () => {
      await define();
      const matchId = await played(id('m'), [teamOf(ann()), teamOf('zoe')]);
      const body = { ranks: [1, 2], players: [{ playerId: ann(), weight: 0.5 }] };
      await expect(cloud.on(erasedBefore('UpdateItem'), () => post(matchId, body))).rejects.toMatchObject({
        status: 400,
      });
      await rated(matchId, { ranks: [1, 2] });
      await expectErased(matchId);
    });
  });

  it('of two queues with one ladder both count for a player who is in both at once', async () => {
    await define();
    const other = `${queue}-other`;
    await putQueue(cloud.deps.queues, definition({ name: other, ladder: queue }), cloud.nowMs);
    const ids = [
      await played(id('m1'), [teamOf('ann'), teamOf('yan')]),
      await played(id('m2'), [teamOf('zoe'), teamOf('ann')], { queue: other }),
    ];
    for (const matchId of ids) await post(matchId, { ranks: [1, 2] });
    for (const matchId of ids) expect(await rateResult(cloud.deps, matchId)).toBe('rated');
    expect(await ratingOf('ann')).toMatchObject({ matches: 2 });
    const [, second] = await Promise.all(ids.map((matchId) => cloud.deps.matches.get(matchId)));
    const [, before] = second!.rated!.find(([playerId]) => playerId === 'ann')!;
    expect(before).toBeGreaterThan(1_500);
  });

  it('that are rated at the same moment count one after the other for the player of both', async () => {
    await define();
    const names = Array.from({ length: 8 }, (_, i) => `m${i}`);
    for (const name of names) {
      await played(id(name), [teamOf('ann'), teamOf(`rival of ${name}`)]);
      await post(id(name), { ranks: [1, 2] });
    }
    const outcomes = await Promise.all(
      names.flatMap((name) => [rateResult(cloud.deps, id(name)), rateResult(cloud.deps, id(name))]),
    );
    expect(outcomes.filter((one) => one === 'rated')).toHaveLength(names.length);
    expect(await ratingOf('ann')).toMatchObject({ matches: names.length });
    expect((await cloud.deps.ratings.odds(queue))!.sums.results).toBe(names.length);
    // Each has begun where another one has ended.
    const all = await Promise.all(names.map(async (name) => (await cloud.deps.matches.get(id(name)))!));
    const steps = all.map((one) => one.rated!.find(([playerId]) => playerId === 'ann')!);
    const ended = steps.map(([, , , mean]) => mean).sort((a, b) => a - b);
    const begun = steps.map(([, mean]) => mean).sort((a, b) => a - b);
    expect(begun).toEqual([1_500, ...ended.slice(0, -1)]);
  });

  it('count for newcomers of a backfill from when they have joined, unless the result says otherwise', async () => {
    await define();
    const [beginMs, minute] = [cloud.nowMs, 60_000];
    const joined = Object.fromEntries(
      [
        ['zoe', 15],
        ['yan', 60],
        ['max', -5],
        ['eve', 90],
      ].map(([name, at]) => [`t-${name}`, new Date(beginMs + Number(at) * minute).toISOString()]),
    );
    const teams = [teamOf('ann', 'zoe', 'max'), teamOf('ben', 'yan', 'eve')];
    const matchId = await played(id('m'), teams, { joined });
    cloud.nowMs += 60 * minute;
    const body = { ranks: [1, 2], players: [{ playerId: 'ann', weight: 0.25 }] };
    await post(matchId, body);
    const { result } = (await cloud.deps.matches.get(matchId))!;
    expect(result!.weights).toEqual([
      ['ann', 0.25],
      ['zoe', 0.75],
      ['yan', 0],
      ['eve', 0],
    ]);
    await rateResult(cloud.deps, matchId);
    const changes = await Promise.all(
      ['max', 'zoe', 'ann', 'yan'].map(async (name) => (await ratingOf(name))!.mean - 1_500),
    );
    const [full, most, little, none] = changes as [number, number, number, number];
    expect(most / full).toBeCloseTo(0.75, 9);
    expect(little / full).toBeCloseTo(0.25, 9);
    expect(none).toBe(0);
    cloud.nowMs += minute;
    expect((await post(matchId, body)).matchId).toBe(matchId);
  });

  it('of teams of bots rate the people alone, and those of bots alone rate no player', async () => {
    await define();
    const bots = (...names: string[]) => ({
      players: names.map((playerId) => ({ playerId, bot: true as const })),
    });
    const against = await rated(await played(id('m1'), [teamOf('ann'), bots('bot~1')]), { ranks: [1, 2] });
    expect(against.rated!.map(([playerId]) => playerId)).toEqual(['ann']);
    expect((await ratingOf('ann'))!.mean).toBeGreaterThan(1_500);
    const alone = await rated(await played(id('m2'), [bots('bot~1'), bots('bot~2')]), { ranks: [2, 1] });
    expect(alone.rated).toEqual([]);
    expect(await ratingOf('bot~1')).toBeUndefined();
  });

  it('of unknown players are those of a coin, and a draw of many teams changes no mean', async () => {
    await define();
    const duel = await matchOf('ann', 'zoe');
    expect((await cloud.deps.matches.get(duel))!.expected).toEqual([0.5, 0.5]);
    await rated(duel, { ranks: [2, 2] });
    const names = ['p0', 'p1', 'p2', 'p3'];
    await rated(
      await played(
        id('draw'),
        names.map((name) => teamOf(name)),
      ),
      { scores: [7, 7, 7, 7] },
    );
    for (const name of ['ann', 'zoe', ...names]) {
      const { mean, deviation } = (await ratingOf(name))!;
      expect(mean).toBeCloseTo(1_500, 6);
      expect(deviation).toBeLessThan(350);
    }
  });

  it('of players whose skill is certain change little, for ever', async () => {
    await define();
    await putLadder(cloud.deps.ladders, ladder({ drift: { perGame: 0, perDay: 0 } }), cloud.nowMs);
    for (const [i, name] of ['ann', 'zoe'].entries())
      await cloud.deps.ratings.put(
        queue,
        name,
        { mean: 1_500 + i, deviation: 1e-9, matches: 9 },
        cloud.nowMs,
      );
    for (let number = 0; number < 20; number++)
      await rated(await played(id(`m${number}`), [teamOf('ann'), teamOf('zoe')]), { ranks: [1, 2] });
    for (const [i, name] of ['ann', 'zoe'].entries()) {
      const rating = (await ratingOf(name))!;
      expect(rating.mean).toBeCloseTo(1_500 + i, 6);
      expect(rating.deviation).toBeGreaterThan(0);
      expect(rating.deviation).toBeLessThanOrEqual(1e-9);
      expect(rating.matches).toBe(29);
    }
  });

  it('of as many players as a transaction takes are rated, and those of one more are rejected', async () => {
    await define();
    const names = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);
    const of = (count: number) => [
      teamOf(...names(count).slice(0, count / 2)),
      teamOf(...names(count).slice(count / 2)),
    ];
    const most = await rated(await played(id('most'), of(LIMITS.ratedSeatsMax)), { ranks: [1, 2] });
    expect(most.rated).toHaveLength(LIMITS.ratedSeatsMax);
    const tooMany = await played(id('more'), of(LIMITS.ratedSeatsMax + 1));
    await expect(post(tooMany, { ranks: [1, 2] })).rejects.toMatchObject({ status: 400 });
  });
});
