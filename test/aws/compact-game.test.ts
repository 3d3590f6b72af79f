import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { packedGame, packGame } from '../../lib/aws/compact-game.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';

type Game = Pick<StoredMatch, 'ticketIds' | 'teams'>;
const unpack = (text: string) => packedGame(z.unknown()).parse(text);

const id = fc.oneof(
  fc.uuid(),
  fc.string(),
  fc.string().map((text) => `=${text}`),
);
const seat = fc.record(
  {
    playerId: id,
    ticketId: id,
    role: fc.string(),
    bot: fc.constant(true as const),
    attributes: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.string(),
    ),
  },
  { requiredKeys: ['playerId'] },
);
const teamOf = fc.record({ name: fc.string(), players: fc.array(seat) }, { requiredKeys: ['players'] });
const game = fc.record({
  ticketIds: fc.array(id),
  teams: fc.array(teamOf),
  imbalance: fc.double({ noNaN: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
});

describe('a packed game', () => {
  it('is unpacked to the same game for any ids, names of teams and attributes', () => {
    fc.assert(
      fc.property(game, (one) => {
        const finite = { ...one, imbalance: Number.isFinite(one.imbalance) ? one.imbalance : 0 };
        expect(unpack(packGame(finite as Game))).toEqual(finite);
      }),
    );
  });

  it('omits the ticket ids if they are those of the seats, sorted', () => {
    const teams = [
      { players: [{ playerId: 'p', ticketId: 'b' }] },
      { players: [{ playerId: 'q', ticketId: 'a' }] },
    ];
    expect(packGame({ ticketIds: ['a', 'b'], teams })).toBe('{"seats":[[["p","b"]],[["q","a"]]]}');
    expect(unpack(packGame({ ticketIds: ['b', 'a'], teams }))).toEqual({ ticketIds: ['b', 'a'], teams });
  });

  it('of ten players with UUIDs fits into a kilobyte with its match', () => {
    const uuids = fc.sample(fc.uuid(), { numRuns: 20, seed: 1 });
    const players = Array.from({ length: 10 }, (_, i) => ({ playerId: uuids[i]!, ticketId: uuids[10 + i]! }));
    const teams = [{ players: players.slice(0, 5) }, { players: players.slice(5) }];
    const ticketIds = uuids.slice(10).sort();
    expect(packGame({ ticketIds, teams }).length).toBeLessThan(600);
    expect(JSON.stringify({ ticketIds, teams }).length).toBeGreaterThan(1_300);
  });

  it.each(['no JSON', '{"seats":1}', '{"seats":[["x",[1,2]]]}'])(
    'that is broken is an invalid attribute (%s)',
    (text) => {
      expect(
        packedGame(
          z.object({ teams: z.array(z.object({ players: z.array(z.object({ playerId: z.string() })) })) }),
        ).safeParse(text).success,
      ).toBe(false);
    },
  );
});
