import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { musterClient } from '../../lib/client/index.ts';
import { holdDataDir } from '../../lib/local/data-dir.ts';
import { muster } from '../cli/muster.ts';
import { definition } from '../definition.ts';
import { IS_LONG } from '../long.ts';
import { scratchDir, until } from './fixtures.ts';
import { descendants, isGone, isLinux } from './processes.ts';
import { AUDIENCE, ISSUER, testIssuer } from './tokens.ts';

const MUSTER = fileURLToPath(new URL('../../lib/cli/muster.ts', import.meta.url));
const DUEL = definition({ timeoutSeconds: 300 });

/** A folder with one queue definition. */
function queuesDir(definition: object = DUEL): string {
  const dir = scratchDir();
  writeFileSync(join(dir, 'duel.json'), JSON.stringify(definition));
  return dir;
}

/** Runs `muster serve`. The test's end kills every process that still runs. */
function serve(...args: string[]) {
  const child = spawn(process.execPath, [MUSTER, 'serve', ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  const exited = once(child, 'close').then(([status]) => ({ status: status as number | null, ...output }));
  return { child, output, exited };
}

async function readyUrl({ output }: ReturnType<typeof serve>): Promise<string> {
  await until(() => output.stdout.includes('\n') || output.stderr !== '');
  return /^Muster is ready at (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(output.stdout)![1]!;
}

describe('muster serve', () => {
  test.skipIf(!isLinux)(
    'takes the options of a deployment, sends webhooks signed with its secrets, and stops all at Ctrl-C',
    async () => {
      const posted = Promise.withResolvers<IncomingMessage>();
      const receiver = createHttpServer((request, response) => {
        posted.resolve(request);
        response.end();
      });
      receiver.listen(0, '127.0.0.1');
      await once(receiver, 'listening');
      onTestFinished(() => void receiver.close());
      const dir = scratchDir();
      const secretsFile = join(dir, 'secrets.json');
      writeFileSync(secretsFile, JSON.stringify({ 'shared/s': 'whsec_c2VjcmV0' }));
      const webhook = {
        url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
        secret: 'shared/s',
      };
      const queues = queuesDir({ ...DUEL, webhooks: [{ ...webhook, events: ['TicketCancelled'] }] });
      const stored = ['--data', join(dir, 'data'), '--secrets', secretsFile];
      const served = serve('--port', '0', '--queues', queues, ...stored, '-c', 'push=false');
      const url = await readyUrl(served);
      const muster = musterClient({ url });
      const ticket = await muster.post('duel', { ticketId: 't', players: [{ playerId: 'p', skill: 1 }] });
      expect(ticket.watch).toBeUndefined();
      await muster.cancel('t');
      expect((await posted.promise).headers).toHaveProperty('webhook-signature');

      const started = descendants(served.child);
      expect(started.length).toBeGreaterThan(0);
      served.child.kill('SIGINT');
      const { stderr, ...ended } = await served.exited;
      // One line to a pipe.
      expect(ended).toEqual({ status: 0, stdout: `Muster is ready at ${url}\n` });
      expect(stderr).toMatch(/^The console is at http:\/\/127\.0\.0\.1:\d+\n$/);
      await until(() => started.every(isGone));
    },
  );

  test.skipIf(!isLinux || !IS_LONG)('ends when the npm process that started it ends', async () => {
    const args = [MUSTER, 'serve', '--port', '0', '--queues', queuesDir()].join(' ');
    const env = { ...process.env, npm_command: 'exec' };
    // The second command keeps the shell from replacing itself with the service.
    const shell = spawn('/bin/sh', ['-c', `"${process.execPath}" ${args}; exit $?`], { env });
    let stdout = '';
    shell.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    await until(() => stdout.includes('ready'));
    const started = descendants(shell);
    shell.kill('SIGTERM');
    await until(() => started.every(isGone));
  });

  test.runIf(IS_LONG)(
    'requires tokens when an issuer is given, and continues with the contents of its data directory',
    async () => {
      const issuer = await testIssuer();
      const keys = join(scratchDir(), 'keys.json');
      writeFileSync(keys, JSON.stringify(issuer.keys));
      const tokens = ['--jwt-issuer', ISSUER, '--jwt-audience', AUDIENCE, '--jwt-keys', keys];
      const args = ['--port', '0', '--queues', queuesDir(), '--data', scratchDir(), ...tokens];
      const first = serve(...args);
      const url = await readyUrl(first);
      const callerOf = (at: string, scope?: string) => {
        const token = () => issuer.token({ scope: scope! });
        return musterClient({ url: at, ...(scope && { credentials: { token } }) });
      };
      await expect(callerOf(url).queues.list()).rejects.toMatchObject({ status: 401 });
      await expect(callerOf(url, 'muster/backend').queues.list()).rejects.toMatchObject({ status: 403 });
      const queues = await callerOf(url, 'muster/admin').queues.list();
      expect(queues.map(({ name }) => name)).toEqual(['duel']);
      const ticket = { ticketId: 'alone', players: [{ playerId: 'p1', skill: 10 }] };
      await callerOf(url, 'muster/backend').post('duel', ticket);
      first.child.kill('SIGTERM');
      expect((await first.exited).status).toBe(0);

      const second = serve(...args);
      const found = await callerOf(await readyUrl(second), 'muster/backend').get('alone');
      expect(found).toMatchObject({ ...ticket, queue: 'duel', status: 'QUEUED' });
      second.child.kill('SIGTERM');
      await second.exited;
    },
  );

  test('reports in one line that the port is in use, before it looks at definitions', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const dir = queuesDir({ ...DUEL, teamSize: 0 });
    expect(await muster('serve', '--port', String(port), '--queues', dir)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `Port ${port} is in use: choose another with --port.\n`,
    });
  });

  test('reports in one line that the data directory is in use, before it looks at definitions', async () => {
    const data = scratchDir();
    const held = holdDataDir(data);
    onTestFinished(() => held.stop());
    const dir = queuesDir({ ...DUEL, teamSize: 0 });
    expect(await muster('serve', '--port', '0', '--data', data, '--queues', dir)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `Another service uses the data directory ${data}: stop that service, or choose another directory.\n`,
    });
  });

  test.each([
    [['--port', '0', '-c', 'psuh=false'], /got `psuh`/],
    [
      ['--jwt-issuer', 'https://issuer.example'],
      /^expected --jwt-issuer and --jwt-audience together, got no --jwt-audience\n$/,
    ],
    [['--jwt-keys', 'keys.json'], /got no --jwt-issuer\n$/],
    [
      ['--jwt-issuer', 'http://x', '--jwt-audience', 'game'],
      /^--jwt-issuer: expected an https URL, got "http:\/\/x"\n$/,
    ],
    [['--jwt-issuer', 'https://x.example', '--jwt-audience', 'game', '--jwt-keys', MUSTER], /muster\.ts/],
  ])('rejects %j as wrong usage', async (args, message) => {
    const { status, stdout, stderr } = await muster('serve', ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
