import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// The processes of the tests, and those that they start, compile their packages once for all: in the cache of `lib/cli/muster.ts`.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

/**
 * Suites whose files each need a process of their own: they mock modules or the SDK's clients for the whole process, or measure
 * its memory and time, or hold a browser. The files of all others share the modules that a process has loaded,
 * because loading them takes longer than most files.
 */
const ALONE = [
  'test/aws/{conflicts,message-consumer,other-versions,secrets}.test.ts',
  'test/service/placement/provision.test.ts',
  'test/end-to-end/{gamelift,secrets}.test.ts',
  'test/{bench,console,package,soak}/**/*.test.ts',
];
/** They share the CDK and the bundles of the functions. */
const INFRA = ['test/infra/*.test.ts'];
/** They also share a local cloud, which ends with the process: see `testMuster`. */
const END_TO_END = ['test/end-to-end/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    // One less than the processors by default, but most of the long files wait for other processes.
    maxWorkers: 2,
    // They end only what hangs. A test waits for events, however long these take on a busy machine: see `test/patience.ts`.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // No test leaves a spy or a variable of the environment to the next one.
    restoreMocks: true,
    unstubEnvs: true,
    // They run one after another.
    projects: [
      project('alone', ALONE, [], true),
      project('infra', INFRA, [], false),
      project('end-to-end', END_TO_END, ALONE, false),
      project('together', ['test/**/*.test.ts'], [...ALONE, ...INFRA, ...END_TO_END], false),
    ],
  },
});

function project(name: string, include: string[], exclude: string[], isolate: boolean) {
  const extending = true as const;
  return { extends: extending, test: { name, include, exclude: [...exclude, 'node_modules/**'], isolate } };
}
