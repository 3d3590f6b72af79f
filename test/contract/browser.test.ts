import { globSync } from 'node:fs';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

describe('The contract', () => {
  it('bundles for a browser and imports only packages and what is below it', async () => {
    const entryPoints = globSync('lib/contract/*.ts');
    expect(entryPoints.length).toBeGreaterThan(5);
    // For this platform an import of a Node module is an error.
    const { metafile, errors } = await build({
      entryPoints,
      bundle: true,
      write: false,
      outdir: 'unused',
      platform: 'browser',
      format: 'esm',
      metafile: true,
      logLevel: 'silent',
    });
    expect(errors).toEqual([]);
    const modules = Object.keys(metafile.inputs)
      .filter((path) => path.startsWith('lib/'))
      .map((path) => path.split('/')[1]);
    expect([...new Set(modules)].sort()).toEqual(expect.arrayContaining(['contract', 'vocabulary']));
    for (const module of modules) expect(['contract', 'ratings', 'rules', 'vocabulary']).toContain(module);
  });
});
