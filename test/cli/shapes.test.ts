import { describe, expect, it } from 'vitest';
import { matchResult } from '../../lib/contract/match.ts';
import { definition } from '../service/definitions.ts';
import { file, muster } from './muster.ts';

const { teamSize: _, ...others } = definition();
const hunt = {
  ...others,
  name: 'hunt',
  teams: [
    { name: 'killer', size: 1 },
    { name: 'survivors', size: 4 },
  ],
};
const enqueuedAt = '2026-01-01T00:00:00Z';
const solo = (ticketId: string, skill: number, teams?: string[]) => ({
  ticketId,
  enqueuedAt,
  players: [{ playerId: `p-${ticketId}`, skill, ...(teams && { teams }) }],
});

describe('games of any shape on the command line', () => {
  it('matches one against four, each on the side it chose, and names the side that is missing', async () => {
    const survivors = Array.from({ length: 8 }, (_, i) => solo(`s${i}`, 1000 + 10 * i, ['survivors']));
    const tickets = file('hunt-tickets.json', [solo('k', 1035, ['killer']), ...survivors]);
    const { status, stdout, stderr } = await muster(
      'match',
      '--queue',
      file('hunt.json', hunt),
      '--tickets',
      tickets,
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const result = JSON.parse(stdout);
    expect(matchResult.parse(result)).toEqual(result);
    expect(result.matches).toHaveLength(1);
    const [match] = result.matches;
    expect(match.teams.map(({ name }: { name: string }) => name)).toEqual(['killer', 'survivors']);
    expect(match.teams[0].players).toEqual([{ playerId: 'p-k', ticketId: 'k' }]);
    expect(match.teams[1].players.map(({ ticketId }: { ticketId: string }) => ticketId)).toEqual([
      's2',
      's3',
      's4',
      's5',
    ]);
    expect(match.teamGap).toBe(0);
    expect(match.optimal).toBe(true);
    expect(result.waiting).toHaveLength(4);
    expect(new Set(result.waiting.map(({ reason }: { reason: string }) => reason))).toEqual(
      new Set(['A match needs 5 players; 4 are waiting.']),
    );
  });

  it('names the team for which too few players are waiting', async () => {
    const survivors = Array.from({ length: 6 }, (_, i) => solo(`s${i}`, 1000 + 10 * i, ['survivors']));
    const tickets = file('no-killer.json', survivors);
    const { stdout } = await muster('match', '--queue', file('hunt.json', hunt), '--tickets', tickets);
    const { waiting } = JSON.parse(stdout);
    expect(waiting[0].reason).toBe('Too few players accept the team killer: a match needs 1, 0 available.');
  });

  it('simulates players who choose sides, and warns when a side is chosen too often', async () => {
    const queue = file('hunt.json', hunt);
    const args = ['simulate', '--queue', queue, '--players', '400', '--rate', '2', '--json'];
    const good = JSON.parse((await muster(...args, '--sides', 'killer=15,survivors=65,any=20')).stdout);
    const bad = JSON.parse((await muster(...args, '--sides', 'killer=60,survivors=40')).stdout);
    expect(good.warnings.join()).not.toMatch(/no bound/);
    expect(bad.warnings.join()).toMatch(/who accept only killer arrive faster.*bounded if more than/);
    const { status, stderr } = await muster(...args, '--sides', 'ghosts=1');
    expect(status).toBe(2);
    expect(stderr).toMatch(/--sides: Expected any or teams of hunt \(killer, survivors\), got ghosts/);
  });

  it('reports each fault of a definition that contradicts itself', async () => {
    const wrong = file('wrong.json', {
      ...hunt,
      teamSize: 4,
      teams: [...hunt.teams, { name: 'killer', size: 300 }],
    });
    const { status, stderr } = await muster('validate', wrong);
    expect(status).toBe(2);
    expect(stderr).toMatch(/#\/teams\/2\/size: .*200/);
    expect(stderr).toMatch(/#\/teamSize: Expected no teamSize beside a list of teams, got 4/);
  });
});
