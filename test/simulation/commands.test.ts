import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { trafficOf } from '../../lib/cli/traffic-options.ts';
import { TuneThreads } from '../../lib/cli/tune-threads.ts';
import { checkQueueDefinition } from '../../lib/contract/queue-definition.ts';
import { muster } from '../cli/muster.ts';
import { eventually } from '../patience.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-simulate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const duel = {
  name: 'duel',
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'option-value', waitCost: 2 },
  tickSeconds: 1,
  timeoutSeconds: 120,
};

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const queue = file('duel.json', duel);
/** Its simulation has a fifth of the ticks. */
const slow = file('slow.json', { ...duel, tickSeconds: 5 });
const ticket = (ticketId: string, second: number, skill = 1000) => ({
  ticketId,
  enqueuedAt: new Date(1000 * second).toISOString(),
  players: [{ playerId: `player-${ticketId}`, skill }],
});

describe('muster simulate', () => {
  it('plays several queues of a group with --also, beside the same traffic without linked tickets', async () => {
    const first = file('casual-duel.json', { ...duel, group: 'casual', tickSeconds: 5 });
    const second = file('casual-pairs.json', {
      ...duel,
      name: 'pairs',
      group: 'casual',
      tickSeconds: 5,
      teamSize: 2,
    });
    const run = (...options: string[]) =>
      muster('simulate', '--queue', first, '--also', second, '--players', '400', ...options);
    const { status, stdout, stderr } = await run('--share', '0.5', '--posts', 'duel=3,pairs=1');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^duel: .*still wait at the end of a run/m);
    const { together, alone, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({ group: 'casual', share: 0.5, seed: 1, interrupted: false });
    expect(together.queues.map(({ queue }: { queue: string }) => queue)).toEqual(['duel', 'pairs']);
    expect(together.linked.players).toBeGreaterThan(150);
    expect(alone.linked.players).toBe(together.linked.players);
    expect(alone.queues[0].players + alone.queues[1].players).toBe(400);
    expect(together.queues[0].players + together.queues[1].players).toBe(400 + together.linked.players);
    expect(together.queues[0].outcome.elsewhere).toBeGreaterThan(0);
    expect(alone.queues[0].outcome).not.toHaveProperty('elsewhere');
  });

  it('refuses queues of --also that no ticket can wait in together, and options without it', async () => {
    const first = file('casual-duel.json', { ...duel, group: 'casual' });
    const other = file('ranked.json', { ...duel, name: 'ranked', group: 'ranked' });
    const refused = async (options: readonly string[], message: string) => {
      const { status, stderr } = await muster('simulate', ...options);
      expect(status).toBe(2);
      expect(stderr).toContain(message);
    };
    await refused(['--queue', queue, '--also', other], 'got duel without a group');
    await refused(
      ['--queue', first, '--also', other],
      'Expected queues of the group casual, got ranked with group ranked',
    );
    await refused(['--queue', first, '--also', queue], 'got duel with group none');
    await refused(['--queue', first, '--also', first], 'Expected each queue once, got duel again');
    await refused(
      ['--queue', first, '--also', 'missing.json'],
      'cannot read missing.json: no such file or directory',
    );
    await refused(
      ['--queue', first, '--also', other, '--share', '2'],
      'Expected a number from 0 to 1, got 2',
    );
    await refused(
      ['--queue', first, '--also', other, '--report', 'x.html'],
      "option '--also <file...>' cannot be used with option '--report <file>'",
    );
    await refused(['--queue', first, '--share', '0.5'], '--share: Expected --also with it');
    await refused(
      ['--queue', first, '--also', other, '--newcomers', '0.5'],
      '--newcomers: Expected --ladder with it',
    );
    const casual = file('casual-pairs.json', { ...duel, name: 'pairs', group: 'casual' });
    await refused(
      ['--queue', first, '--also', casual, '--posts', 'ranked=1'],
      '--posts: Expected names of the queues (duel, pairs), got ranked',
    );
  });

  it('prints only JSON, identical for the same seed', async () => {
    const args = ['simulate', '--queue', slow, '--players', '300', '--seed', '5', '--json'];
    const first = await muster(...args);
    expect(first.status).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({
      queue: 'duel',
      policy: 'option-value',
      players: 300,
      interrupted: false,
    });
    expect((await muster(...args)).stdout).toBe(first.stdout);
  });

  it('rates players with true skills, beside tickets that bring these', async () => {
    const ladder = file('ladder.json', { name: 'ranked' });
    const rated = (...more: string[]) =>
      muster('simulate', '--queue', queue, '--ladder', ladder, '--players', '400', ...more);
    const { stdout, status } = await rated('--community', '60', '--placement', '3');
    expect(status).toBe(0);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ queue: 'duel', community: 60, newcomers: 0.02, placement: 3 });
    expect(Object.keys(result.runs)).toEqual(['rated', 'placement', 'trueSkills']);
    expect(result.runs.rated.settling[0]).toMatchObject({ from: 0, to: 1, count: 30 });
    expect((await rated('--experiment', ladder)).stderr).toContain(
      "option '--ladder <file>' cannot be used with option '--experiment <file>'",
    );
    expect((await muster('simulate', '--queue', queue, '--placement', '3')).stderr).toContain(
      '--placement: Expected --ladder with it',
    );
  });

  it('plays an experiment, beside each variant alone and a split of the players', async () => {
    const experiment = file('experiment.json', {
      name: 'at-once',
      variants: [
        { name: 'today', changes: {} },
        { name: 'at-once', changes: { release: { policy: 'greedy' } } },
      ],
      blockMinutes: 10,
      days: 0.125,
    });
    const { stdout, status } = await muster(
      'simulate',
      '--queue',
      file('slower.json', { ...duel, tickSeconds: 15 }),
      '--rate',
      '0.2',
      '--experiment',
      experiment,
    );
    expect(status).toBe(0);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ queue: 'duel', experiment: 'at-once', rounds: 9, burnInMinutes: 2 });
    const { waitSeconds, imbalance } = result.variants[0].measures;
    expect(waitSeconds).toMatchObject({ rounds: 9, verdict: 'real' });
    expect(waitSeconds.high).toBeLessThan(0);
    expect(waitSeconds.alone).toBeLessThan(0);
    expect(waitSeconds.splitPlayers).toBeLessThan(0);
    expect(imbalance.low).toBeGreaterThan(0);
  });

  it('refuses an experiment that it cannot play, with the place', async () => {
    const experiment = file('same.json', {
      name: 'same',
      variants: [
        { name: 'a', changes: {} },
        { name: 'b', changes: { tickSeconds: 2 } },
      ],
      blockMinutes: 10,
      days: 1,
    });
    const { status, stderr } = await muster('simulate', '--queue', queue, '--experiment', experiment);
    expect(status).toBe(2);
    expect(stderr).toContain('#/variants/1/changes/tickSeconds');
    const several = await muster('simulate', '--queue', queue, queue, '--experiment', experiment);
    expect(several.status).toBe(2);
    expect(several.stderr).toContain('--experiment: Expected one queue definition, got several');
  });

  it('plays a tickets file to the end, writes its matches and a report', async () => {
    const arrivals = file('tickets.json', [ticket('a', 0), ticket('b', 1), ticket('c', 2, 5000)]);
    const matches = join(folder, 'matches.jsonl');
    const report = join(folder, 'report.html');
    const { status, stdout } = await muster(
      'simulate',
      '--queue',
      queue,
      '--arrivals',
      arrivals,
      '--matches',
      matches,
      '--report',
      report,
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout).outcome).toEqual({ matched: 2, cancelled: 0, timedOut: 1, waiting: 0 });
    const lines = readFileSync(matches, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(1);
    expect(lines[0].releasedAt).toMatch(/^1970-01-01T00:00:0/);
    expect(
      lines[0].teams.map((team: { players: { ticketId: string }[] }) => team.players[0].ticketId).sort(),
    ).toEqual(['a', 'b']);
    expect(readFileSync(report, 'utf8')).toMatch(/^<!doctype html>/);
  });

  it('describes the arrivals in words', async () => {
    const options = { seed: '3', parties: '1=1', patience: '60', day: '0.2:5' };
    expect(trafficOf(options, checkQueueDefinition(duel, 'duel'), { players: 100 }).text).toBe(
      '100 players, 0.2 per second at night, 5 at the peak, skills normal:1500:350, parties 1=1, mean patience in seconds 60, seed 3.',
    );
  });

  it('plays several definitions on the same arrivals', async () => {
    const greedy = file('greedy.json', { ...duel, tickSeconds: 5, release: { policy: 'greedy' } });
    const { stdout } = await muster('simulate', '--queue', slow, greedy, '--players', '200');
    const { runs } = JSON.parse(stdout);
    expect(runs.map(({ policy }: { policy: string }) => policy)).toEqual(['option-value', 'greedy']);
    expect(runs[1].imbalance.mean).toBeGreaterThan(runs[0].imbalance.mean);
  });

  it('follows matches after their release, and plays the queue without its backfills to compare', async () => {
    const asking = file('asking.json', { ...duel, tickSeconds: 5, backfill: { priority: 'high' } });
    const args = ['--players', '250', '--leavers', '0.3', '--match-length', '60', '--json'];
    const { stdout, status } = await muster('simulate', '--queue', asking, slow, ...args);
    expect(status).toBe(0);
    const [first, second] = JSON.parse(stdout).runs;
    expect(first.backfill.filledSeats).toBeGreaterThan(10);
    expect(first.withoutBackfill.waitSeconds).toEqual(second.waitSeconds);
    expect(first.withoutBackfill.emptyShare).toBe(second.backfill.emptyShare);
    expect([second.backfill.filledSeats, second.withoutBackfill]).toEqual([0, undefined]);
  });

  it('exits with status 2 and one line that names the place when the input is invalid', async () => {
    const wrong = file('wrong.json', { ...duel, release: { policy: 'option-value', waitCost: -1 } });
    const { status, stdout, stderr } = await muster('simulate', '--queue', wrong);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr.trim()).toMatch(/^[^\n]*wrong\.json[^\n]*release\/waitCost[^\n]*$/);
  });

  it.each([
    [{ rate: '0' }, /--rate/],
    [{ rate: '1', day: '1:2' }, /--rate and --day/],
    [{ ramp: '1:2' }, /--ramp/],
    [{ step: '1:0:60' }, /--step/],
    [{ day: '0:1e8' }, /--day: Expected rates up to a million/],
    [{ ramp: '0:1e9:60' }, /--ramp: Expected rates from 0 to a million/],
    [{ day: ' :5' }, /--day: Expected night:peak with numbers/],
    [{ step: '0:5:1e300' }, /--step: .* of a year at most/],
    [{ parties: '2=1' }, /--parties/],
    [{ parties: '1=0' }, /--parties/],
    [{ parties: '1=1,__proto__=1' }, /--parties: .* got __proto__/],
    [{ regions: 'eu= ,us=1' }, /--regions: .* got eu= $/],
    [{ regions: 'eu=1, eu=1' }, /--regions: Expected eu once/],
    [{ roleWeights: 'tank=1' }, /--role-weights/],
    [{ skills: 'normal:x:1' }, /--skills/],
    [{ skills: file('skills.json', [1, -2]) }, /skills\.json is not valid: #\/1/],
    [{ players: '1.5' }, /--players/],
    [{ patience: '-1' }, /--patience/],
    [{ leavers: '1' }, /--leavers: .* below 1/],
    [{ leavers: '0.1', matchLength: '0' }, /--match-length/],
    [{ arrivals: join(folder, 'missing.json') }, /missing\.json/],
    [{ arrivals: queue, rate: '1' }, /--arrivals or --rate/],
    [{ arrivals: file('late.json', [ticket('a', 1), ticket('b', 0)]) }, /late\.json: #\/1\/enqueuedAt/],
    [{ arrivals: file('nobody.json', []) }, /nobody\.json: Expected at least one ticket/],
    [{ skills: file('infinite.json', '[1, 1e999]') }, /infinite\.json is not valid: #\/1/],
    [{ arrivals: file('twice.json', [ticket('a', 0), ticket('a', 1)]) }, /twice\.json/],
  ])('rejects %j', (options, message) => {
    expect(() =>
      trafficOf({ seed: '1', ...options }, checkQueueDefinition(duel, 'duel'), { players: 100 }),
    ).toThrow(message);
  });

  it('checks that its report can be written before it plays', async () => {
    const report = join(folder, 'missing', 'report.html');
    const { status, stderr } = await muster(
      'simulate',
      '--queue',
      queue,
      '--players',
      '50000000',
      '--report',
      report,
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(/^[^\n]*report\.html: no such file or directory\n$/);
  });

  it('writes no result over a file that it reads, nor over another result', async () => {
    const link = join(folder, 'link.json');
    symlinkSync(queue, link);
    const skills = file('sample.json', [1, 2]);
    const arrivals = file('day.json', [ticket('a', 0), ticket('b', 1)]);
    const both = join(folder, 'both');
    const refused = async (command: string, options: readonly string[], why: string) => {
      const { status, stderr } = await muster(command, '--queue', queue, ...options);
      expect([status, stderr]).toEqual([2, expect.stringMatching(`^cannot write [^\n]*: ${why}\n$`)]);
    };
    await refused('simulate', ['--matches', link], 'the command reads it');
    await refused('simulate', ['--arrivals', arrivals, '--report', arrivals], 'the command reads it');
    await refused('simulate', ['--skills', skills, '--matches', skills], 'the command reads it');
    await refused('simulate', ['--report', both, '--matches', `${folder}/./both`], 'two options name it');
    await refused('tune', ['--report', queue], 'the command reads it');
    const target = ['--max-wait-mean', '15'];
    await refused('tune', [...target, '--report', both, '--out', both], 'two options name it');
    await refused('tune', [...target, '--skills', skills, '--out', skills], 'the command reads it');
    expect(JSON.parse(readFileSync(queue, 'utf8'))).toEqual(duel);
    expect(existsSync(both)).toBe(false);
  });

  it('writes the results so far when it is interrupted', async () => {
    const child = spawn(process.execPath, [
      'lib/cli/muster.ts',
      'simulate',
      '--queue',
      queue,
      '--players',
      '50000000',
      '--matches',
      join(folder, 'cut.jsonl'),
      '--json',
    ]);
    let stdout = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    const isRunning = () => {
      try {
        return readFileSync(join(folder, 'cut.jsonl'), 'utf8').length > 0;
      } catch {
        return false;
      }
    };
    await eventually(() => expect(isRunning()).toBe(true));
    child.kill('SIGINT');
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect(status).toBe(130);
    const result = JSON.parse(stdout);
    expect(result.interrupted).toBe(true);
    expect(result.matches).toBeGreaterThan(0);
  });
});

describe('muster tune', () => {
  /** Runs it with one thread: each loads the modules, which takes longer than most runs. */
  const tune = (...args: string[]) => muster('tune', '--workers', '1', ...args);

  it('shows the front of a queue in percentiles, in its scale, and writes the definition that the targets pick', async () => {
    const percentile = file('percentile.json', { ...duel, tickSeconds: 5, skillScale: 'percentile' });
    // In place, which is the one result that may replace an input.
    const out = percentile;
    const report = join(folder, 'tune.html');
    const args = ['--players', '1000', '--rate', '20', '--policies', 'option-value,greedy', '--workers', '2'];
    const files = ['--out', out, '--report', report];
    const { status, stdout } = await muster(
      'tune',
      '--queue',
      percentile,
      ...args,
      '--max-wait-mean',
      '15',
      ...files,
    );
    expect(status).toBe(0);
    const { points, chosen } = JSON.parse(stdout);
    const front = points.filter(({ onFront }: { onFront: boolean }) => onFront);
    for (let at = 1; at < front.length; at++) {
      expect(front[at].waitMean).toBeGreaterThan(front[at - 1].waitMean);
      expect(front[at].imbalanceMean).toBeLessThan(front[at - 1].imbalanceMean);
    }
    const costs = points.map(({ release }: { release: { waitCost?: number } }) => release.waitCost ?? 0);
    // The policy is refined between its settings, and the greatest of these is for the standard deviation.
    expect(Math.max(...costs)).toBeCloseTo(0.2 * (100 / 3), 1);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(chosen);
    expect(chosen).toMatchObject({ name: 'duel', release: { policy: 'option-value' } });
    expect(readFileSync(report, 'utf8')).toMatch(/<svg/);
  });

  it('writes nothing, reports the nearest setting and exits with status 1 when no setting tried meets the targets', async () => {
    const out = join(folder, 'none.json');
    const report = join(folder, 'none.html');
    const args = ['--players', '1300', '--rate', '2', '--policies', 'greedy'];
    const targets = ['--max-imbalance-mean', '1', '--max-wait-mean', '60'];
    const { status, stdout, stderr } = await tune(
      '--queue',
      slow,
      ...args,
      ...targets,
      '--out',
      out,
      '--report',
      report,
    );
    expect([status, stdout]).toEqual([1, '']);
    expect([out, report].filter((path) => existsSync(path))).toEqual([]);
    expect(stderr).toMatch(
      /^No setting tried meets the targets\. Nearest: greedy with mean imbalance \d+, target 1 \(--max-imbalance-mean\)\. Relax .* Nothing is written\.\n$/,
    );
  });

  it('does not choose a setting whose run ends before it makes enough matches', async () => {
    const arena = file('pairs.json', { ...duel, name: 'pairs', teamSize: 2, timeoutSeconds: 180 });
    // 50 seconds: no period of a minute or longer ends in them.
    const args = ['--rate', '20', '--players', '1000', '--policies', 'periodic', '--max-wait-p99', '30'];
    const { status, stdout, stderr } = await tune('--queue', arena, ...args);
    expect(status).toBe(0);
    const { points, unmeasured, chosen } = JSON.parse(stdout);
    const secondsOf = (tried: { release: { everySeconds: number } }[]) =>
      tried.map(({ release }) => release.everySeconds).sort((a, b) => a - b);
    expect(secondsOf(points)).toEqual([2, 5, 10, 20, 30, 45]);
    expect(secondsOf(unmeasured)).toEqual([60, 90]);
    expect(unmeasured[0].matches).toBe(0);
    expect(chosen.release.everySeconds).toBeLessThanOrEqual(30);
    expect(stderr).toMatch(/The run lasts \d+(\.\d)? s, less than five time-outs \(15 min\)/);
    expect(stderr).toMatch(/fewer than 100 matches: periodic \{"everySeconds":60\}: 0/);
  });

  it('plays five time-outs when that takes more players than the default', async () => {
    const length = { players: 10_000, seconds: 5 * 180 };
    const playersAt = (rate: string, players?: string) =>
      trafficOf({ seed: '1', rate, ...(players && { players }) }, checkQueueDefinition(duel, 'duel'), length)
        .players;
    expect(playersAt('200')).toBe(180_000);
    expect(playersAt('5')).toBe(10_000);
    expect(playersAt('200', '2000')).toBe(2000);
  });

  it('rejects fewer players than the 99 % of waits needs', async () => {
    const { status, stderr } = await tune('--queue', queue, '--players', '999');
    expect([status, stderr]).toEqual([
      2,
      '--players: Expected at least 1000 players to measure the 99 % of waits, got 999\n',
    ]);
  });

  it('keeps the settings tried so far when it is interrupted', async () => {
    const controller = new AbortController();
    const traffic = { seed: '1', players: '50' };
    const task = { definition: checkQueueDefinition(duel, 'duel'), traffic, length: { players: 50 } };
    const tasks = [1, 2, 4].map((waitCost) => ({
      ...task,
      setting: { release: { policy: 'option-value' as const, waitCost } },
    }));
    const threads = new TuneThreads(1, controller.signal);
    const points = await threads.tryAll(tasks, () => controller.abort());
    await threads.end();
    expect(points.map(({ release }) => release)).toEqual([{ policy: 'option-value', waitCost: 1 }]);
  });

  it('moves the steps of rules with --steps, and refuses it without rules that relax', async () => {
    const queue = file('relaxing.json', {
      ...duel,
      tickSeconds: 10,
      rules: [{ name: 'Near', type: 'latency', max: 60, relax: [{ waitSeconds: 40, max: 200 }] }],
    });
    const args = ['--players', '1000', '--rate', '1', '--policies', 'greedy', '--regions', 'eu=70,us=30'];
    const targets = ['--max-imbalance-p90', '2000'];
    const { status, stdout } = await tune('--queue', queue, ...args, ...targets, '--steps');
    expect(status).toBe(0);
    const { points, chosen } = JSON.parse(stdout);
    const factorOf = ({ steps }: { steps?: { Near: number } }) => steps?.Near ?? 1;
    expect(points.map(factorOf).sort((a: number, b: number) => a - b)).toEqual([0.25, 0.5, 0.75, 1, 1.5, 2]);
    // The target is the imbalance, so the least mean wait is chosen: a rule that relaxes sooner excludes less.
    const least = points.find(({ isChosen }: { isChosen: boolean }) => isChosen);
    expect(factorOf(least)).toBeLessThan(1);
    expect(chosen.rules[0].relax).toEqual([{ waitSeconds: 40 * factorOf(least), max: 200 }]);
    const without = await tune('--queue', file('plain.json', duel), '--steps');
    expect([without.status, without.stderr]).toEqual([
      2,
      expect.stringMatching(/^--steps: Expected a queue with rules that relax, got none in .*plain\.json/),
    ]);
  });
});
