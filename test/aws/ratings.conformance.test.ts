import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ladderStore } from '../../lib/aws/ladder-store.ts';
import { matchStore } from '../../lib/aws/match-store.ts';
import { queueStore } from '../../lib/aws/queue-store.ts';
import { ratingStore } from '../../lib/aws/rating-store.ts';
import type { LadderDefinition } from '../../lib/contract/ladder.ts';
import { LIMITS } from '../../lib/contract/queue-definition.ts';
import { addResult, noSums } from '../../lib/ratings/odds-sums.ts';
import type { DefinitionChange } from '../../lib/service/domain/stored-definition.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { StoredRating } from '../../lib/service/domain/stored-rating.ts';
import type { LadderStore } from '../../lib/service/ports/ladder-store.ts';
import type { MatchStore } from '../../lib/service/ports/match-store.ts';
import type { RatedWrite, RatingStore } from '../../lib/service/ports/rating-store.ts';
import { definition, putQueue } from '../service/definitions.ts';
import { type EmulatedTables, STORES, startTables, suiteName } from './emulated-tables.ts';
import { match, NOW_MS } from './samples.ts';

describe.each(STORES)('$emulator', ({ emulator, skipped }) => {
  describe.skipIf(skipped !== undefined)(suiteName('the stores of ratings', emulator, skipped), () => {
    let tables: EmulatedTables;
    let ladders: LadderStore;
    let ratings: RatingStore;
    let matches: MatchStore;
    let ladder: string;
    let count = 0;
    beforeAll(async () => {
      tables = await startTables(emulator);
      const client = tables.client();
      ladders = ladderStore(client, tables.names.queues);
      ratings = ratingStore(client, tables.names);
      matches = matchStore(client, tables.names);
    });
    afterAll(() => tables?.stop());
    /** Each test has its own ladder. */
    beforeEach(() => {
      ladder = `ladder-${++count}`;
    });

    const ladderOf = (changes: Partial<LadderDefinition> = {}): LadderDefinition => ({
      name: ladder,
      model: 'plackett-luce',
      initial: { mean: 1_500, deviation: 350 },
      beta: 0.1 + 0.2,
      drift: { perGame: 1 / 3, perDay: 1e-9 },
      ...changes,
    });

    describe('a ladder store', () => {
      const record = (version: number, changes: Partial<LadderDefinition> = {}) => ({
        definition: ladderOf(changes),
        change: changeAt(version),
      });
      const changeAt = (version: number, atMs = NOW_MS + version) => ({
        version,
        at: new Date(atMs).toISOString(),
        by: 'ann',
      });
      /** Puts a version over the one before it. */
      const put = (
        version: number,
        changes: Partial<LadderDefinition> = {},
        replaced: DefinitionChange | undefined = version === 1 ? undefined : changeAt(version - 1),
      ) => ladders.put(record(version, changes), replaced);

      it('returns the stored ladder with every number exact, and undefined for a missing one', async () => {
        expect(await ladders.get(ladder)).toBeUndefined();
        const deployed = { version: 1, digest: 'abc' };
        expect(await ladders.put(record(1), undefined, deployed)).toBe(true);
        expect(await ladders.get(ladder)).toEqual({ ...record(1), deployed });
      });

      it('lists all ladders by name, and no queue', async () => {
        const names = ['b', 'a', 'c'].map((name) => `${ladder}-${name}`);
        for (const name of names) await put(1, { name });
        await putQueue(
          queueStore(tables.client(), tables.names.queues),
          definition({ name: ladder }),
          NOW_MS,
        );
        const listed = (await ladders.list()).records.map(({ definition }) => definition.name);
        expect(listed.filter((name) => name.startsWith(ladder))).toEqual([...names].sort());
      });

      it('stores a change only over the version before it', async () => {
        expect(await put(2)).toBe(false);
        expect(await put(1)).toBe(true);
        expect(await put(1, { beta: 7 })).toBe(false);
        expect(await put(3, { beta: 7 })).toBe(false);
        expect(await put(2, { beta: 7 })).toBe(true);
        expect((await ladders.get(ladder))!.definition.beta).toBe(7);
      });

      it('stores one of many changes of the same version', async () => {
        await put(1);
        const betas = [1, 2, 3, 4, 5, 6];
        const stored = await Promise.all(betas.map((beta) => put(2, { beta })));
        expect(stored.filter(Boolean)).toHaveLength(1);
        expect((await ladders.get(ladder))!.definition.beta).toBe(betas[stored.indexOf(true)]);
      });

      it('removes a ladder as it was read, and says so again', async () => {
        await put(1);
        await put(2);
        expect(await ladders.remove(record(1), ladder)).toBe(false);
        expect(await ladders.get(ladder)).toEqual(record(2));
        expect(await ladders.remove(record(2), ladder)).toBe(true);
        expect(await ladders.remove(record(2), ladder)).toBe(true);
        expect(await ladders.get(ladder)).toBeUndefined();
        expect(await put(1)).toBe(true);
      });

      it('neither replaces nor removes a ladder that was removed and created since it was read', async () => {
        await put(1);
        const read = (await ladders.get(ladder))!;
        await ladders.remove(read, ladder);
        const again = { ...record(1, { beta: 7 }), change: changeAt(1, NOW_MS + 60_000) };
        expect(await ladders.put(again, undefined)).toBe(true);
        expect(await put(2, { beta: 8 }, read.change)).toBe(false);
        expect(await ladders.recordDeployed(read, ladder, { version: 1, digest: 'abc' })).toBe(false);
        expect(await ladders.remove(read, ladder)).toBe(false);
        expect(await ladders.get(ladder)).toEqual(again);
      });
    });

    describe('a rating store', () => {
      const teamsOf = (playerIds: readonly string[]) =>
        playerIds.map((playerId) => ({ players: [{ playerId, ticketId: `t-${playerId}` }] }));
      /** A match with a result, one team of each of these players. */
      const played = async (matchId: string, playerIds: readonly string[]): Promise<StoredMatch> => {
        const teams = teamsOf(playerIds);
        await matches.create(match(ladder, matchId, ['t'], { teams, ladder }), NOW_MS);
        const result = {
          at: new Date(NOW_MS).toISOString(),
          ladder: ladderOf(),
          ranks: playerIds.map(() => 1),
        };
        return (await matches.result({ matchId }, result))!;
      };
      const write = (
        matchId: string,
        playerIds: readonly string[],
        read: ReadonlyMap<string, StoredRating> = new Map(),
        mean = 1_516.123_456_789,
      ): RatedWrite => ({
        match: { matchId, teams: teamsOf(playerIds) },
        ladder,
        atMs: NOW_MS + 1,
        rated: playerIds.map((playerId) => [playerId, 1_500, 350, mean, 1 / 3]),
        players: playerIds.map((playerId) => {
          const known = read.get(playerId);
          const after = {
            mean,
            deviation: 1 / 3,
            matches: (known?.matches ?? 0) + 1,
            updatedAtMs: NOW_MS + 1,
          };
          return { playerId, read: known, after };
        }),
      });
      const idOf = (name: string) => `${ladder}:${name}`;

      it('returns a rating that was put with every number exact, on its ladder alone', async () => {
        const rating = { mean: -0.1 - 0.2, deviation: 1e-100, matches: 7 };
        const stored = await ratings.put(ladder, 'ann', rating, NOW_MS);
        expect(stored).toMatchObject({ ...rating, updatedAtMs: NOW_MS });
        expect(await ratings.of(ladder, ['ann', 'ben', 'ann'])).toEqual(new Map([['ann', stored]]));
        expect(await ratings.of(`${ladder}-other`, ['ann'])).toEqual(new Map());
        expect(await ratings.of(ladder, [])).toEqual(new Map());
      });

      it('keeps ratings of players whose ids are names of its own fields', async () => {
        const ids = ['constructor', '__proto__', 'ladder', '#status', ':read', 'ünïcode 東京 🎮'];
        for (const [i, id] of ids.entries())
          await ratings.put(ladder, id, { mean: i, deviation: 1, matches: 0 }, NOW_MS);
        const found = await ratings.of(ladder, ids);
        expect(ids.map((id) => found.get(id)?.mean)).toEqual(ids.map((_, i) => i));
      });

      it('forgets a rating, and forgets it again', async () => {
        await ratings.put(ladder, 'ann', { mean: 1, deviation: 1, matches: 0 }, NOW_MS);
        for (let i = 0; i < 2; i++) await ratings.remove(ladder, 'ann');
        expect(await ratings.of(ladder, ['ann'])).toEqual(new Map());
      });

      it('stores the ratings of a match and its mark together', async () => {
        const ids = ['ann', 'ben'];
        await played(idOf('m'), ids);
        expect(await ratings.rate(write(idOf('m'), ids))).toBe('rated');
        const found = await ratings.of(ladder, ids);
        expect([...found.values()]).toMatchObject(
          ids.map(() => ({ mean: 1_516.123_456_789, deviation: 1 / 3, matches: 1, updatedAtMs: NOW_MS + 1 })),
        );
        // The match has nine digits of them.
        const nine = ids.map((playerId) => [playerId, 1_500, 350, 1_516.123_46, 0.333_333_333]);
        expect((await matches.get(idOf('m')))!.rated).toEqual(nine);
      });

      it('rates a match once, even when it is rated many times concurrently', async () => {
        const ids = ['ann', 'ben'];
        await played(idOf('m'), ids);
        const all = await Promise.all(Array.from({ length: 6 }, () => ratings.rate(write(idOf('m'), ids))));
        expect(all.filter((one) => one === 'rated')).toHaveLength(1);
        expect(await ratings.rate(write(idOf('m'), ids, await ratings.of(ladder, ids)))).toBe('lost-race');
        for (const { matches } of (await ratings.of(ladder, ids)).values()) expect(matches).toBe(1);
      });

      it('changes nothing if the rating of one player is not as it was read', async () => {
        const ids = ['ann', 'ben', 'cem'];
        await played(idOf('m'), ids);
        await ratings.put(ladder, 'ben', { mean: 1_400, deviation: 90, matches: 3 }, NOW_MS);
        const read = await ratings.of(ladder, ids);
        // As if it were new, after another write of the same numbers, and after it was forgotten.
        const others: (() => Promise<unknown>)[] = [
          () => ratings.put(ladder, 'cem', { mean: 1_500, deviation: 350, matches: 0 }, NOW_MS),
          () => ratings.put(ladder, 'ben', { mean: 1_400, deviation: 90, matches: 3 }, NOW_MS),
          () => ratings.remove(ladder, 'ben'),
        ];
        for (const other of others) {
          await other();
          const before = await ratings.of(ladder, ids);
          expect(await ratings.rate(write(idOf('m'), ids, read))).toBe('lost-race');
          expect(await ratings.of(ladder, ids)).toEqual(before);
          expect((await matches.get(idOf('m')))!.rated).toBeUndefined();
        }
        expect(await ratings.rate(write(idOf('m'), ids, await ratings.of(ladder, ids)))).toBe('rated');
      });

      it('rates two matches of one player after each other, although they have read the same', async () => {
        const all = ['m1', 'm2'].map((name, i) => [idOf(name), ['ann', `other-${i}`]] as const);
        for (const one of all) await played(...one);
        const outcomes = await Promise.all(all.map((one) => ratings.rate(write(...one))));
        expect([...outcomes].sort()).toEqual(['lost-race', 'rated']);
        const [matchId, ids] = all[outcomes.indexOf('lost-race')]!;
        expect(await ratings.rate(write(matchId, ids, await ratings.of(ladder, ids)))).toBe('rated');
        expect((await ratings.of(ladder, ['ann'])).get('ann')!.matches).toBe(2);
      });

      it('rates no match that does not exist or has no result', async () => {
        expect(await ratings.rate(write(idOf('missing'), ['ann']))).toBe('lost-race');
        await matches.create(match(ladder, idOf('open'), ['t'], { status: 'PLACING' }), NOW_MS);
        expect(await ratings.rate(write(idOf('open'), ['ann']))).toBe('lost-race');
        expect(await ratings.of(ladder, ['ann'])).toEqual(new Map());
        expect(await matches.get(idOf('missing'))).toBeUndefined();
      });

      it('rates a match with as many players as a transaction takes, whose ids are as long as they may be', async () => {
        const ids = Array.from({ length: LIMITS.ratedSeatsMax }, (_, i) => `${i}-`.padEnd(128, 'x'));
        await played(idOf('large'), ids);
        expect(await ratings.rate(write(idOf('large'), ids))).toBe('rated');
        expect((await ratings.of(ladder, ids)).size).toBe(ids.length);
        expect((await matches.get(idOf('large')))!.rated).toHaveLength(ids.length);
      });

      it('keeps an item below a kilobyte, the unit of a write, however many matches the player has', async () => {
        const id = 'p'.repeat(128);
        for (let number = 0; number < 45; number++) {
          const matchId = idOf(`m${number}`);
          await played(matchId, [id]);
          const one = write(matchId, [id], await ratings.of(ladder, [id]), 1_000 + number / 7);
          expect(await ratings.rate(one)).toBe('rated');
        }
        const { mean, recent, ...more } = (await ratings.of(ladder, [id])).get(id)!;
        expect(recent.split(' ').length).toBeGreaterThan(20);
        expect(recent.endsWith(':1006')).toBe(true);
        const item = { playerId: id, ladder, mean, recent, ...more, expiresAt: 1_900_000_000 };
        // A name and a string count their bytes; a number counts one byte for two digits, and one more.
        const bytes = Object.entries(item).map(
          ([name, value]) => name.length + (typeof value === 'number' ? 21 : String(value).length),
        );
        expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_024);
      });

      describe('of the odds of a ladder', () => {
        const learnt = (slope: number) => {
          const sums = noSums();
          addResult(sums, [0.1 + 0.2, 0.7], [1, 0]);
          return { slope, information: 1 / 3, sums };
        };

        it('returns what was learnt, and undefined before it', async () => {
          expect(await ratings.odds(ladder)).toBeUndefined();
          expect(await ratings.learn(ladder, undefined, learnt(0.9), NOW_MS)).toBe(true);
          expect(await ratings.odds(ladder)).toMatchObject(learnt(0.9));
          expect(await ratings.of(ladder, ['ann'])).toEqual(new Map());
        });

        it('stores one of several that have read the same', async () => {
          for (const read of [undefined, 'strong']) {
            const known = read && (await ratings.odds(ladder));
            const slopes = [0.5, 0.6, 0.7, 0.8];
            const all = await Promise.all(
              slopes.map((slope) => ratings.learn(ladder, known || undefined, learnt(slope), NOW_MS)),
            );
            expect(all.filter(Boolean)).toHaveLength(1);
            expect((await ratings.odds(ladder))!.slope).toBe(slopes[all.indexOf(true)]);
          }
        });

        it('takes what cannot be read for nothing', async () => {
          const Item = { playerId: '#odds', ladder, slope: 'steep' };
          await tables.client().send(new PutCommand({ TableName: tables.names.ratings, Item }));
          expect(await ratings.odds(ladder)).toBeUndefined();
        });
      });
    });
  });
});
