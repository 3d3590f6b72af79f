import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { LocalCloud } from '../../../lib/local/local-cloud.ts';
import { startMuster } from '../../../lib/local/start-muster.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import type { GoodCommand, GoodReply, GoodTraffic, Measured } from './good-tenant.ts';
import { type Harm, HOSTILE, type HostileTenant } from './hostile-tenants.ts';
import { Stage } from './stage.ts';

export interface NeighbourOptions {
  /** Players a second of the good tenant. */
  readonly playersPerSecond: number;
  /** Traffic before the first measurement. */
  readonly warmUpSeconds: number;
  /** Traffic of the good tenant alone, in each round. */
  readonly aloneSeconds: number;
  /**
   * Traffic of both before that beside the hostile tenant is measured, in which the local cloud starts the workers that both need. A
   * start takes up to a second of a core here, of which the machine has two. On AWS it takes nothing from other functions.
   */
  readonly settleSeconds: number;
  /** Traffic of the good tenant beside the hostile one, in each round. */
  readonly withSeconds: number;
  /** How long the good tenant waits for its last webhook. What has not come by then counts with this time. */
  readonly drainSeconds: number;
  /** How often both are measured, one after the other. */
  readonly rounds: number;
  /** The players who watch at once, in the row where the harm is their number. */
  readonly watchers: number;
  readonly seed: number;
}

/** What the good tenant measured in some seconds. */
export interface Played extends Measured {
  /** The part of the machine's CPU time that was used meanwhile, from 0 to 1. At 1, the machine is what is measured. */
  readonly busy: number;
}

/** What the good tenant measured alone and beside a hostile one. */
export interface NeighbourResult {
  readonly alone: readonly Played[];
  readonly beside: readonly Played[];
  /** What the hostile tenant did meanwhile, in all rounds together. */
  readonly harm: Harm;
}

const GOOD = 'good';
const SECRET = 'neighbours';
/** Each play has its own seed, so that the rows are not the same players again. */
const SEEDS = 2 ** 31;
/** The functions start during the warm-up. On a slow machine this takes long. */
const WARM_UP_DRAIN_SECONDS = 60;
/** On AWS it runs every minute. A short run would hardly see it. */
const DISPATCH_EVERY_MS = 10_000;

/**
 * Measures the good tenant alone and then beside the hostile one, in each round on a new local cloud, so that nothing of the
 * hostile tenant is left when the good one is measured alone.
 */
export async function measureBeside(
  tenant: HostileTenant,
  options: NeighbourOptions,
): Promise<NeighbourResult> {
  const alone: Played[] = [];
  const beside: Played[] = [];
  let harm: Harm = { count: 0, of: '' };
  for (let round = 0; round < options.rounds; round++) {
    await withService(async ({ cloud, good, watch }) => {
      const random = seededRandom(options.seed).fork(tenant.name).fork(String(round));
      const traffic = (name: string, seconds: number, drainSeconds = options.drainSeconds): GoodTraffic => ({
        ...options,
        seed: random.fork(name).integer(SEEDS),
        url: cloud.url,
        authorization: 'Bearer backend',
        queue: GOOD,
        name: `${name}-${round}`,
        seconds,
        drainSeconds,
      });
      await good.play(traffic('warm', options.warmUpSeconds, WARM_UP_DRAIN_SECONDS));
      alone.push(await good.play(traffic('alone', options.aloneSeconds)));
      const stage = new Stage({
        cloud,
        queue: HOSTILE,
        random,
        settleMs: 1_000 * options.settleSeconds,
        watchers: options.watchers,
      });
      watch(stage);
      try {
        const read = await tenant.begin(stage);
        await good.play(traffic('settle', options.settleSeconds));
        beside.push(await good.play(traffic('beside', options.withSeconds)));
        const { count, of } = await read();
        harm = { count: harm.count + count, of };
      } finally {
        await stage.end();
      }
    });
  }
  return { alone, beside, harm };
}

