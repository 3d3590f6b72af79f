/** A local cloud in a process of its own, so that its memory is that of the service alone. `watchers-service.ts` starts it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRICES } from '../../lib/costs/usage-costs.ts';
import { AWS_DELAYS } from '../../lib/local/aws-delays.ts';
import { startMuster } from '../../lib/local/start-muster.ts';
import { Usage } from './usage.ts';

/**
 * What the service has used since its start, but for the functions that run by the clock, `tick` and `dispatch`: a run that takes
 * longer has more of them. What players who watch add to them is counted: the reads of who is there.
 */
export interface Report {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly invocations: number;
  /** DynamoDB, Lambda, SQS, the bus, logs and the HTTP API. */
  readonly dollars: number;
  /** Messages on sockets, in both directions. */
  readonly messages: number;
  /** The time of all connections that have ended. */
  readonly connectedMs: number;
  /** After a garbage collection of the main thread. The emulator of DynamoDB has its own process. */
  readonly rssMb: number;
  readonly heapMb: number;
}

const MB = 1024 ** 2;
const folder = mkdtempSync(join(tmpdir(), 'muster-watchers-'));
const [queuesDir, secretsFile] = [join(folder, 'queues'), join(folder, 'secrets')];
mkdirSync(queuesDir);
writeFileSync(secretsFile, JSON.stringify({ bench: `whsec_${Buffer.alloc(24, 7).toString('base64')}` }));
const usage = new Usage();
/** @param name of a function, or of its service */
const isByClock = (name = '') => /^(Matchmaker)?(Tick|dispatch$)/i.test(name);
const cloud = await startMuster({
  port: 0,
  queuesDir,
  secretsFile,
  intercept: (call, service, caller) =>
    isByClock(caller) && !call.body.includes('#presence#')
      ? service(call)
      : usage.request(call, caller, service),
  onInvocation: (invocation) => !isByClock(invocation.service) && usage.countInvocation(invocation),
  log: ({ source, line }) => !isByClock(source) && usage.countLog(line),
});

process.on('message', () => process.send?.(report()));
process.on('disconnect', async () => {
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
});
process.send?.(cloud.url);

function report(): Report {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const { messages, connectedMs } = cloud.socketUsage();
  // Commands to the WebSocket API are no requests that `Usage` counts. As if a function sent each message, also a client's.
  const { memoryMb = 0 } = usage.invocations.get('sockets') ?? {};
  const sendingGbSeconds = messages * (AWS_DELAYS.socketRequest.p50Ms / 1_000) * (memoryMb / 1_024);
  return {
    writeUnits: usage.writeUnits,
    readUnits: usage.readUnits,
    invocations: sum([...usage.invocations.values()].map(({ count }) => count)),
    dollars: sum(Object.values(usage.dollars())) + sendingGbSeconds * PRICES.lambdaGbSecond,
    messages,
    connectedMs,
    rssMb: rss / MB,
    heapMb: heapUsed / MB,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
