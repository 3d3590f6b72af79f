import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nothingSeen, playBackend, type QueueSeen, type SeenMatch } from '../../lib/cli/demo/game-backend.ts';
import { latestMatch } from '../../lib/cli/demo/latest-match.ts';
import { nameOf, playerIdOf, playerNames } from '../../lib/cli/demo/player-names.ts';
import { HOSTED_QUEUE } from '../../lib/cli/demo/queues.ts';
import { demoSummary } from '../../lib/cli/demo/summary.ts';
import { demoTable, LEGEND } from '../../lib/cli/demo/table.ts';
import type { MusterClient } from '../../lib/client/index.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { IS_LONG } from '../long.ts';
import { eventually } from '../patience.ts';

const seat = (playerId: string, ticketId?: string, role?: string) => ({
  playerId,
  ...(ticketId && { ticketId }),
  ...(role && { role }),
});
const SKILLS = {
  'ann.t-1': 1510,
  'bob.t-2': 1502,
  'cy.t-2': 1400,
  'dee.t-2': 1420,
  'bob.t-3': 1502,
  'eva.t-4': 1490,
};
const DUEL: SeenMatch = {
  matchId: 'm-1',
  queue: 'duel',
  createdAt: new Date(10_000).toISOString(),
  teams: [{ players: [seat('ann.t-1', 't-1')] }, { players: [seat('bob.t-2', 't-2')] }],
  skills: new Map(Object.entries(SKILLS)),
  waitsMs: [800, 2_400],
  imbalance: 12,
  teamGap: 8,
  certifiedGap: 0,
};
const RAID: SeenMatch = {
  ...DUEL,
  matchId: 'm-2',
  queue: 'raid',
  createdAt: new Date(12_000).toISOString(),
  teams: [
    { players: [seat('ann.t-1', 't-1', 'tank'), seat('cy.t-2', 't-2'), seat('dee.t-2', 't-2')] },
    { players: [seat('bob.t-3', 't-3'), seat('eva.t-4', 't-4'), seat('bot~1')] },
  ],
  waitsMs: [1_000, 1_000],
  imbalance: 100,
  teamGap: 0,
  certifiedGap: 12.34,
};

function seen(queue: string, matches: readonly SeenMatch[], waitsSeconds: readonly number[]): QueueSeen {
  const result = nothingSeen(queue);
  result.matches.push(...matches);
  result.waitsMs.push(...waitsSeconds.map((seconds) => 1_000 * seconds));
  result.playersMatched = waitsSeconds.length;
  result.playersPosted = waitsSeconds.length + 3;
  result.waiting.set('t-8', { players: [{ playerId: 'p', skill: 1 }], enqueuedAtMs: 14_500 });
  result.waiting.set('t-9', {
    players: [
      { playerId: 'q', skill: 1 },
      { playerId: 'r', skill: 1 },
    ],
    enqueuedAtMs: 7_000,
  });
  return result;
}

