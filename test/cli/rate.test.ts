import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { synthetic } from '../ratings/synthetic.ts';
import { muster } from './muster.ts';

describe('muster rate', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rate-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join('\n');
  const { matches } = synthetic({ players: 40, matches: 300 });
  const log = (count = matches.length) =>
    lines(
      ...matches.slice(0, count).map(({ atMs, teams, ranks }) => ({
        at: new Date(atMs!).toISOString(),
        teams: teams.map((team) => team.map(({ playerId }) => playerId)),
        ranks,
      })),
    );

  it('rates JSON lines and prints what the odds were worth', async () => {
    const { status, stdout } = await muster('rate', '--matches', file('log.jsonl', log()));
    expect(status).toBe(0);
    expect(stdout).toContain('300 matches rated, 40 players');
    expect(stdout).toMatch(/calibrated +0\.\d{4} +0\.\d{4} +\d\d\.\d% +\d\.\d{3}/);
    expect(stdout).toMatch(/coin +0\.6931 +0\.2500 +50\.0% +–/);
  });

  it('prints the rating of each player as JSON, the best first, the same for CSV', async () => {
    const some = matches.slice(0, 50);
    const json = file(
      'some.jsonl',
      lines(
        ...some.map(({ teams, ranks }) => ({
          teams: teams.map((team) => team.map((one) => one.playerId)),
          ranks,
        })),
      ),
    );
    const rows = some.flatMap(({ teams, ranks }, m) =>
      teams.flatMap((team, t) => team.map(({ playerId }) => `m${m},${t},${playerId},${ranks![t]}`)),
    );
    const csv = file('some.csv', ['matchId,team,playerId,rank', ...rows].join('\n'));
    const [one, two] = await Promise.all(
      [json, csv].map((path) => muster('rate', '--matches', path, '--json')),
    );
    expect(one!.status).toBe(0);
    expect(two!.stdout).toBe(one!.stdout);
    const { players, matches: counts } = JSON.parse(one!.stdout);
    expect(counts).toEqual({ rated: 50, voided: 0, measuredFrom: 0 });
    const means = players.map(({ mean }: { mean: number }) => mean);
    expect(means).toEqual(means.toSorted((a: number, b: number) => b - a));
  });

  it('takes scores, weights and void matches, and a ladder', async () => {
    const path = file(
      'mixed.jsonl',
      lines(
        { teams: [['ann'], ['ben']], scores: [3, 16] },
        { teams: [[{ playerId: 'ann', weight: 0 }], ['cem']], ranks: [1, 2] },
        { teams: [['ann'], ['ben']], void: true },
      ),
    );
    const ladder = file(
      'ladder.json',
      JSON.stringify({ name: 'l', initial: { mean: 25, deviation: 8 }, beta: 4 }),
    );
    const { stdout } = await muster('rate', '--matches', path, '--ladder', ladder, '--json');
    const { players, matches: counts } = JSON.parse(stdout);
    expect(counts).toMatchObject({ rated: 2, voided: 1 });
    expect(players.map(({ playerId }: { playerId: string }) => playerId)).toEqual(['ben', 'ann', 'cem']);
    expect(players[0].mean).toBeGreaterThan(25);
    expect(players[0].mean - 25).toBeCloseTo(25 - players[1].mean, 6);
  });

  it('chooses a ladder on the first matches and reports on the last', async () => {
    const path = file('fit.jsonl', log(100));
    const { status, stdout } = await muster('rate', '--matches', path, '--fit');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^fitted: (plackett-luce|bradley-terry|thurstone-mosteller), initial 1500 ± 350, beta /m,
    );
    expect(stdout).toContain('odds before each of the last 30 matches');
  });

  it.each([
    ['{"teams": [["a"], ["b"]]}', /:1: #: Expected one of ranks, scores and void/],
    ['{"teams": [["a"], ["b"]], "ranks": [1]}', /:1: #: Expected as many ranks or scores as teams/],
    [
      '{"teams": [["a"], ["a"]], "ranks": [1, 2]}',
      /:1: #: Expected each player of a match once, got "a" again/,
    ],
    ['{"teams": [["a"]], "ranks": [1]}', /:1: #\/teams: Expected/],
    ['{"teams": [["a"], ["b"]], "ranks": [1, "NaN"]}', /:1: #\/ranks\/1: Expected/],
    ['{"teams": [["a"], ["b"]], "ranks": [1, 2], "at": "today"}', /:1: #\/at: /],
    ['{"teams": [["a"], ["b"]], "ranks": [1, 2]}\n{', /:2: invalid JSON/],
    ['', /Expected at least one match, got none/],
  ])('rejects %s', async (text, expected) => {
    const { status, stderr } = await muster('rate', '--matches', file('bad.jsonl', text));
    expect(stderr).toMatch(expected);
    expect(status).toBe(2);
  });

  it('rejects a CSV file with other columns, or a team with two ranks', async () => {
    const other = await muster('rate', '--matches', file('other.csv', 'matchId,player\nm,a'));
    expect(other.stderr).toMatch(/:1: Expected the columns matchId, team, playerId, rank/);
    const mixed = await muster(
      'rate',
      '--matches',
      file('mixed.csv', 'matchId,team,playerId,rank\nm,x,a,1\nm,x,b,2\nm,y,c,2'),
    );
    expect(mixed.stderr).toMatch(/match m: Expected one rank for team x, got 1, 2/);
  });

  it.each([
    [
      'matchId,team,playerId,rank,rank\nm,x,a,1,2\nm,y,b,2,1',
      /:1: Expected each column once, got rank again/,
    ],
    ['matchId,team,playerId,rank\n,x,a,1\n,y,b,2', /#\/matchId: Expected at least 1 character/],
    [
      'matchId,team,playerId,rank,at\nm,x,a,1,2026-01-01T00:00:00Z\nm,y,b,2,2026-01-02T00:00:00Z',
      /match m: Expected one time, got 2026-01-01T00:00:00Z, 2026-01-02T00:00:00Z/,
    ],
    [
      'matchId,team,playerId,rank,at\nm,x,a,1,2026-01-01T00:00:00Z\nm,y,b,2,',
      /match m: Expected one time, got 2026-01-01T00:00:00Z, none/,
    ],
    [
      'matchId,team,playerId,rank,weight\nm,x,a,1,half\nm,y,b,2,',
      /#\/teams\/0\/0\/weight: Expected a number, got "half"/,
    ],
  ])('rejects rows with a fault, or that may be of several matches: %s', async (text, expected) => {
    const { status, stderr } = await muster('rate', '--matches', file('rows.csv', text));
    expect(stderr).toMatch(expected);
    expect(status).toBe(2);
  });

  it('prints no number that it does not know: of void matches, and the slope of odds that were always right', async () => {
    const nothing = await muster(
      'rate',
      '--matches',
      file('void.jsonl', '{"teams":[["a"],["b"]],"void":true}'),
    );
    expect(nothing.stdout).not.toContain('NaN');
    const won = '{"teams":[["a"],["b"]],"ranks":[1,2]}\n'.repeat(10);
    const { stdout } = await muster('rate', '--matches', file('won.jsonl', won), '--json');
    expect(JSON.parse(stdout).odds.calibrated).toMatchObject({ matches: 10, slope: null });
  });

  it('fits no ladder to matches that are all void, or too few', async () => {
    for (const text of [
      '{"teams":[["a"],["b"]],"ranks":[1,2]}',
      '{"teams":[["a"],["b"]],"void":true}\n'.repeat(9),
    ]) {
      const { status, stderr } = await muster('rate', '--matches', file('few.jsonl', text), '--fit');
      expect(stderr).toMatch(/Expected results among the first 70% and the last 30% of the matches/);
      expect(status).toBe(2);
    }
  });

  it('rejects a ladder that is not valid, with each field', async () => {
    const ladder = file('bad.json', JSON.stringify({ name: 'l', model: 'elo', beta: 0, rank: 1 }));
    const { status, stderr } = await muster(
      'rate',
      '--matches',
      file('log.jsonl', log()),
      '--ladder',
      ladder,
    );
    expect(status).toBe(2);
    for (const field of ['model', 'beta', 'rank']) expect(stderr).toContain(`#/${field}`);
  });
});
