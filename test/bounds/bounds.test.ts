import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { constantsOf, sourcesIn, type Value } from './constants.ts';
import { isNoBound, NO_BOUNDS } from './no-bounds.ts';
import { leavesOf, rowsOf, says } from './rows.ts';

/** Where bounds are. The engine and the policies are bounded by their clock: see the page. */
const ROOMS = [
  'lib/service',
  'lib/aws',
  'lib/local',
  'lib/provisioners',
  'lib/contract',
  'lib/rules',
  'lambdas',
];
const FILES = [...sourcesIn(...ROOMS), ...sourcesIn('lib/infra')];

/** Names that say that a number bounds something. */
const BOUND =
  /(MAX|MIN|_MS|LIMITS?|TRIES|INTAKE|ATTEMPTS|AT_ONCE|BYTES|DAYS|SECONDS|KEPT|STAGES|TIMEOUTS|KEYS|PER_TICK|CONCURRENCY|BATCH|BACKOFF|GROUPS|^PAGE\w*|^RECENT\w*|Max|Ms|Limits?|Seconds)$/;

describe('the tables of bounds in docs/bounds.md', () => {
  const rows = rowsOf();

  it('have the numbers of the constants that they name', () => {
    expect(rows.length).toBeGreaterThan(90);
    const wrong = rows.flatMap(({ what, bound, where }) => {
      if (where.length === 0) return [`"${what}" names no place`];
      return where.flatMap(({ file, path }) => {
        const [name, ...members] = path;
        if (name === undefined) return readFileSync(file, 'utf8') === '' ? [`${file} is empty`] : [];
        const value = members.reduce<Value | undefined>(
          (one, member) => (typeof one === 'object' ? one[member] : undefined),
          constantsOf(file).get(name),
        );
        if (value === undefined) return [`"${what}": ${file} has no number ${path.join('.')}`];
        return leavesOf(value, path).flatMap((leaf) =>
          says(bound, leaf.path, leaf.number)
            ? []
            : [`"${what}": ${file}#${leaf.path.join('.')} is ${leaf.number}, the bound says "${bound}"`],
        );
      });
    });
    expect(wrong).toEqual([]);
  });

  it('have a row for every constant that is a bound', () => {
    const listed = new Set(
      rows.flatMap(({ where }) => where.map(({ file, path }) => `${file}#${path.join('.')}`)),
    );
    const isListed = (file: string, path: readonly string[]) =>
      path.some((_, n) => listed.has(`${file}#${path.slice(0, n + 1).join('.')}`));
    const all = FILES.flatMap((file) =>
      [...constantsOf(file)].flatMap(([name, value]) =>
        BOUND.test(name) ? leavesOf(value, [name]).map(({ path }) => ({ file, path })) : [],
      ),
    );
    expect(all.length).toBeGreaterThan(180);
    const missing = all.filter(({ file, path }) => !isListed(file, path) && !isNoBound(file, path));
    expect(missing.map(({ file, path }) => `${file}#${path.join('.')}`)).toEqual([]);
  });

  it('leave out only constants that exist, each for a reason', () => {
    const stale = Object.entries(NO_BOUNDS).flatMap(([, places]) =>
      places.filter((place) => {
        const [file = '', path = ''] = place.split('#');
        const [name = '', member] = path.split('.');
        const value = constantsOf(file).get(name);
        return (
          value === undefined ||
          (member !== undefined && leavesOf(value, []).every((leaf) => leaf.path[0] !== member))
        );
      }),
    );
    expect(stale).toEqual([]);
  });

  it('are read with their numbers in any unit', () => {
    expect(says('5 s; 24 s', ['QUEUE_MS'], 5_000)).toBe(true);
    expect(says('15 s', ['QUEUE_MS'], 5_000)).toBe(false);
    expect(says('1,000 and 50', ['ITEMS_MAX'], 1_000)).toBe(true);
    expect(says('11,000', ['ITEMS_MAX'], 1_000)).toBe(false);
    expect(says('1e9', ['weightMax'], 1e9)).toBe(true);
    expect(says('24 hours', ['KEPT_MS'], 86_400_000)).toBe(true);
    expect(says('64 KB', ['BODY_BYTES_MAX'], 65_536)).toBe(true);
    expect(says('2.5 s', ['SURVEY_MS'], 500)).toBe(false);
  });
});
