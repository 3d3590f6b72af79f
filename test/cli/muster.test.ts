import { describe, expect, it } from 'vitest';
import { definition } from '../service/definitions.ts';
import { file, muster } from './muster.ts';

describe.concurrent('muster', () => {
  it('tells every command by --help, and each command its options', async () => {
    const { status, stdout, stderr } = await muster('--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const section = stdout.slice(stdout.indexOf('Commands:'));
    const commands = [...section.matchAll(/^ {2}(\w[\w-]*) /gm)].map(([, name]) => name!);
    expect(commands).toEqual(expect.arrayContaining(['serve', 'match', 'validate', 'demo']));
    for (const command of commands.filter((name) => name !== 'help')) {
      const help = await muster(command, '--help');
      expect({ status: help.status, stderr: help.stderr }).toEqual({ status: 0, stderr: '' });
      expect(help.stdout).toMatch(new RegExp(`^Usage: muster ${command}`));
    }
  });

  it.each([
    [[], /Usage: muster/],
    [['dance'], /unknown command 'dance'/],
    [['--loud'], /unknown option '--loud'/],
    [['serve', '--port', 'many'], /--port.*0 to 65535.*many/],
    [['serve', '--port', '70000'], /--port.*70000/],
    [['serve', '--queues', '/nowhere'], /--queues.*\/nowhere/],
    [['serve', '--secrets', '/nowhere.json'], /\/nowhere\.json/],
    [['demo', '--rate', '0'], /--rate.*0/],
    [['demo', '--url', 'here'], /--url.*here/],
    [['validate'], /missing required argument 'file'/],
  ])('wrong usage ends with status 2 and says what is wrong: %j', async (args, told) => {
    const { status, stdout, stderr } = await muster(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(told);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('demo against nothing ends with status 1 and one line', async () => {
    const { status, stdout, stderr } = await muster('demo', '--url', 'http://127.0.0.1:9');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^No service answers at http:\/\/127\.0\.0\.1:9 .*\n$/);
  });

  it('a queue folder with a broken definition does not start: status 2, the file and field named', async () => {
    const broken = file('broken.json', { ...definition(), tickSeconds: 0 });
    const folder = broken.slice(0, broken.lastIndexOf('/'));
    const { status, stdout, stderr } = await muster('serve', '--port', '0', '--queues', folder);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^\S*broken\.json: #\/tickSeconds: .*\n$/);
  });
});

describe.concurrent('muster validate', () => {
  it('passes the sample queues', async () => {
    const { status, stdout, stderr } = await muster(
      'validate',
      'queues/arena.json',
      'queues/duel.json',
      'queues/raid.json',
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(3);
  });

  it('names every fault of every file, and ends with status 2', async () => {
    const { name: _, ...nameless } = definition({ timeoutSeconds: 0 });
    const files = ['nameless.json', 'fine.json', 'garbled.json'] as const;
    const contents = [{ ...nameless, colour: 'red' }, definition(), '{"name":'];
    const paths = files.map((name, i) => file(`v/${name}`.replace('/', '-'), contents[i]));
    const { status, stdout, stderr } = await muster('validate', ...paths, '/nowhere.json');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    const [nowhere, ...told] = stderr.trim().split('\n').reverse();
    expect(nowhere).toMatch(/\/nowhere\.json: .*ENOENT/);
    expect(told.reverse()).toEqual([
      expect.stringMatching(/nameless\.json: #\/name: /),
      expect.stringMatching(/nameless\.json: #\/timeoutSeconds: /),
      expect.stringMatching(/nameless\.json: #\/colour: /),
      expect.stringMatching(/fine\.json: fine \(queue duel/),
      expect.stringMatching(/garbled\.json: #: Expected JSON/),
    ]);
  });
});
