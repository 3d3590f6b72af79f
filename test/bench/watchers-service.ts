import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MusterClient, musterClient } from '../../lib/client/index.ts';
import type { MatchView } from '../../lib/contract/match.ts';
import type { Report } from './watchers-cloud.ts';

const CLOUD = fileURLToPath(new URL('./watchers-cloud.ts', import.meta.url));
/** The service has settled when it has begun nothing for this long. */
const QUIET_MS = 2_000;
const LOOK_MS = 250;

/** A service in a process of its own, and a receiver of webhooks in this one. */
export interface Service {
  readonly muster: MusterClient;
  /** The URL for the webhooks of a queue. Their secret is `bench`. */
  readonly webhookUrl: string;
  /** When the webhook of a ticket's match arrived, in the time of `performance.now()`. */
  heardMs(ticketId: string): number | undefined;
  /** What the service has used, once nothing is on its way any more. */
  settled(): Promise<Report>;
  report(): Promise<Report>;
  stop(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const child = fork(CLOUD, { execArgv: ['--expose-gc'] });
  const [url] = await once(child, 'message');
  const receiver = await listen();
  const report = async (): Promise<Report> => {
    child.send('report');
    const [reply] = await once(child, 'message');
    return reply;
  };
  return {
    muster: musterClient({ url }),
    webhookUrl: receiver.url,
    heardMs: receiver.heardMs,
    report,
    async settled() {
      let last = await report();
      for (let quietMs = 0; quietMs < QUIET_MS; quietMs += LOOK_MS) {
        await sleep(LOOK_MS);
        const next = await report();
        if (next.invocations !== last.invocations || next.connectedMs !== last.connectedMs) quietMs = 0;
        last = next;
      }
      return last;
    },
    async stop() {
      receiver.close();
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function listen() {
  const heardMs = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const atMs = performance.now();
    const { data } = JSON.parse((await buffer(request)).toString()) as { data: { match: MatchView } };
    for (const { players } of data.match.teams)
      for (const { ticketId } of players)
        if (ticketId !== undefined && !heardMs.has(ticketId)) heardMs.set(ticketId, atMs);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    heardMs: (ticketId: string) => heardMs.get(ticketId),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
