import { beforeAll, describe, expect, it } from 'vitest';
import { bundleAll, functionNames } from '../../lib/infra/bundle.ts';

/** A cold start loads the whole bundle, so a function has the engine only if it searches. */
const SEARCHING = ['dry-run', 'tick', 'tickets'];
const KB_MAX = 1_200;

describe('the bundles of the functions', () => {
  let bundles: ReturnType<typeof bundleAll>;
  beforeAll(() => {
    bundles = bundleAll();
  });

  it('have the engine and the release policies only in functions that search', () => {
    const isSearch = (path: string) => /^lib\/engine\/(?!types)|^lib\/policies\/plan/.test(path);
    const found = functionNames.filter((name) => bundles.get(name)!.sources.some(isSearch));
    expect([...found].sort()).toEqual(SEARCHING);
  });

  it.each(functionNames)('of %s is not too large', (name) => {
    const { code } = bundles.get(name)!;
    expect(code.length).toBeGreaterThan(10_000);
    expect(code.length / 1000).toBeLessThan(KB_MAX);
  });
});
