import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleAll, functionNames, lambdasDir } from '../../lib/infra/bundle.ts';

/** A cold start loads the whole bundle, so a function has the engine only if it searches. */
const SEARCHING = ['dry-run', 'tick', 'tickets'];
const KB_MAX = 1_200;

/** The files of a list in docs/architecture.md, in its order. */
const ARCHITECTURE = readFileSync(join(lambdasDir, '../docs/architecture.md'), 'utf8');
const listed = (title: string): string[] => {
  const section = ARCHITECTURE.split(`### ${title}, file by file\n`)[1]!.split(/^#/m)[0]!;
  return [...section.matchAll(/^\d+\. `([^`]+)`: /gm)].map(([, path]) => path!);
};

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

  it.each([
    { title: 'One POST', name: 'enqueue', rooms: /^lib\/service\/tickets\//, filesMax: 44 },
    { title: 'One tick', name: 'tick', rooms: /^lib\/service\/(ticks|commits)\//, filesMax: 62 },
  ] as const)('have the files that "$title, file by file" lists', ({ title, name, rooms, filesMax }) => {
    const { sources } = bundles.get(name)!;
    const files = listed(title);
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((path) => !sources.includes(path))).toEqual([]);
    const batch = 'lib/service/tickets/enqueue-batch.ts';
    const steps = sources.filter((path) => rooms.test(path) && path !== batch);
    expect(steps.filter((path) => !files.includes(path))).toEqual([]);
    expect(sources.filter((path) => path.startsWith('lib/service/')).length).toBeLessThanOrEqual(filesMax);
  });

  it.each(functionNames)('of %s is not too large, and does not load fetch with `node:http`', (name) => {
    const { code } = bundles.get(name)!;
    expect(Buffer.from(code).toString()).not.toMatch(/from ?"(?:node:)?http"/);
    expect(code.length).toBeGreaterThan(10_000);
    expect(code.length / 1000).toBeLessThan(KB_MAX);
  });
});
