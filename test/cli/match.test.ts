import { describe, expect, it } from 'vitest';
import { matchResult } from '../../lib/contract/match.ts';
import { definition } from '../service/definitions.ts';
import { file, muster } from './muster.ts';

const queue = file('duel.json', definition({ beta: 0.5 }));
const solo = (ticketId: string, skill: number, second = 0) => ({
  ticketId,
  enqueuedAt: `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`,
  players: [{ playerId: `player of ${ticketId}`.replaceAll(' ', '-'), skill }],
});

describe.concurrent('muster match', () => {
  it('prints the matches in the order released, and why the other tickets are waiting', async () => {
    const tickets = file('five.json', [
      solo('a', 100),
      solo('b', 500),
      solo('c', 104),
      solo('d', 501),
      solo('e', 9000),
    ]);
    const { status, stdout, stderr } = await muster('match', '--queue', queue, '--tickets', tickets);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const result = JSON.parse(stdout);
    expect(matchResult.parse(result)).toEqual(result);
    expect(result.queue).toBe('duel');
    expect(
      result.matches.map(({ teams }: { teams: { players: { ticketId: string }[] }[] }) =>
        teams.flatMap(({ players }) => players.map(({ ticketId }) => ticketId)).sort(),
      ),
    ).toEqual([
      ['b', 'd'],
      ['a', 'c'],
    ]);
    expect(result.waiting).toEqual([{ ticketId: 'e', reason: expect.stringMatching(/\w/) }]);
    for (const match of result.matches) expect(match.lowerBound).toBeLessThanOrEqual(match.priority);
  });

  it('fills the empty seats of running matches, and says why others stay empty', async () => {
    const tickets = file('one.json', [solo('a', 100)]);
    const there = (backfillId: string, team: number) => ({
      backfillId,
      enqueuedAt: '2026-01-01T00:00:00Z',
      players: [{ playerId: `there-${backfillId}`, skill: 110, team }],
    });
    const running = (name: string, ...list: unknown[]) =>
      muster('match', '--queue', queue, '--tickets', tickets, '--backfills', file(name, list));
    const { status, stdout } = await running('running.json', there('x', 1), there('y', 0));
    expect(status).toBe(0);
    const result = JSON.parse(stdout);
    expect(matchResult.parse(result)).toEqual(result);
    expect(result).toMatchObject({
      matches: [],
      backfilled: [
        {
          backfillId: 'x',
          newTicketIds: ['a'],
          teams: [{ players: [{ ticketId: 'a' }] }, { players: [{ playerId: 'there-x' }] }],
          imbalance: 15,
          optimal: true,
        },
      ],
      unfilled: [{ backfillId: 'y', reason: 'Too few players: the match needs 1, 0 are waiting.' }],
      waiting: [],
    });
    const wrong = await running('wrong.json', there('x', 2), there('x', 0));
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toMatch('Expected the index of a team, 0 to 1, got 2');
    expect(wrong.stderr).toMatch('Expected each backfillId once, got x again');
  });

  it('runs the search that the README shows on the example tickets', async () => {
    const { status, stdout } = await muster(
      'match',
      '--queue',
      'queues/duel.json',
      '--tickets',
      'examples/tickets.json',
    );
    expect(status).toBe(0);
    const { matches, waiting } = JSON.parse(stdout);
    expect(matches).toMatchObject([
      { teams: [{ players: [{ playerId: 'ann' }] }, { players: [{ playerId: 'bob' }] }] },
    ]);
    expect(waiting).toMatchObject([{ ticketId: 't-3' }]);
  });

  it('computes priorities from the waits at --now', async () => {
    const tickets = file('waits.json', [solo('a', 100, 0), solo('b', 104, 30)]);
    const at = async (now: string) => {
      const { stdout } = await muster('match', '--queue', queue, '--tickets', tickets, '--now', now);
      const [{ imbalance, priority }] = JSON.parse(stdout).matches;
      return imbalance - priority;
    };
    expect(await at('2026-01-01T00:01:40Z')).toBeCloseTo(50, 9);
    expect(await at('2026-01-01T01:00:40+01:00')).toBeCloseTo(20, 9);
    const { stdout } = await muster('match', '--queue', queue, '--tickets', tickets);
    const [{ imbalance, priority }] = JSON.parse(stdout).matches;
    expect(imbalance - priority).toBeCloseTo(15, 9);
  });

  it('prints the same bytes for the same input, whatever the order of the tickets', async () => {
    const many = Array.from({ length: 60 }, (_, i) => solo(`t${i}`, (i * 7919) % 97, i % 50));
    const [one, two] = [file('many.json', many), file('many-reversed.json', many.toReversed())];
    const runs = await Promise.all(
      [one, one, two].map((tickets) => muster('match', '--queue', queue, '--tickets', tickets)),
    );
    expect(JSON.parse(runs[0]!.stdout).matches).toHaveLength(30);
    expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1);
  });

  it('ends at its time limit with the matches found until then, and says that it was cut short', async () => {
    const tickets = file('cut.json', [solo('a', 100), solo('b', 104)]);
    const { status, stdout } = await muster(
      'match',
      ...['--queue', queue, '--tickets', tickets, '--search-seconds', '0.000001'],
    );
    expect(status).toBe(0);
    const result = JSON.parse(stdout);
    expect(matchResult.parse(result)).toEqual(result);
    expect(result).toMatchObject({ matches: [], waiting: [{ ticketId: 'a' }, { ticketId: 'b' }], cut: true });
  });

  it('prints no matches for no tickets', async () => {
    const { status, stdout } = await muster('match', '--queue', queue, '--tickets', file('none.json', []));
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ queue: 'duel', matches: [], waiting: [] });
  });
});

