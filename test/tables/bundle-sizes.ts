import { bundleAll, functionNames } from '../../lib/infra/bundle.ts';
import { table } from './print.ts';

/** The sizes of the functions' bundles, minified, in thousands of bytes, and which of them search for games. */
export function bundleSizes(): string {
  const bundles = bundleAll();
  return table(
    ['function', 'KB', 'has the engine'],
    functionNames.map((name) => {
      const { code, sources } = bundles.get(name)!;
      const hasEngine = sources.some((path) => path.startsWith('lib/engine/'));
      return [`\`${name}\``, Math.round(code.length / 1000), hasEngine ? 'yes' : ''];
    }),
  );
}

/** Whether two such tables name the same functions with the same parts, and sizes that differ by a tenth at most. */
export function areSimilar(one: string, other: string): boolean {
  const [rows, others] = [one, other].map((text) => text.trim().split('\n'));
  return rows!.length === others!.length && rows!.every((row, at) => isSimilar(row, others![at]!));
}

function isSimilar(row: string, other: string): boolean {
  const [[kb], [otherKb]] = [row, other].map((text) =>
    (text.match(/\| (\d+) \|/) ?? []).slice(1).map(Number),
  );
  if (kb === undefined || otherKb === undefined) return row === other;
  return (
    row.replace(`${kb}`, '') === other.replace(`${otherKb}`, '') && Math.abs(kb - otherKb) <= otherKb / 10
  );
}
