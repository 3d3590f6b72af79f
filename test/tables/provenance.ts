import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { commandOf, type Measurement } from './measurements.ts';
import { machine } from './print.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** What made a table, and with which code: the line above it. */
export interface Provenance {
  /** The version of Muster that was in the making. */
  readonly version: string;
  readonly commit: string;
  /** The day as `2026-11-23`. */
  readonly date: string;
  /** A digest of the program's code: see {@link digestOf}. */
  readonly program: string;
}

/** The line above a table of a measurement that runs now, on this machine. */
export function provenanceLine(measurement: Measurement): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim();
  const date = new Date().toISOString().slice(0, 10);
  const [version] = versions();
  return (
    `\`${commandOf(measurement)}\` on ${machine()}: ` +
    `Muster ${version}, commit ${commit}, ${date}, program ${digestOf(measurement.program)}.`
  );
}

/** Reads the line above a table. Returns undefined when the text has none. */
export function provenanceOf(text: string): Provenance | undefined {
  const found = /: Muster (\S+), commit (\w+), (\d{4}-\d\d-\d\d), program ([0-9a-f]{8})\.$/m.exec(text);
  if (found === null) return undefined;
  const [, version, commit, date, program] = found as unknown as [string, string, string, string, string];
  return { version, commit, date, program };
}

/** How many versions have begun since one. Infinite for a version that the changelog does not have. */
export function versionsSince(version: string, all = versions()): number {
  const at = all.indexOf(version);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

/** The versions of the changelog, the latest first. */
function versions(): string[] {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  return [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, version]) => version!);
}

/** Eight digits of a digest of a program and of the files in `test` and `research/test` that it imports or starts, directly or through others. */
export function digestOf(program: string, root = ROOT): string {
  const hash = createHash('sha256');
  for (const file of filesOf(program, root))
    hash.update(`${file}\n${readFileSync(join(root, file), 'utf8')}\n`);
  return hash.digest('hex').slice(0, 8);
}

/** What a file imports, or starts as a process of its own: `from './a.ts'`, `new URL('./a.ts', import.meta.url)`. */
const IMPORTED = /(?: from |\bnew URL\()'(\.[^']+\.ts)'/g;

const IN_TEST = /^(?:research\/)?test\//;

/** The files of a program in `test`, in the order of their names. */
export function filesOf(program: string, root = ROOT): string[] {
  const found = new Set([program]);
  // A set also visits what is added to it on the way.
  for (const file of found)
    for (const [, imported] of readFileSync(join(root, file), 'utf8').matchAll(IMPORTED)) {
      const path = relative(root, join(root, dirname(file), imported!));
      if (IN_TEST.test(path)) found.add(path);
    }
  return [...found].sort();
}