describe('the table of the demo', () => {
  const all = [
    seen('duel', [DUEL, { ...DUEL, imbalance: 13, certifiedGap: 3 }], [1, 3]),
    nothingSeen('raid'),
  ];

  it('has a row for each queue below the names and units of its columns', () => {
    expect(demoTable(all, 15_000)).toEqual([
      'queue  waiting  oldest  matched  matches   wait   wait  imbalance  gap',
      '       players       s  players           50% s  99% s     points     ',
      'duel         3     8.0        2        2    1.0    3.0       12.5  1.5',
      'raid         0       –        0        0      –      –          –    –',
    ]);
  });

  it('shows the matches that have a server, where there are such, and those that failed', () => {
    const hosted = nothingSeen('hosted', { withServers: true });
    hosted.servers!.set('m-1', { address: '203.0.113.7', port: 30_001, tookMs: 1_400 });
    hosted.failed = 2;
    const [names, , ...rows] = demoTable([...all, hosted], 15_000);
    expect(names).toMatch(/ matches {2}failed {2}placed {3}wait/);
    expect(rows.map((row) => row.split(/ +/).slice(5, 7))).toEqual([
      ['0', '–'],
      ['0', '–'],
      ['2', '1'],
    ]);
  });

  it('fits 80 columns with its legend while no match fails', () => {
    const hosted = nothingSeen('hosted', { withServers: true });
    for (const line of [LEGEND, ...demoTable([...all, hosted], 15_000)])
      expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('the latest match of the demo', () => {
  it('shows both teams, how even the match is and that it is proved best', () => {
    expect(latestMatch(DUEL)).toEqual([
      'latest match: duel, 1 against 1, after 0.8 to 2.4 s of waiting',
      '  ann 1510 against bob 1502',
      '  the players are 8 points apart; proved: no possible match was better',
    ]);
  });

  it('joins parties, names roles and bots, and shows the certified gap of a match that is not proved best', () => {
    expect(latestMatch(RAID)).toEqual([
      'latest match: raid, 3 against 3, after 1.0 s of waiting',
      '  ann 1510 tank, cy 1400 + dee 1420',
      '    against',
      '  bob 1502, eva 1490, bot',
      '  the teams are equal; no possible match was better by more than 12',
    ]);
  });

  it('names the server once it is known', () => {
    const server = { address: '203.0.113.7', port: 30_001, tookMs: 1_400 };
    expect(latestMatch(DUEL, server)).toEqual([
      'latest match: duel, 1 against 1, after 0.8 to 2.4 s of waiting',
      '  ann 1510 against bob 1502',
      '  on 203.0.113.7:30001, known after 1.4 s',
      '  the players are 8 points apart; proved: no possible match was better',
    ]);
  });

  it('never shows an open gap as 0', () => {
    expect(latestMatch({ ...RAID, certifiedGap: 0.004 }).at(-1)).toMatch(/by more than 0\.004$/);
  });
});

describe('the names of the demo', () => {
  it('are all used before one repeats, in an order that depends on the seed', () => {
    const first = playerNames(seededRandom(1));
    const names = Array.from({ length: 100 }, first);
    expect(new Set(names).size).toBe(100);
    expect(Array.from({ length: 100 }, playerNames(seededRandom(1)))).toEqual(names);
    expect(Array.from({ length: 100 }, playerNames(seededRandom(2)))).not.toEqual(names);
  });

  it('can be read back from the ids of the players', () => {
    expect(nameOf(playerIdOf('ann', 'duel-abc.7'))).toBe('ann');
    expect(nameOf('somebody-else')).toBe('somebody-else');
  });
});

describe('the summary of the demo', () => {
  it('counts the players, and shows their waits, what was proved and commands to try next', () => {
    const lines = demoSummary([seen('duel', [DUEL, RAID], [1, 3]), seen('raid', [], [])], 61_400);
    expect(lines.slice(0, 4)).toEqual([
      'played for 61 s',
      '  players  8 posted, 2 matched, 6 still waiting',
      '  matches  2: 1 proved best, the others on average within 12.3 points of it',
      'what to look at next',
    ]);
    expect(lines.slice(4).join('\n')).toContain('npx muster serve');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('reports that nothing was matched', () => {
    expect(demoSummary([nothingSeen('duel')], 900)).toEqual(
      expect.arrayContaining(['  players  0 posted, 0 matched, 0 still waiting', '  matches  none yet']),
    );
  });
});

describe('the backend of the demo', () => {
  /** Plays until the client aborts. @param client the requests that the backend sends */
  const played = (client: object, definition: QueueDefinition, stop: AbortController, seen: QueueSeen) => {
    const random = seededRandom(1);
    return playBackend({
      ask: (send) => send(client as unknown as MusterClient),
      definition,
      rate: 5,
      random,
      nextName: playerNames(random),
      signal: stop.signal,
      seen,
    });
  };

  const posted = (tickets: readonly { ticketId: string }[]) =>
    tickets.map((ticket) => ({ status: 201, ticket: { ...ticket, enqueuedAt: new Date(0).toISOString() } }));

  it('starts a server for each match of a hosted queue', async () => {
    const stop = new AbortController();
    const seen = nothingSeen('hosted', { withServers: true });
    const enqueuedAt = new Date(0).toISOString();
    const assigned: unknown[] = [];
    const teams = [{ players: [{ playerId: 'p', ticketId: '' }] }];
    const client = {
      postBatch: async (_queue: string, tickets: readonly { ticketId: string }[]) => {
        teams[0]!.players[0]!.ticketId ||= tickets[0]!.ticketId;
        return posted(tickets);
      },
      getMany: async (ids: string[]) =>
        ids.map((ticketId) => ({ ticketId, status: 'PLACING', matchId: 'm-1' })),
      match: async () => ({ matchId: 'm-1', status: 'PLACING', createdAt: enqueuedAt, teams }),
      assign: async (...call: unknown[]) => {
        assigned.push(call);
        stop.abort();
      },
    };
    await played(client, HOSTED_QUEUE, stop, seen);
    expect(assigned).toEqual([['m-1', { address: '203.0.113.7', port: expect.any(Number) }]]);
    expect([...seen.servers!.keys()]).toEqual(['m-1']);
  });

  it('accepts matches, follows them to their games, and takes back the tickets of one that fails', async () => {
    const stop = new AbortController();
    const seen = nothingSeen('ranked');
    const at = new Date(0).toISOString();
    const accepted: unknown[] = [];
    const matchOf = new Map<string, string>();
    const statusOf = (matchId: string) =>
      accepted.some((call) => (call as string[])[1] === matchId)
        ? matchId === 'm-1'
          ? { status: 'FAILED', reasonCode: 'NOT_ACCEPTED' }
          : { status: 'COMPLETED' }
        : { status: 'REQUIRES_ACCEPTANCE' };
    const client = {
      postBatch: async (_queue: string, tickets: readonly { ticketId: string }[]) => {
        for (const { ticketId } of tickets)
          if (matchOf.size < 2) matchOf.set(ticketId, `m-${matchOf.size + 1}`);
        return posted(tickets);
      },
      getMany: async (ids: string[]) => {
        if (seen.started > 0 && seen.failed > 0) stop.abort();
        return ids.map((ticketId) => {
          const matchId = matchOf.get(ticketId);
          // Its match has failed, so the first ticket waits again.
          const isBack = matchId === 'm-1' && seen.failed > 0;
          return { ticketId, status: 'QUEUED', ...(matchId && !isBack && { matchId }) };
        });
      },
      match: async (matchId: string) => {
        const ticketId = [...matchOf].find(([, id]) => id === matchId)![0];
        const teams = [{ players: [{ playerId: 'p', ticketId }] }];
        return { matchId, createdAt: at, teams, ...statusOf(matchId) };
      },
      accept: async (...call: unknown[]) => {
        accepted.push(call);
      },
    };
    const definition = { ...HOSTED_QUEUE, name: 'ranked', acceptance: { timeoutSeconds: 30 } };
    await played(client, definition, stop, seen);
    expect(accepted.map((call) => (call as string[])[1]).sort()).toEqual(['m-1', 'm-2']);
    expect(seen).toMatchObject({ failed: 1, started: 1, open: new Map() });
    const [back] = [...matchOf].find(([, matchId]) => matchId === 'm-1')!;
    expect(seen.waiting.has(back)).toBe(true);
  });

  it('counts the players of a match that has failed for good once', async () => {
    const stop = new AbortController();
    const seen = nothingSeen('hosted', { withServers: true });
    let rounds = 0;
    const client = {
      postBatch: async (_queue: string, tickets: readonly { ticketId: string }[]) => posted(tickets),
      getMany: async (ids: string[]) => {
        if (++rounds === 2) stop.abort();
        return ids.map((ticketId) => ({ ticketId, status: 'FAILED', matchId: 'm-1' }));
      },
    };
    await played(client, HOSTED_QUEUE, stop, seen);
    expect(rounds).toBe(2);
    expect(seen).toMatchObject({ playersMatched: 0, matches: [] });
    expect(seen.playersUnmatched + [...seen.waiting.values()].flatMap(({ players }) => players).length).toBe(
      seen.playersPosted,
    );
    expect(seen.playersUnmatched).toBeGreaterThan(0);
  });
});

describe('muster demo', () => {
  function demo(detached = false): { child: ChildProcessWithoutNullStreams; output: () => string } {
    const args = ['lib/cli/muster.ts', 'demo', '--queue', 'duel', '--rate', '2'];
    const child = spawn(process.execPath, args, { detached });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    return { child, output: () => output };
  }

  it('prints the table, the latest match and, when it is stopped, a summary, without colours into a pipe', async () => {
    const { child, output } = demo();
    await eventually(() => expect(output()).toContain('latest match: duel, 1 against 1'));
    child.kill('SIGINT');
    const [status] = await once(child, 'close');
    expect(status).toBe(0);
    expect(output()).toBe(stripVTControlCharacters(output()));
    expect(output()).toMatch(
      /^Starting the service on this machine …\nPosting 2 players a second to http:\S+, Ctrl-C/,
    );
    expect(output()).toContain(LEGEND);
    expect(output()).toMatch(/ {2}players {2}\d+ posted, [1-9]\d* matched, \d+ still waiting\n/);
    expect(output()).toMatch(/ {2}matches {2}[1-9]\d*[:,] /);
  });

  it.runIf(IS_LONG)(
    'ends with status 130 and without an error when Ctrl-C reaches it and its child processes during the start',
    async () => {
      const { child, output } = demo(true);
      await eventually(() => expect(output()).toContain('Starting'));
      process.kill(-child.pid!, 'SIGINT');
      const [status] = await once(child, 'close');
      expect([status, output()]).toEqual([130, 'Starting the service on this machine …\n']);
    },
  );

  it.runIf(IS_LONG)('stops when the reader of its output goes away', async () => {
    const { child, output } = demo();
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    await eventually(() => expect(output()).toContain('Posting'));
    child.stdout.destroy();
    const [status, signal] = await once(child, 'close');
    expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  });
});
