import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packPlayers, unpackPlayers } from '../../lib/aws/compact-players.ts';

const uuid = '0190a6f2-7c3e-7b4d-9a51-2f6c0d8e4b17';

describe('players as they are stored', () => {
  it('are read back exactly, to the last bit', () => {
    const playerId = fc.oneof(
      fc.string(),
      fc.uuid(),
      fc.constantFrom('=', '==', `=${uuid}`, uuid.toUpperCase()),
    );
    const player = fc.record(
      {
        playerId,
        skill: fc.double({ noNaN: true, noDefaultInfinity: true }).map((skill) => Math.abs(skill)),
        roles: fc.array(fc.string(), { maxLength: 3 }),
        level: fc.integer(),
      },
      { requiredKeys: ['playerId', 'skill'] },
    );
    fc.assert(
      fc.property(fc.array(player, { maxLength: 5 }), (players) => {
        expect(unpackPlayers(packPlayers(players))).toEqual(players);
      }),
    );
  });

  it('take about half of the bytes that objects do', () => {
    const players = [{ playerId: uuid, skill: 1523.25 }];
    expect(1.9 * packPlayers(players).length).toBeLessThan(JSON.stringify(players).length);
  });
});