interface Service {
  readonly cloud: LocalCloud;
  readonly good: GoodProcess;
  /** Shows the stage the service's invocations, and lets it intercept calls to AWS. */
  watch(stage: Stage): void;
}

/** A local cloud, as `muster serve` starts it with tokens, and the process of the good tenant. Both end with the work. */
async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-neighbours-'));
  const good = new GoodProcess();
  let cloud: LocalCloud | undefined;
  let stage: Stage | undefined;
  let dispatches: NodeJS.Timeout | undefined;
  try {
    const definition = goodQueue(await good.listen());
    writeFileSync(join(folder, `${GOOD}.json`), JSON.stringify(definition));
    cloud = await startMuster({
      port: 0,
      queuesDir: folder,
      context: { code: fileURLToPath(new URL('./hostile-code.ts', import.meta.url)) },
      jwt: { issuer: 'https://issuer.example', audience: ['game'] },
      verifyToken: async (token) => claimsOf(token),
      onInvocation: (invocation) => stage?.invoked(invocation),
      interceptCommand: (...command) => stage?.interceptedCommand(...command),
      intercept: async (call, service) => stage?.intercepted(call) ?? service(call),
    });
    cloud.secrets.set(SECRET, `whsec_${Buffer.alloc(24, 7).toString('base64')}`);
    const { schedules } = cloud;
    dispatches = setInterval(() => void schedules.run(), DISPATCH_EVERY_MS);
    const watch = (watching: Stage) => {
      stage = watching;
    };
    await work({ cloud, good, watch });
  } finally {
    clearInterval(dispatches);
    good.end();
    await cloud?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Duels, placed by a provisioner. The webhook is about the server, so it passes through every function. */
function goodQueue(url: string): QueueDefinition {
  return {
    name: GOOD,
    teamSize: 1,
    imbalance: { alpha: 1, p: 1, q: 2 },
    beta: 10,
    release: { policy: 'greedy' },
    tickSeconds: 1,
    timeoutSeconds: 600,
    provisioner: { type: 'http', url: `${url}/servers` },
    webhooks: [{ url: `${url}/events`, secret: SECRET, events: ['MatchAssigned'] }],
  };
}

/** The CPU time of all cores since the machine's start. */
function cpuMs(): { readonly used: number; readonly all: number } {
  let used = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    used += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { used, all: used + idle };
}

/** Tokens of the benchmark are `backend`, `admin` and `player ID`. */
function claimsOf(token: string) {
  const [scope, sub = scope] = token.split(' ');
  return { sub, scope: `muster/${scope}` };
}

class GoodProcess {
  readonly #process: ChildProcess = fork(fileURLToPath(new URL('./good-tenant.ts', import.meta.url)), {
    execArgv: [],
  });

  async listen(): Promise<string> {
    const reply = await this.#send({ command: 'listen' });
    if (reply.reply !== 'listening') throw new Error(`Expected the URL of the receiver, got ${reply.reply}`);
    return reply.url;
  }

  async play(traffic: GoodTraffic): Promise<Played> {
    const before = cpuMs();
    const reply = await this.#send({ command: 'play', ...traffic });
    if (reply.reply !== 'played') throw new Error(`Expected measurements, got ${reply.reply}`);
    const after = cpuMs();
    return { ...reply, busy: (after.used - before.used) / (after.all - before.all) };
  }

  end(): void {
    this.#process.kill();
  }

  async #send(command: GoodCommand): Promise<GoodReply> {
    const listening = new AbortController();
    const replied = once(this.#process, 'message', listening);
    const ended = once(this.#process, 'exit', listening).then(([code]) => {
      throw new Error(`Expected the good tenant to run until the end, but it ended with status ${code}`);
    });
    this.#process.send(command);
    try {
      const [reply] = await Promise.race([replied, ended]);
      return reply as GoodReply;
    } finally {
      void Promise.allSettled([replied, ended]);
      listening.abort();
    }
  }
}