describe.concurrent('wrong input ends with status 2, a line for each fault, and nothing on standard output', () => {
  const good = file('good.json', [solo('a', 1)]);
  it.each<[string, string[], RegExp[]]>([
    ['no queue', ['--tickets', good], [/--queue/]],
    [
      'no such file',
      ['--queue', '/nowhere.json', '--tickets', good],
      [/^cannot read \/nowhere\.json: no such file or directory$/],
    ],
    [
      'a folder',
      ['--queue', '/tmp', '--tickets', good],
      [/^cannot read \/tmp: illegal operation on a directory$/],
    ],
    ['no JSON', ['--queue', queue, '--tickets', file('text.json', '[{')], [/text\.json:1:3: invalid JSON: /]],
    ['no list', ['--queue', queue, '--tickets', file('object.json', {})], [/object\.json: #: .*list/]],
    [
      'bad tickets',
      [
        '--queue',
        queue,
        '--tickets',
        file('bad.json', [solo('a', -1), { ...solo('a', 1), enqueuedAt: 'now' }]),
      ],
      [
        /bad\.json: #\/0\/players\/0\/skill: /,
        /bad\.json: #\/1\/enqueuedAt: /,
        /bad\.json: #\/1\/ticketId: /,
      ],
    ],
    [
      'a bad queue',
      [
        '--queue',
        file('bad-queue.json', { ...definition(), teamSize: 3, roles: { tank: 1 } }),
        '--tickets',
        good,
      ],
      [/bad-queue\.json: #\/roles: .*teamSize 3, got 1/],
    ],
    ['a bad time', ['--queue', queue, '--tickets', good, '--now', 'soon'], [/--now.*ISO 8601.*soon/]],
    [
      'a day that no month has',
      ['--queue', queue, '--tickets', good, '--now', '2026-02-31T00:00:00Z'],
      [/--now.*ISO 8601.*02-31/],
    ],
    [
      'a time without offset',
      ['--queue', queue, '--tickets', good, '--now', '2026-01-01T00:00:00'],
      [/offset/],
    ],
    [
      'a time before a ticket was enqueued',
      ['--queue', queue, '--tickets', good, '--now', '2025-12-31T23:59:59Z'],
      [
        /--now: Expected 2026-\S+Z, when the last ticket was enqueued, or later, got 2025-12-31T23:59:59\.000Z/,
      ],
    ],
    [
      'no time',
      ['--queue', queue, '--tickets', good, '--search-seconds', '0'],
      [/--search-seconds.*above 0, got 0/],
    ],
    ['an unknown option', ['--queue', queue, '--tickets', good, '--fast'], [/--fast/]],
    ['a surplus argument', ['--queue', queue, '--tickets', good, 'now'], [/argument/]],
  ])('%s', async (_what, args, told) => {
    const { status, stdout, stderr } = await muster('match', ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    const lines = stderr
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('Run "muster match --help"'));
    expect(lines).toEqual(told.map((pattern) => expect.stringMatching(pattern)));
  });
});
