import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LocalCloud } from '../../lib/local/local-cloud.ts';
import { startMuster } from '../../lib/local/start-muster.ts';
import { type Audit, audit } from './audit.ts';
import type { ClientsCommand, ClientsReply, ClientsReport } from './clients.ts';
import type { Sample } from './trend.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly playersPerSecond: number;
  readonly seed: number;
  /** The interval between samples. */
  readonly sampleSeconds: number;
  /** How long the last tickets and matches may take to end after the clients have stopped. @default a minute */
  readonly drainMs?: number;
  /** Called with each sample when it is taken. */
  readonly onSample?: (sample: Sample) => void;
}

export interface SoakResult {
  readonly samples: readonly Sample[];
  readonly clients: ClientsReport;
  readonly audit: Audit;
  /** Errors that functions or the local cloud logged; one of each kind. */
  readonly errors: readonly string[];
}

const SECRET_NAME = 'soak';
const SECRET = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
const ERRORS_MAX = 20;

/**
 * Runs the local cloud under load from clients in another process, and samples memory and handles of this process. Then
 * checks the tables: every ticket that the API accepted exists and has ended, no ticket is in two matches, and every
 * match has a webhook.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const errors = new Map<string, string>();
  const cloud = await startMuster({
    port: 0,
    log: ({ source, line }) => {
      const kind = `${source} ${line.replace(/[\d-]+/g, '').slice(0, 200)}`;
      if (isError(line) && errors.size < ERRORS_MAX) errors.set(kind, `${source}: ${line}`);
    },
  });
  cloud.secrets.set(SECRET_NAME, SECRET);
  const clients = new ClientsProcess();
  try {
    await clients.send({
      command: 'begin',
      url: cloud.url,
      playersPerSecond: options.playersPerSecond,
      seed: options.seed,
      secret: SECRET_NAME,
    });
    const samples = await sampled(clients, options);
    const { reply: _, ...report } = (await clients.send({ command: 'stop' })) as ClientsReply & ClientsReport;
    return {
      samples,
      clients: report,
      audit: await drained(cloud, clients, report, options.drainMs ?? 60_000),
      errors: [...errors.values()],
    };
  } finally {
    clients.end();
    await cloud.stop();
  }
}

async function sampled(
  clients: ClientsProcess,
  { minutes, sampleSeconds, onSample }: SoakOptions,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const startMs = performance.now();
  for (let due = 1; due * sampleSeconds <= minutes * 60; due++) {
    await sleep(Math.max(0, startMs + due * sampleSeconds * 1_000 - performance.now()));
    const counted = (await clients.send({ command: 'count' })) as ClientsReply & { reply: 'counted' };
    const sample = sampleNow((performance.now() - startMs) / 60_000, counted.posted);
    samples.push(sample);
    onSample?.(sample);
  }
  return samples;
}

function sampleNow(minutes: number, tickets: number): Sample {
  // Available with --expose-gc: garbage is not counted.
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return {
    minutes,
    rssMb: rss / 2 ** 20,
    heapMb: heapUsed / 2 ** 20,
    externalMb: external / 2 ** 20,
    handles: process.getActiveResourcesInfo().length,
    tickets,
  };
}

/** The audit after everything has ended, or after this time. */
async function drained(
  cloud: LocalCloud,
  clients: ClientsProcess,
  report: ClientsReport,
  drainMs: number,
): Promise<Audit> {
  const rejected = new Set(report.rejected);
  const accepted = Array.from({ length: report.planned }, (_, i) => i + 1)
    .filter((number) => !rejected.has(number))
    .map((number) => `soak-${number}`);
  for (const untilMs = performance.now() + drainMs; ; await sleep(1_000)) {
    const listed = (await clients.send({ command: 'matches' })) as ClientsReply & { reply: 'matches' };
    const found = await audit(cloud, accepted, listed.matches);
    const ended = found.stuck.length === 0 && found.unnotified.length === 0;
    if (ended || performance.now() > untilMs) return found;
  }
}

function isError(line: string): boolean {
  return /"level":"ERROR"| failed: |gave up/.test(line);
}

/** The process of the clients. */
class ClientsProcess {
  readonly #process: ChildProcess = fork(fileURLToPath(new URL('./clients.ts', import.meta.url)), {
    // Without this process's --expose-gc.
    execArgv: [],
  });

  async send(command: ClientsCommand): Promise<ClientsReply> {
    const listening = new AbortController();
    const replied = once(this.#process, 'message', listening);
    const ended = once(this.#process, 'exit', listening).then(([code]) => {
      throw new Error(
        `Expected the process of the clients to run until the end, but it ended with status ${code}`,
      );
    });
    this.#process.send(command);
    try {
      const [reply] = await Promise.race([replied, ended]);
      return reply as ClientsReply;
    } finally {
      // Ignore the other event.
      void Promise.allSettled([replied, ended]);
      listening.abort();
    }
  }

  end(): void {
    this.#process.kill();
  }
}
