import { defineConfig } from 'vitest/config';

/** Suites of pure functions. Their files share the modules that a process has loaded, which saves loading them for each file. */
const PURE = ['client', 'contract', 'engine', 'policies', 'research', 'rules', 'simulation'].map(
  (room) => `test/${room}/**/*.test.ts`,
);
/** The others change what files of one process share: globals, mocks, module state. */
const ISOLATED = ['test/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    // One less than the processors by default, but most of the long files wait for other processes.
    maxWorkers: 2,
    // They end only what hangs. A test waits for events, however long these take on a busy machine: see `test/patience.ts`.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      { extends: true, test: { name: 'isolated', include: ISOLATED, exclude: [...PURE, 'node_modules/**'] } },
    ],
  },
});
