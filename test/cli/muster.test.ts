import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { IS_LONG, sample } from '../long.ts';
import { definition } from '../service/definitions.ts';
import { file, muster, musterProcess } from './muster.ts';

const duelTickets = (count: number) =>
  file(
    `${count}-tickets.json`,
    Array.from({ length: count }, (_, i) => ({
      ticketId: `t${i}`,
      enqueuedAt: '2026-01-01T00:00:00Z',
      players: [{ playerId: `p${i}`, skill: i }],
    })),
  );

/** A link to itself. */
const loop = join(dirname(file('beside.json', {})), 'loop');
symlinkSync(loop, loop);
/** As editors of Windows write it. */
const withMark = (name: string, json: object) => file(name, `\uFEFF${JSON.stringify(json)}`);

describe.concurrent('muster', () => {
  it('is started by npx as a file of its own, and prints the version of the package', async () => {
    const { version, bin } = JSON.parse(readFileSync('package.json', 'utf8'));
    const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
    const started = promisify(execFile)(`./${bin.muster}`, ['--version'], { env: { ...process.env, PATH } });
    expect(await started).toEqual({ stdout: `${version}\n`, stderr: '' });
  });

  it('prints with --help the commands in the order a new user needs them, and the options of each', async () => {
    const { status, stdout, stderr } = await muster('--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const section = stdout.slice(stdout.indexOf('Commands:'));
    const commands = [...section.matchAll(/^ {2}(\w[\w-]*) /gm)].map(([, name]) => name!);
    expect(commands).toEqual([
      'demo',
      'serve',
      'console',
      'validate',
      'preflight',
      'match',
      'simulate',
      'tune',
      'rate',
      'cost',
      'reproduce',
      'import',
      'export',
      'ladder',
      'help',
    ]);
    const helpOf = async (command: string) => ({ command, ...(await muster(command, '--help')) });
    for (const help of await Promise.all(commands.filter((name) => name !== 'help').map(helpOf))) {
      expect({ status: help.status, stderr: help.stderr }).toEqual({ status: 0, stderr: '' });
      expect(help.stdout).toMatch(new RegExp(`^Usage: muster ${help.command}`));
      expect(help.stdout.replace(/\s+/g, ' '), 'defaults in one form').not.toMatch(/default(?!: )/);
      for (const option of help.stdout.split('\n  -'))
        expect(option.match(/default:/g) ?? [], 'one default each').toHaveLength(
          Number(option.includes('default:')),
        );
    }
  });

  it.each([
    [[], /Usage: muster/],
    [['dance'], /unknown command 'dance'/],
    [['srve'], /unknown command 'srve'\n\(Did you mean serve\?\)\nRun "muster --help"/],
    [['--loud'], /unknown option '--loud'/],
    [
      ['serve', '--prot', '1'],
      /unknown option '--prot'\n\(Did you mean --port\?\)\nRun "muster serve --help"/,
    ],
    [['serve', '--port', 'many'], /--port.*Expected a port from 0 to 65535, got many/],
    [['serve', '--port', '70000'], /--port.*70000/],
    [['serve', '--queues', '/nowhere'], /^--queues: Expected a folder, got \/nowhere\n$/],
    [['serve', '--ladders', '/nowhere'], /^--ladders: Expected a folder, got \/nowhere\n$/],
    [['serve', '--queues', 'package.json'], /^--queues: Expected a folder, got package\.json\n$/],
    [['serve', '--data', 'package.json'], /^--data: Expected a folder, got package\.json\n$/],
    [['serve', '--data', 'package.json/data'], /^The data directory package\.json\/data cannot be used: /],
    [['serve', '--queues', loop], /^--queues: Expected a folder, got .*loop\n$/],
    [['serve', '--secrets', withMark('secrets.json', { a: 1 })], /#\/a: Expected text, got 1\n$/],
    [
      [
        'serve',
        '--jwt-issuer',
        'https://a.example',
        '--jwt-audience',
        'a',
        '--jwt-keys',
        withMark('keys.json', {}),
      ],
      /Expected .*keys\.json to be a JSON Web Key Set, .*: JSON Web Key Set malformed\n$/,
    ],
    [['serve', '--secrets', '/nowhere.json'], /^cannot read \/nowhere\.json: no such file or directory\n$/],
    [
      ['simulate', '--queue', 'queues/duel.json', '--report', 'queues'],
      /^cannot write queues: it is a folder\n$/,
    ],
    [
      ['export', 'arrivals', '--queue', 'duel', '--out', loop],
      /^cannot write .*loop: too many symbolic links encountered\n$/,
    ],
    [
      ['export', 'arrivals', '--queue', 'duel', '--out', 'package.json/x'],
      /^cannot write package\.json\/x: not a directory\n$/,
    ],
    [
      ['export', 'arrivals', '--queue', 'duel', '--out', 'day.csv'],
      /^--out: Expected the name of a JSON file, such as arrivals\.json, got day\.csv\n$/,
    ],
    [['export', 'arrivals', '--queue', 'duel', '--out', '/proc/x'], /^cannot write \/proc\/x: no such file/],
    [['demo', '--rate', '0'], /--rate.*0/],
    [['cost'], /--dau <players>/],
    [['cost', '--dau', '0'], /--dau.*from 1 up, got 0/],
    [['cost', '--dau', '9', '--party', '0.5'], /--party.*from 1 up, got 0.5/],
    [
      ['cost', '--dau', '9', '--party', '3', '--queue', 'queues/duel.json'],
      /--party: .* up to 2, .* duel, got 3/,
    ],
    [
      ['import', 'flexmatch', 'a.json', '--try', 'b', '--out', 'c'],
      /'--try .*' cannot be used with .*'--out /,
    ],
    [['cost', '--dau', '9', '--party', '11'], /--party: .* up to 10, .* arena, got 11/],
    [['demo', '--seconds', '1e9'], /--seconds.*at most 2147483 seconds \(24 days\), got 1e9/],
    [
      ['simulate', '--queue', 'queues/duel.json', '--skills', 'norml:5:1'],
      /^--skills: Expected normal:MEAN:SD, uniform:MIN:MAX or a JSON file of numbers: cannot read norml:5:1: no such file or directory\n$/,
    ],
    [
      ['simulate', '--queue', 'queues/duel.json', '--skills', 'normal:1e308:1'],
      /^--skills: Expected a mean and a deviation from 0 to 1000000000, got normal:1e308:1\n$/,
    ],
    [
      ['simulate', '--queue', 'queues/duel.json', '--skills', file('high.json', [1, 1e10])],
      /high\.json: #\/1: Expected a number up to 1000000000, got 10000000000\n$/,
    ],
    [['demo', '--url', 'here'], /--url.*here/],
    [['demo', '--url', 'ftp://here'], /--url.*ftp:\/\/here/],
    [['validate'], /missing required argument 'file'/],
  ])('ends with status 2 and a reason for the wrong usage %j', async (args, told) => {
    const { status, stdout, stderr } = await muster(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(told);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('ends with status 1 and one line when its output cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['lib/cli/muster.ts', '--version'], {
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    let stderr = '';
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const [status] = await once(child, 'close');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'cannot write the output: ENOSPC: no space left on device, write\n',
    });
  });

  it('ends as a process with the status and the output of the command', async () => {
    for (const args of sample([['dance']], [['dance'], ['cost', '--help'], ['validate', 'queues/duel.json']]))
      expect(await musterProcess(...args)).toEqual(await muster(...args));
  });

  it('match ends without an error when the reader of its output stops reading', async () => {
    const args = ['match', '--queue', 'queues/duel.json', '--tickets', duelTickets(500)];
    const child = spawn(process.execPath, ['lib/cli/muster.ts', ...args]);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.stdout.destroy();
    const [status, signal] = await once(child, 'close');
    expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  });

  it('demo ends with status 1 and one line when no service responds', async () => {
    const { status, stdout, stderr } = await muster('demo', '--url', 'http://127.0.0.1:9');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^No service responds at http:\/\/127\.0\.0\.1:9 .*\n$/);
  });

  it.runIf(IS_LONG)(
    'serve ends with status 2 and names the file and field of an invalid queue definition',
    async () => {
      const broken = file('broken-queue/broken.json', { ...definition(), tickSeconds: 0 });
      const folder = broken.slice(0, broken.lastIndexOf('/'));
      const { status, stdout, stderr } = await muster('serve', '--port', '0', '--queues', folder);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^\S*broken\.json: #\/tickSeconds: .*\n$/);
    },
  );
});

describe.concurrent('muster validate', () => {
  it('accepts the sample queues', async () => {
    const { status, stdout, stderr } = await muster(
      'validate',
      'queues/arena.json',
      'queues/duel.json',
      'queues/raid.json',
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr.trim().split('\n')).toEqual([
      'queues/arena.json: valid (queue arena)',
      'queues/duel.json: valid (queue duel)',
      'queues/raid.json: valid (queue raid)',
    ]);
  });

  it('checks the ladders beside the queues, once each, and that the ladder of a queue is among them', async () => {
    const ranked = file('project/ladders/ranked.json', { name: 'ranked', beta: 200 });
    file('project/ladders/wrong.json', { name: 'wrong', beta: 0 });
    const queue = (name: string, ladder: string) =>
      file(`project/queues/${name}.json`, definition({ name, ladder }));
    const { status, stderr } = await muster(
      'validate',
      queue('arena', 'ranked'),
      queue('duel', 'casual'),
      ranked,
    );
    expect(status).toBe(2);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/ladders\/ranked\.json: valid \(ladder ranked\)$/),
      expect.stringMatching(/ladders\/wrong\.json: #\/beta: /),
      expect.stringMatching(/queues\/arena\.json: valid \(queue arena\)$/),
      expect.stringMatching(
        /queues\/duel\.json: #\/ladder: Expected the name of a ladder that has a file \(ranked\), got casual: add ladders\/casual\.json$/,
      ),
    ]);
  });

  it('refuses URLs that no service can call, and notes those that only the local one may', async () => {
    const withHook = (url: string) => definition({ webhooks: [{ url, secret: 'duel/hook' }] });
    const urls = ['https://192.168.0.7/hook', 'http://game.example/hook', 'http://127.0.0.1:8080/hook'];
    const paths = urls.map((url, i) => file(`urls/${i}.json`, withHook(url)));
    const { status, stderr } = await muster('validate', ...paths);
    expect(status).toBe(2);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/0\.json: #\/webhooks\/0\/url: expected a public address, got 192\.168\.0\.7$/),
      expect.stringMatching(/1\.json: #\/webhooks\/0\/url: expected https, got http$/),
      expect.stringMatching(
        /2\.json: #\/webhooks\/0\/url: a deployment may refuse this: expected https, got http; only the local service may call http:\/\/127\.0\.0\.1:8080\/hook$/,
      ),
      expect.stringMatching(/2\.json: valid/),
    ]);
  });

  it('notes what depends on the options of a deployment, and a placement that outlasts its tickets', async () => {
    const requeue = { type: 'external', onFailure: 'requeue' } as const;
    const paths = [
      { webhooks: [{ url: 'https://game.example/hook', secret: 'backend' }] },
      { provisioner: { type: 'gamelift', gameSessionQueue: 'arenas' } as const },
      { timeoutSeconds: 120, provisioner: requeue },
      { timeoutSeconds: 120, provisioner: { ...requeue, timeoutSeconds: 120 } },
      { timeoutSeconds: 120, provisioner: { ...requeue, timeoutSeconds: 119 } },
      { timeoutSeconds: 120, provisioner: { type: 'external' } as const },
    ].map((part, i) => file(`notes/${i}.json`, definition({ ...part, name: `n${i}` })));
    const { status, stderr } = await muster('validate', ...paths);
    expect(status).toBe(0);
    const notes = stderr.split('\n').filter((line) => line !== '' && !/: valid \(queue n\d\)$/.test(line));
    expect(notes).toEqual([
      expect.stringMatching(
        /0\.json: #\/webhooks\/0\/secret: a deployment may refuse this: Expected a secret .*secretGrants, got backend$/,
      ),
      expect.stringMatching(
        /1\.json: #\/provisioner\/gameSessionQueue: a deployment may refuse this: Expected a GameLift queue .*gameSessionQueues, or .*$/,
      ),
      expect.stringMatching(
        /2\.json: #\/provisioner\/timeoutSeconds: warning: .*\(120\), got 300 by default: a ticket /,
      ),
      expect.stringMatching(
        /3\.json: #\/provisioner\/timeoutSeconds: warning: .*\(120\), got 120: a ticket /,
      ),
    ]);
  });

  it('refuses queues whose players have to connect for a deployment without push', async () => {
    const path = file('presence/required.json', {
      ...definition(),
      presence: { graceSeconds: 15, required: true },
    });
    expect((await muster('validate', path)).status).toBe(0);
    const { status, stderr } = await muster('validate', '-c', 'push=false', path);
    expect(status).toBe(2);
    expect(stderr).toMatch(/required\.json: #\/presence\/required: .*switch the option push on/);
    for (const [option, message] of Object.entries({
      push: '-c: expected name=value',
      'push=no': 'Expected `push` to be true or false, got "no".',
      'psuh=false': 'got `psuh`',
    }))
      expect(await muster('validate', '-c', option, path)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(message),
      });
  });

  it('reports every fault of every file and ends with status 2', async () => {
    const { name: _, ...nameless } = definition({ timeoutSeconds: 0 });
    const files = ['nameless.json', 'fine.json', 'garbled.json'] as const;
    const contents = [{ ...nameless, colour: 'red' }, definition(), '{"name":'];
    const paths = files.map((name, i) => file(`validate/${name}`, contents[i]));
    const { status, stdout, stderr } = await muster('validate', ...paths, '/nowhere.json');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    const [nowhere, ...told] = stderr.trim().split('\n').reverse();
    expect(nowhere).toBe('cannot read /nowhere.json: no such file or directory');
    expect(told.reverse()).toEqual([
      expect.stringMatching(/nameless\.json: #\/name: /),
      expect.stringMatching(/nameless\.json: #\/timeoutSeconds: /),
      expect.stringMatching(/nameless\.json: #\/colour: /),
      expect.stringMatching(/fine\.json: valid \(queue duel/),
      expect.stringMatching(/garbled\.json:1:9: invalid JSON: value expected$/),
    ]);
  });
});
