import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

it('lists every named number of the engine with its value, reason and sensitivity', () => {
  const inCode = globSync('lib/engine/**/*.ts', { cwd: root }).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return [...source.matchAll(/^(?:export )?const (\w+) = ([-\d[][^;]*);$/gm)].map(
      ([, name, value]) => `${name} in ${file.slice('lib/engine/'.length)}: ${value}`,
    );
  });
  const table = readFileSync(join(root, 'docs/engine-constants.md'), 'utf8');
  const rows = [...table.matchAll(/^\| `(\w+)` in `([^`]+)` \| ([^|]+) \| [^|]+ \| [^|]+ \|$/gm)];
  expect(inCode.length).toBeGreaterThan(80);
  expect(rows.map(([, name, file, value]) => `${name} in ${file}: ${value}`).sort()).toEqual(inCode.sort());
});
