import { readFileSync } from 'node:fs';
import { satisfies } from 'semver';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const manifest = json('package.json');
const locked: Record<string, LockedPackage> = json('package-lock.json').packages;
const nodeInstalled = locked['node_modules/node']!.version;

describe('the Node versions of the packages', () => {
  it('puts Node 24, as on Lambda, first on the path of npm scripts and npx', () => {
    expect(manifest.optionalDependencies.node).toBe(nodeInstalled);
    expect(process.version).toMatch(/^v24\./);
    expect(nodeInstalled).toMatch(/^24\./);
  });

  it('installs only packages that support the installed Node, which npm no longer warns about', () => {
    const unsupported = Object.entries(locked)
      .filter(([, { engines }]) => engines?.node !== undefined && !satisfies(nodeInstalled, engines.node))
      .map(([path, { version, engines }]) => `${path} ${version} needs ${engines!.node}`);
    expect(Object.keys(locked).length).toBeGreaterThan(100);
    expect(unsupported).toEqual([]);
  });

  it('hides warnings of npm, such as those about an older Node on the path, and still shows errors', () => {
    const settings = readFileSync('.npmrc', 'utf8').split('\n');
    expect(settings.filter((line) => line !== '' && !line.startsWith('#'))).toEqual(['loglevel=error']);
  });
});
