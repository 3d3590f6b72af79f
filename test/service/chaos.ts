import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { startTables } from '../aws/emulated-tables.ts';
import { type ChaosCounts, ChaosRun } from './chaos-run.ts';
import { type HostileCounts, HostileRun } from './hostile/hostile-run.ts';

/**
 * `npm run chaos -- [--runs 1000] [--seed 1] [--processes 2] [--results] [--hostile] [--trace]`: runs the service with
 * random faults, with its tables in memory; with `--results`, all of its queues have a ladder, but those of the largest pools; with `--hostile`, a good tenant beside hostile ones. Prints the seeds of runs that violate an invariant,
 * with `--trace` each of their calls, and the counts of all runs. The exit status is 1 when a run violates an invariant.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string', default: '2' },
    results: { type: 'boolean', default: false },
    hostile: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
});
const [runs, firstSeed, processes] = [values.runs, values.seed, values.processes].map(Number) as [
  number,
  number,
  number,
];

/** The result of a run. */
interface ChaosResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly counts: ChaosCounts | HostileCounts | undefined;
}

/** The number of results between two lines of progress. */
const PROGRESS = values.hostile ? 20 : 500;

const share = process.env.CHAOS_SHARE;
if (share === undefined) await all();
else await runShare(Number(share));

/** Distributes the seeds over processes and prints their results. */
async function all(): Promise<void> {
  const startMs = performance.now();
  const totals: Record<string, number> = {};
  const failed: number[] = [];
  let done = 0;
  const take = ({ seed, violations, counts }: ChaosResult) => {
    for (const [name, count] of Object.entries(counts ?? {})) totals[name] = (totals[name] ?? 0) + count;
    if (violations.length > 0) {
      failed.push(seed);
      console.log(`seed ${seed}:\n${violations.map((one) => `  ${one}`).join('\n')}`);
    }
    if (++done % PROGRESS === 0) console.error(`${done} of ${runs} runs, ${failed.length} failed`);
  };
  const codes = await Promise.all(
    Array.from({ length: processes }, async (_, index) => {
      const child = fork(import.meta.filename, process.argv.slice(2), {
        env: { ...process.env, CHAOS_SHARE: String(index) },
      });
      child.on('message', (result) => take(result as ChaosResult));
      const [code] = await once(child, 'exit');
      return code as number;
    }),
  );
  const seconds = (performance.now() - startMs) / 1_000;
  console.log(`${done} runs from seed ${firstSeed}, ${seconds.toFixed(0)} s, ${failed.length} failed`);
  for (const [name, count] of Object.entries(totals)) console.log(`${String(count).padStart(10)}  ${name}`);
  if (failed.length > 0) console.log(`failed seeds: ${failed.sort((a, b) => a - b).join(' ')}`);
  process.exitCode = failed.length === 0 && done === runs && codes.every((code) => code === 0) ? 0 : 1;
}

/** Runs the share of one process. */
async function runShare(index: number): Promise<void> {
  // Many errors are thrown on purpose, and their stacks are not used.
  Error.stackTraceLimit = values.trace ? 10 : 0;
  for (let number = index; number < runs; number += processes) {
    const result = await (values.hostile ? hostileResultOf : resultOf)(firstSeed + number);
    if (!process.send!(result)) await new Promise((resolve) => setImmediate(resolve));
  }
  process.disconnect();
}

async function resultOf(seed: number): Promise<ChaosResult> {
  const tables = await startTables('memory');
  const streams = [tables.stream('tickets'), tables.stream('matches')];
  const run = new ChaosRun(tables, streams, seed, values.results || undefined);
  try {
    await run.disorder();
    const violations = await run.settled();
    if (violations.length > 0 && values.trace) console.log(run.trace.join('\n'));
    return { seed, violations, counts: await run.counts() };
  } catch (error) {
    if (values.trace) console.log(run.trace.join('\n'));
    return { seed, violations: [`the run failed: ${error}`], counts: undefined };
  }
}

async function hostileResultOf(seed: number): Promise<ChaosResult> {
  const run = await HostileRun.start(seed);
  try {
    const violations = await run.violations();
    if (violations.length > 0 && values.trace) console.log(run.failures.join('\n'));
    return { seed, violations, counts: run.counts };
  } catch (error) {
    return { seed, violations: [`the run failed: ${error}`], counts: undefined };
  }
}
