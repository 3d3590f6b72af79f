/**
 * Plays the example backends of other languages: each gets 60 players, every webhook twice, some of them late, and one that is forged.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMuster } from '../../lib/local/start-muster.ts';

const PLAYERS = 60;
const LATE_MS = 3_000;
/** The limit of a backend that hangs. */
const PATIENCE_MS = 600_000;
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const EXAMPLES = join(import.meta.dirname, '../../examples/backends');

/** @throws when a player does not come to the end of its match, or a forged webhook is taken */
export async function playBackend(language: string, command: string, args: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-backend-'));
  const tickets: string[] = [];
  const matches = new Set<string>();
  let backend: ChildProcess | undefined;
  let backendUrl = '';
  const webhooks = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const { type, data } = JSON.parse(body);
    if (type === 'MatchEnded') matches.add(data.match.matchId);
    const post = () => forward(`${backendUrl}/webhooks`, request, body);
    response.writeHead(await post().catch(() => 502)).end();
    if (Number(request.headers['webhook-timestamp']) % 4 === 0) await sleep(LATE_MS);
    await post().catch(() => {});
  });
  webhooks.listen(0, '127.0.0.1');
  await once(webhooks, 'listening');
  const definition = JSON.parse(readFileSync(join(EXAMPLES, 'queues/duel.json'), 'utf8'));
  const [hook] = definition.webhooks;
  hook.url = `http://127.0.0.1:${(webhooks.address() as AddressInfo).port}`;
  // A busy machine is neither a player who does not answer nor a server that does not start.
  definition.acceptance.timeoutSeconds = 900;
  definition.provisioner.timeoutSeconds = 3_600;
  writeFileSync(join(folder, 'duel.json'), JSON.stringify(definition));
  const cloud = await startMuster({
    port: 0,
    queuesDir: folder,
    laddersDir: join(EXAMPLES, 'ladders'),
  });
  try {
    cloud.secrets.set(hook.secret, SECRET);
    backend = spawn(command, args, {
      cwd: join(EXAMPLES, language),
      env: { ...process.env, MUSTER_URL: cloud.url, MUSTER_SECRET: SECRET, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const [ready] = await once(createInterface({ input: backend.stdout! }), 'line');
    backendUrl = `http://127.0.0.1:${String(ready).split(' ').at(-1)}`;
    for (let at = 0; at < PLAYERS; at++) {
      const body = JSON.stringify({ playerId: `player-${at}` });
      const response = await fetch(`${backendUrl}/play`, { method: 'POST', body });
      tickets.push(((await response.json()) as { ticketId: string }).ticketId);
    }
    const forged = await fetch(`${backendUrl}/webhooks`, { method: 'POST', body: '{}' });
    if (forged.status !== 401) throw new Error(`Expected 401 for a forged webhook, got ${forged.status}`);
    const endMs = Date.now() + PATIENCE_MS;
    while (matches.size < PLAYERS / 2) {
      if (Date.now() > endMs) throw new Error(`Expected ${PLAYERS / 2} matches to end, got ${matches.size}`);
      await sleep(100);
    }
    await checkMatches(cloud.url, tickets);
    console.log(`${language}: ${PLAYERS} players in ${matches.size} matches`);
  } finally {
    if (backend?.pid !== undefined) process.kill(-backend.pid);
    await cloud.stop();
    webhooks.closeAllConnections();
    webhooks.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws when a ticket has no match with a server and a result */
async function checkMatches(url: string, tickets: readonly string[]): Promise<void> {
  for (const ticketId of tickets) {
    const { matchId } = (await (await fetch(`${url}/tickets/${ticketId}`)).json()) as { matchId: string };
    const match = (await (await fetch(`${url}/matches/${matchId}`)).json()) as Record<string, unknown>;
    if (match.assignment === undefined || match.result === undefined)
      throw new Error(
        `Expected ticket ${ticketId} to have a server and a result, got ${JSON.stringify(match)}`,
      );
  }
}

/** Sends a webhook on as it came. Returns the status. */
async function forward(url: string, { headers }: IncomingMessage, body: string): Promise<number> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-type'];
  const sent = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  return (await fetch(url, { method: 'POST', headers: sent, body })).status;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
