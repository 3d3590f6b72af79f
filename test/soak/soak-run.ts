import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LocalCloud } from '../../lib/local/local-cloud.ts';
import { startMuster } from '../../lib/local/start-muster.ts';
import { type Audit, audit } from './audit.ts';
import type { CrowdAnswer, CrowdOrder, CrowdReport } from './crowd.ts';
import type { Sample } from './trend.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly playersPerSecond: number;
  readonly seed: number;
  /** Between two samples. */
  readonly sampleSeconds: number;
  /** Called with each sample, as it is taken. */
  readonly onSample?: (sample: Sample) => void;
}

export interface SoakResult {
  readonly samples: readonly Sample[];
  readonly crowd: CrowdReport;
  readonly audit: Audit;
  /** Errors that functions or the local cloud logged; one of each kind. */
  readonly errors: readonly string[];
}

const SECRET_NAME = 'soak';
const SECRET = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
/** How long what is under way may take to end, after the crowd has gone: the ends of its last matches. */
const DRAIN_MS = 60_000;
const ERRORS_MAX = 20;

/**
 * Runs the local cloud under a crowd in a process of its own for some minutes, samples memory and handles of this
 * process, and then checks the tables: every ticket that the API took is there and has ended, none is in two matches,
 * and a webhook told of every match.
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
  const crowd = new Crowd();
  try {
    await crowd.tell({
      order: 'begin',
      url: cloud.url,
      playersPerSecond: options.playersPerSecond,
      seed: options.seed,
      secret: SECRET_NAME,
    });
    const samples = await sampled(crowd, options);
    const { answer: _, ...report } = (await crowd.tell({ order: 'stop' })) as CrowdAnswer & CrowdReport;
    return {
      samples,
      crowd: report,
      audit: await drained(cloud, crowd, report),
      errors: [...errors.values()],
    };
  } finally {
    crowd.end();
    await cloud.stop();
  }
}

async function sampled(
  crowd: Crowd,
  { minutes, sampleSeconds, onSample }: SoakOptions,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const startMs = performance.now();
  for (let due = 1; due * sampleSeconds <= minutes * 60; due++) {
    await sleep(Math.max(0, startMs + due * sampleSeconds * 1_000 - performance.now()));
    const counted = (await crowd.tell({ order: 'count' })) as CrowdAnswer & { answer: 'counted' };
    const sample = sampleNow((performance.now() - startMs) / 60_000, counted.posted);
    samples.push(sample);
    onSample?.(sample);
  }
  return samples;
}

function sampleNow(minutes: number, tickets: number): Sample {
  // There with --expose-gc: what is garbage does not count.
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

/** The audit once everything has ended, or as it is when it does not. */
async function drained(cloud: LocalCloud, crowd: Crowd, report: CrowdReport): Promise<Audit> {
  const refused = new Set(report.refused);
  const taken = Array.from({ length: report.planned }, (_, i) => i + 1)
    .filter((number) => !refused.has(number))
    .map((number) => `soak-${number}`);
  for (const untilMs = performance.now() + DRAIN_MS; ; await sleep(1_000)) {
    const told = (await crowd.tell({ order: 'tell' })) as CrowdAnswer & { answer: 'told' };
    const found = await audit(cloud, taken, told.matches);
    const ended = found.stuck.length === 0 && found.unheard.length === 0;
    if (ended || performance.now() > untilMs) return found;
  }
}

function isError(line: string): boolean {
  return /"level":"ERROR"| failed: |gave up/.test(line);
}

/** The crowd's process. */
class Crowd {
  readonly #process: ChildProcess = fork(fileURLToPath(new URL('./crowd.ts', import.meta.url)), {
    // It collects its own garbage.
    execArgv: [],
  });

  async tell(order: CrowdOrder): Promise<CrowdAnswer> {
    const listening = new AbortController();
    const answered = once(this.#process, 'message', listening);
    const ended = once(this.#process, 'exit', listening).then(([code]) => {
      throw new Error(`The crowd ended early, with status ${code}.`);
    });
    this.#process.send(order);
    try {
      const [answer] = await Promise.race([answered, ended]);
      return answer as CrowdAnswer;
    } finally {
      // The one that did not happen is given up.
      void Promise.allSettled([answered, ended]);
      listening.abort();
    }
  }

  end(): void {
    this.#process.kill();
  }
}
