import { describe, expect, it } from 'vitest';
import type { RuledPlayer } from '../../../lib/rules/types.ts';
import { getLatestMatches } from '../../../lib/service/queues/latest-matches.ts';
import { sampleWaiting } from '../../../lib/service/queues/waiting-sample.ts';
import { match, NOW_MS, ticket } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';

const record = { definition: definition(), version: 1, layouts: [], awakeUntilMs: 0, sentUntilMs: 0 };
const queues = { get: async (queue: string) => (queue === 'duel' ? record : undefined) } as never;

describe('a sample of waiting tickets', () => {
  const sample = async (...players: Partial<RuledPlayer>[]) => {
    const party = players.map((player, i) => ({ playerId: `name-${i}`, skill: 10 * i, ...player }));
    const one = { ...ticket('duel', 'some-id', 1), players: party };
    const pool = { of: async () => ({ tickets: [one], isComplete: true }) };
    return sampleWaiting({ queues, pool }, 'duel', NOW_MS + 1_500);
  };

  it('says how large, how good and how old a party is, and nothing that names it', async () => {
    const sampled = await sample({ attributes: { clan: 'name-of-clan' } }, {});
    expect(sampled).toEqual({ waiting: [{ skill: 5, size: 2, ageSeconds: 1.5 }], isComplete: true });
  });

  it('names each role that its players accept, unless one of them accepts all', async () => {
    const { waiting } = await sample({ roles: ['tank'] }, { roles: ['healer', 'tank'] });
    expect(waiting[0]!.roles).toEqual(['healer', 'tank']);
    expect((await sample({ roles: ['tank'] }, {})).waiting[0]).not.toHaveProperty('roles');
  });

  it('names the common region that is best for the worst player', async () => {
    const [ann, bob] = [
      { eu: 10, us: 90, sa: 5 },
      { us: 80, eu: 85 },
    ];
    expect((await sample({ latencyMs: ann }, { latencyMs: bob })).waiting[0]!.region).toBe('eu');
    expect((await sample({ latencyMs: { eu: 1 } }, { latencyMs: { us: 1 } })).waiting[0]).not.toHaveProperty(
      'region',
    );
    expect((await sample({ latencyMs: { eu: 1 } }, {})).waiting[0]!.region).toBe('eu');
  });

  it('is of a queue that exists', async () => {
    const pool = { of: async () => ({ tickets: [], isComplete: true }) };
    await expect(sampleWaiting({ queues, pool }, 'other', NOW_MS)).rejects.toThrow(
      expect.objectContaining({ status: 404 }),
    );
  });
});

describe('the latest matches', () => {
  it('have their game server, but not the tokens of its players', async () => {
    const assignment = { address: 'game.example', port: 7777, tokens: { ann: 'secret' } };
    const latest = { of: async () => [match('duel', 'm', ['t'], { assignment })] };
    const [found] = await getLatestMatches({ queues, latest }, 'duel');
    expect(found).toMatchObject({ matchId: 'm', assignment: { address: 'game.example', port: 7777 } });
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('are as many as fit into a response', async () => {
    const attributes = { notes: Array.from({ length: 50 }, (_, n) => String(n).padEnd(64, '"')) };
    const large = (matchId: string) => {
      const one = match('duel', matchId, ['t']);
      const players = Array.from({ length: 40 }, (_, n) => ({
        playerId: `p${n}`,
        ticketId: 't',
        attributes,
      }));
      return { ...one, teams: [{ players }] };
    };
    const latest = {
      of: async (_: string, limit: number) => Array.from({ length: limit }, (_, n) => large(`m${n}`)),
    };
    const found = await getLatestMatches({ queues, latest }, 'duel', 100);
    expect(found.length).toBeGreaterThan(5);
    // As Lambda counts: the body is a text in the JSON of the response.
    expect(JSON.stringify({ body: JSON.stringify({ matches: found }) }).length).toBeLessThan(6_291_556);
    expect(found.map(({ matchId }) => matchId)).toEqual(found.map((_, n) => `m${n}`));
  });

  it('are of a queue that exists', async () => {
    await expect(getLatestMatches({ queues, latest: { of: async () => [] } }, 'other')).rejects.toThrow(
      expect.objectContaining({ status: 404 }),
    );
  });
});
