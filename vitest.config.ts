import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// The processes of the tests, and those that they start, compile their packages once for all: in the cache of `lib/cli/muster.ts`.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

/**
 * Suites whose files each need a process of their own: they mock modules or the SDK's clients for the whole process, or hold a
 * browser. The files of all others share the modules that a process has loaded, because loading them takes longer than most files.
 */
const ALONE = [
  'test/aws/{conflicts,tick-metrics}.test.ts',
  'test/end-to-end/{gamelift,secrets}.test.ts',
  'test/console/{console,on-local-cloud}.test.ts',
  'test/package/package.test.ts',
];
/** Benchmarks that start a local cloud, play for long or tune policies. The others run in `npm test` with a tiny size. */
const LONG_BENCHMARKS = 'test/bench/{after-kill,engine,rated-after-kills,scale,service,watchers}.test.ts';
/** Suites that measure the memory and the time of their process, in the long run only. */
const MEASURING = ['test/soak/**/*.test.ts', 'test/bench/neighbours.test.ts', LONG_BENCHMARKS];
/**
 * Files that only `npm run test:long` has, because each starts services of its own or plays for long. The comment names the test
 * in `npm test` of the same claims.
 */
const LONG = [
  // test/console/console.test.ts and test/lobby.test.ts, on a service in memory.
  'test/console/on-local-cloud.test.ts',
  // test/end-to-end/push.test.ts, on a service whose calls to AWS are not rejected.
  'test/end-to-end/wiring-push.test.ts',
  // test/service/definitions/{ladders,deploy-definitions}.test.ts; a deployment of ladders: test/end-to-end/wiring.test.ts.
  'test/end-to-end/ladder-files.test.ts',
  // test/local/aws-delays.test.ts.
  'test/end-to-end/aws-delays.test.ts',
  // test/provisioners/gamelift.test.ts and test/infra/game-lift.test.ts.
  'test/end-to-end/gamelift.test.ts',
  // test/contract/secret-grants.test.ts and test/aws/secrets.test.ts.
  'test/end-to-end/secrets.test.ts',
  // test/local/serve.test.ts, on what is in flight, and test/local/local-cloud.test.ts, on a directory of data.
  'test/end-to-end/restart.test.ts',
  LONG_BENCHMARKS,
];
export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: 'test/global-setup.ts',
    // Node loads the sources, as it does for `muster`. Vite's loader reads each imported name through an object at each use, which
    // takes up to a seventh more processor time.
    experimental: { viteModuleRunner: false },
    // As many as the processors of CI. With a third one a function of a local cloud once took longer to start than API Gateway waits.
    maxWorkers: 2,
    // Most of what a test creates lives shortly: with a larger young generation V8 copies less of it (5% less processor time).
    execArgv: ['--max-semi-space-size=64'],
    // They end only what hangs. A test waits for events, however long these take on a busy machine: see `test/patience.ts`.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // A test that asks for a line of the log or a metric of a function spies on them. Nothing else prints them.
    env: { POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
    // No test leaves a spy or a variable of the environment to the next one.
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      project('alone', alone(mode), omitted(mode), true),
      project('together', ['test/**/*.test.ts'], [...omitted(mode), ...alone(mode)], false),
    ],
  },
}));

function alone(mode: string): string[] {
  return mode === 'long' ? [...ALONE, ...MEASURING] : ALONE;
}

function omitted(mode: string): string[] {
  return mode === 'long' ? [] : LONG;
}

function project(name: string, include: string[], exclude: string[], isolate: boolean) {
  const extending = true as const;
  return { extends: extending, test: { name, include, exclude: [...exclude, 'node_modules/**'], isolate } };
}
