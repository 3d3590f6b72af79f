import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { slowCase, summaryOf } from './slow-case.ts';
import { threadMs, timedPlan } from './slow-plan.ts';

/**
 * Looks for definitions and pools whose tick takes longer than its search time: `npm run fuzz:slow`.
 *
 * Each case is a random definition within the limits of the schema and a random pool, planned by a clock of CPU time. A plan
 * that ends more than 0.3 s after its search time is a finding; `--case SEED` plans it again. Exits with 1 if there is one.
 */
const OVER_MS = 300;
/** A plan that has not ended after so much CPU time is ended with its thread. */
const STUCK_MS = 60_000;
const LOOK_EVERY_MS = 5_000;

interface Finding {
  readonly seed: number;
  readonly searchMs: number;
  readonly tickets: number;
  readonly ms: number;
  readonly summary: string;
  /** What the plan threw. */
  readonly error?: string | undefined;
}

if (isMainThread) await main();
else await search(workerData as { seed: number; endMs: number });

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      case: { type: 'string' },
      tickets: { type: 'string' },
    },
  });
  if (values.case !== undefined) {
    const seed = Number(values.case);
    const timed = planOf(seed, values.tickets === undefined ? undefined : Number(values.tickets));
    process.stdout.write(`${lineOf(timed)}\n`);
    process.exitCode = isOver(timed) ? 1 : 0;
    return;
  }
  const endMs = Date.now() + 60_000 * Number(values.minutes);
  const findings: Finding[] = [];
  let cases = 0;
  let worst: Finding | undefined;
  for (let seed = 1_000_000 * Number(values.seed); Date.now() < endMs; ) {
    const ended = await round(seed, endMs, (timed) => {
      cases++;
      if (isOver(timed)) {
        findings.push(timed);
        process.stdout.write(`SLOW ${lineOf(timed)}\n`);
      }
      if (!worst || timed.ms - timed.searchMs > worst.ms - worst.searchMs) worst = timed;
    });
    seed = ended.next;
    if (ended.stuck === undefined) continue;
    cases++;
    const stuck = slowCase(ended.stuck);
    const { length } = stuck.tickets;
    const summary = summaryOf(stuck);
    const searchMs = searchMsOf(ended.stuck, length);
    findings.push({ seed: ended.stuck, searchMs, tickets: length, ms: STUCK_MS, summary });
    process.stdout.write(`STUCK --case ${ended.stuck}: ${summary}\n`);
  }
  process.stdout.write(
    `${cases} cases, ${findings.length} over their search time by more than ${OVER_MS} ms\n`,
  );
  if (worst) process.stdout.write(`the farthest over: ${lineOf(worst)}\n`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

/** Runs cases in a thread until the time is up or one of them is stuck. */
function round(
  from: number,
  endMs: number,
  onCase: (timed: Finding) => void,
): Promise<{ next: number; stuck?: number }> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { seed: from, endMs } });
    let seed = from;
    let isStuck = false;
    let sinceMs = 0;
    const cpuMs = async () => {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1_000;
    };
    const guard = setInterval(async () => {
      const nowMs = await cpuMs().catch(() => sinceMs);
      isStuck ||= nowMs - sinceMs > STUCK_MS;
      if (isStuck) void worker.terminate();
    }, LOOK_EVERY_MS);
    worker.on('message', (timed: Finding) => {
      cpuMs().then(
        (nowMs) => (sinceMs = nowMs),
        () => {},
      );
      seed = timed.seed + 1;
      onCase(timed);
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      clearInterval(guard);
      resolve(isStuck ? { next: seed + 1, stuck: seed } : { next: seed });
    });
  });
}

async function search({ seed: from, endMs }: { seed: number; endMs: number }): Promise<void> {
  for (let seed = from; Date.now() < endMs; seed++) {
    let timed = planOf(seed);
    // A first plan pays for compiling; what is slow again, with fewer tickets even, is the finding.
    if (isOver(timed)) timed = planOf(seed);
    for (let smaller = shrunk(timed); smaller; smaller = shrunk(timed)) timed = smaller;
    parentPort!.postMessage(timed);
  }
}

/** The same case with half of its tickets, if that is still slow. */
function shrunk(timed: Finding): Finding | undefined {
  if (!isOver(timed) || timed.tickets < 20) return undefined;
  const half = planOf(timed.seed, timed.tickets >> 1);
  return isOver(half) ? half : undefined;
}

function planOf(seed: number, ticketsMax?: number): Finding {
  const of = slowCase(seed);
  const tickets = of.tickets.slice(0, ticketsMax);
  const searchMs = searchMsOf(seed, of.tickets.length);
  const found = { seed, searchMs, tickets: tickets.length, summary: summaryOf({ ...of, tickets }) };
  try {
    return { ...found, ms: timedPlan({ ...of, tickets }, searchMs, threadMs).ms };
  } catch (error) {
    return { ...found, ms: 0, error: (error as Error).stack };
  }
}

/** A tick has at least a second. What is prepared before the searches of a large pool takes a part of it. */
function searchMsOf(seed: number, tickets: number): number {
  return tickets > 5000 ? 1000 : [300, 500, 1000][seed % 3]!;
}

function isOver({ ms, searchMs, error }: Finding): boolean {
  return error !== undefined || ms > searchMs + OVER_MS;
}

function lineOf({ seed, tickets, searchMs, ms, summary, error }: Finding): string {
  const made = `--case ${seed} --tickets ${tickets}: ${Math.round(ms)} ms of CPU with a search time of ${searchMs} ms: ${summary}`;
  return error === undefined ? made : `${made}\n${error}`;
}
