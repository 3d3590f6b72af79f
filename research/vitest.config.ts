import { defineConfig } from 'vitest/config';

/** `npm run test:research`. `npm test` does not run them. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // As in the configuration of the product's tests.
    experimental: { viteModuleRunner: false },
    maxWorkers: 2,
    isolate: false,
    // It ends only what hangs, as in the configuration of the product's tests.
    testTimeout: 900_000,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
