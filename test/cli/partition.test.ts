import { describe, expect, it } from 'vitest';
import { definition } from '../service/definitions.ts';
import { file, muster } from './muster.ts';

const queue = file('pairs.json', definition({ name: 'pairs', teamSize: 2 }));
const ticket = (ticketId: string, ...skills: number[]) => ({
  ticketId,
  enqueuedAt: '2026-01-01T00:00:00Z',
  players: skills.map((skill, i) => ({ playerId: `${ticketId}-${i}`, skill })),
});
const tickets = [
  ticket('a', 100),
  ticket('b', 110, 120),
  ticket('c', 900),
  ticket('d', 910),
  ticket('e', 130),
  ticket('f', 920),
  ticket('g', 930),
  ticket('h', 5000),
];

interface Seat {
  readonly ticketId: string;
}

describe.concurrent('muster partition', () => {
  it('puts as many players as possible into games, each ticket whole and once, and prints the objective', async () => {
    const { status, stdout, stderr } = await muster(
      'partition',
      '--queue',
      queue,
      '--tickets',
      file('eight.json', tickets),
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { matches, waiting, objective, objectiveLowerBound, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({ queue: 'pairs' });
    const games: string[][] = matches.map(({ teams }: { teams: { players: Seat[] }[] }) =>
      [...new Set(teams.flatMap(({ players }) => players.map(({ ticketId }) => ticketId)))].sort(),
    );
    expect(games.sort()).toEqual([
      ['a', 'b', 'e'],
      ['c', 'd', 'f', 'g'],
    ]);
    expect(waiting.map(({ ticketId }: Seat) => ticketId)).toEqual(['h']);
    expect(objective).toBe(Math.max(...matches.map(({ imbalance }: { imbalance: number }) => imbalance)));
    expect(objectiveLowerBound).toBeLessThanOrEqual(objective);
  });

  it('prints the same bytes for the same tickets in another order', async () => {
    const runs = await Promise.all(
      [tickets, tickets.toReversed()].map((list, i) =>
        muster(
          'partition',
          '--queue',
          queue,
          '--tickets',
          file(`order-${i}.json`, list),
          '--objective',
          'sum',
        ),
      ),
    );
    expect(runs[0]!.status).toBe(0);
    expect(runs[1]!.stdout).toBe(runs[0]!.stdout);
  });

  it('rejects an unknown objective and invalid tickets with status 2', async () => {
    const good = file('good.json', tickets);
    const unknown = await muster('partition', '--queue', queue, '--tickets', good, '--objective', 'joy');
    expect(unknown).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/--objective.*joy/),
    });
    const bad = await muster('partition', '--queue', queue, '--tickets', file('bad.json', [ticket('a', -1)]));
    expect(bad).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/bad\.json: #\/0\/players\/0\/skill: .*\n$/),
    });
  });
});
