import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MusterClient, musterClient } from '../../lib/client/index.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';

const MUSTER = fileURLToPath(new URL('../../lib/cli/muster.ts', import.meta.url));
const SECRETS = { 'shared/s': 'whsec_c2VjcmV0' };
/** How often the statistics of the matches are read, and tickets are posted in parts of this size. */
const LOOK_MS = 50;
const PART = 50;

/** What became of the webhooks of a service that was killed while their receiver hung. */
export interface AfterKill {
  /** Matches that were found before the service was killed, and webhooks of them that the receiver had not answered then. */
  readonly matches: number;
  readonly inFlight: number;
  /** Until the restarted service printed that it is ready. */
  readonly readySeconds: number;
  /** From that line until the receiver got the webhook of each match, ascending. */
  readonly deliveredSeconds: readonly number[];
  /** Webhooks that the receiver got more than once after the restart. */
  readonly repeated: number;
}

/**
 * Posts duels to `muster serve --data` with a webhook whose receiver takes requests and answers none. Kills the service (SIGKILL)
 * when all of them are matched. The receiver answers from then on. Restarts the service and waits for the webhook of every match.
 *
 * @param duels from 1 up
 * @param hangsMs how long the receiver hangs after the last match; from 5 s on requests are cut and tried again
 */
export async function killUnderLoad(duels: number, hangsMs: number): Promise<AfterKill> {
  const dir = mkdtempSync(join(tmpdir(), 'muster-killed-'));
  const receiver = await startReceiver();
  let service: Service | undefined;
  try {
    const webhooks = [{ url: receiver.url, secret: 'shared/s', events: ['MatchFound' as const] }];
    const args = prepare(dir, { webhooks });
    service = await serve(args);
    const muster = musterClient({ url: service.url });
    await post(muster, duels);
    while ((await muster.queues.stats('duel')).outcomes.matches.found < duels) await sleep(LOOK_MS);
    await sleep(hangsMs);
    const { inFlight } = receiver.answers();
    const killedMs = performance.now();
    await kill(service);
    service = await serve(args);
    const readyMs = performance.now();
    await receiver.reached(duels);
    const { firstMs, repeated } = receiver.answered();
    return {
      matches: duels,
      inFlight,
      readySeconds: (readyMs - killedMs) / 1000,
      deliveredSeconds: firstMs.map((atMs) => Math.max(0, atMs - readyMs) / 1000).sort((a, b) => a - b),
      repeated,
    };
  } finally {
    if (service !== undefined) await kill(service);
    receiver.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A process of `muster serve`. */
export interface Service {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly url: string;
}

/**
 * Writes the files of a service with one queue of duels into a folder. Returns the arguments of `muster serve`.
 * @param more what the queue has besides. Its ladder gets a file
 */
export function prepare(dir: string, more: Partial<QueueDefinition>): string[] {
  const definition = {
    name: 'duel',
    teamSize: 1,
    imbalance: { alpha: 1, p: 1, q: 2 },
    release: { policy: 'greedy' },
    tickSeconds: 1,
    timeoutSeconds: 300,
    ...more,
  };
  const [queues, secrets] = [join(dir, 'queues'), join(dir, 'secrets.json')];
  for (const one of [queues, join(dir, 'ladders')]) mkdirSync(one);
  const { ladder } = more;
  if (ladder !== undefined)
    writeFileSync(join(dir, 'ladders', `${ladder}.json`), JSON.stringify({ name: ladder }));
  writeFileSync(join(queues, 'duel.json'), JSON.stringify(definition));
  writeFileSync(secrets, JSON.stringify(SECRETS));
  return [
    '--port',
    '0',
    '--no-console',
    '--queues',
    queues,
    '--data',
    join(dir, 'data'),
    '--secrets',
    secrets,
  ];
}

/** Starts a service, and waits until it is ready. */
export async function serve(args: readonly string[]): Promise<Service> {
  const child = spawn(process.execPath, [MUSTER, 'serve', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.setEncoding('utf8');
  let text = '';
  for await (const part of child.stdout.iterator({ destroyOnReturn: false })) {
    text += part;
    if (text.includes('\n')) break;
  }
  const url = /ready at (\S+)/.exec(text)?.[1];
  if (url === undefined) throw new Error(`Expected muster serve to be ready, got: ${text || 'its end'}`);
  return { child, url };
}

/** Kills a service (SIGKILL). Its functions and tables end with it. */
export async function kill({ child }: Service): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function post(muster: MusterClient, duels: number): Promise<void> {
  const tickets = Array.from({ length: 2 * duels }, (_, i) => ({
    ticketId: `t${i}`,
    players: [{ playerId: `p${i}`, skill: i }],
  }));
  for (let from = 0; from < tickets.length; from += PART)
    await muster.postBatch('duel', tickets.slice(from, from + PART));
}

/** A receiver that takes every request and answers none, until it is told to answer all. */
async function startReceiver() {
  const open = new Set<object>();
  const gotMs = new Map<string, number[]>();
  let answers = false;
  let wake = () => {};
  const server = createServer((request, response) => {
    request.resume();
    if (!answers) {
      open.add(response);
      response.on('close', () => open.delete(response));
      return;
    }
    const id = String(request.headers['webhook-id']);
    gotMs.set(id, [...(gotMs.get(id) ?? []), performance.now()]);
    response.end();
    wake();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answers: () => {
      answers = true;
      return { inFlight: open.size };
    },
    reached: (webhooks: number) =>
      new Promise<void>((resolve) => {
        wake = () => {
          if (gotMs.size >= webhooks) resolve();
        };
        wake();
      }),
    answered: () => {
      const all = [...gotMs.values()];
      return {
        firstMs: all.map(([first]) => first!),
        repeated: all.filter(({ length }) => length > 1).length,
      };
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
