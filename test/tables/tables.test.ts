import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DERIVED } from './derived.ts';
import { asMarked, marked, marksOf, withMarked } from './marked.ts';
import { commandOf, MEASUREMENTS } from './measurements.ts';
import { table } from './print.ts';
import { digestOf, filesOf, provenanceLine, provenanceOf, ROOT, versionsSince } from './provenance.ts';

const pageOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** What a new table says until the long run that makes it. */
const NOT_YET = 'Not measured yet.\n';

/** A program whose code has changed must measure again before this many versions have begun. */
const VERSIONS_MAX = 1;

describe.each(MEASUREMENTS)('the tables of $program $args', (measurement) => {
  const { program, tables } = measurement;

  it('come from a program that prints them', () => {
    expect(existsSync(join(ROOT, program))).toBe(true);
    const code = filesOf(program)
      .map((file) => pageOf(file))
      .join('\n');
    expect(code).toContain('printMarked(');
  });

  it.each(Object.entries(tables))('"%s" stands in %s, not much older than the program', (name, page) => {
    const text = marked(pageOf(page), name);
    if (text === NOT_YET) return;
    const made = provenanceOf(text);
    expect(made, `the line above "${name}": run npm run docs:tables -- "${name}"`).toBeDefined();
    if (made!.program !== digestOf(program))
      expect(versionsSince(made!.version), `${commandOf(measurement)} has changed since`).toBeLessThanOrEqual(
        VERSIONS_MAX,
      );
  });
});

it.each(DERIVED)(
  '$page has "$name" as the code has it: npm run docs:bounds writes it',
  ({ name, page, text, isCurrent }) => {
    const [shown, now] = [marked(pageOf(page), name), `${text()}\n`];
    if (!isCurrent?.(shown, now)) expect(shown).toBe(now);
  },
);

describe('marked parts of pages', () => {
  it('have one beginning and one end each', () => {
    const pages = ['README.md', ...globSync('{docs,research/docs}/**/*.md', { cwd: ROOT })];
    const marks = pages.flatMap((page) => marksOf(pageOf(page)).map((name) => ({ page, name })));
    expect(marks.length).toBeGreaterThan(10);
    for (const { page, name } of marks) expect(marked(pageOf(page), name), `${page}: ${name}`).not.toBe('');
    const begun = pages.flatMap((page) => pageOf(page).match(/^<!-- (?!end of ).+ -->$/gm) ?? []);
    expect(begun).toHaveLength(marks.length);
  });

  it('are each written by a measurement or from the code', () => {
    const written = [
      ...MEASUREMENTS.flatMap(({ tables }) =>
        Object.entries(tables).map(([name, page]) => `${page}: ${name}`),
      ),
      ...DERIVED.map(({ page, name }) => `${page}: ${name}`),
    ];
    const pages = ['README.md', ...globSync('{docs,research/docs}/**/*.md', { cwd: ROOT })];
    const marks = pages.flatMap((page) => marksOf(pageOf(page)).map((name) => `${page}: ${name}`));
    expect(marks.sort()).toEqual(written.sort());
  });

  it('are replaced without a change of the text around them', () => {
    const page = `before\n\n${asMarked('a', 'old')}\nbetween\n${asMarked('b', 'other')}after\n`;
    const changed = withMarked(page, 'a', 'new\nlines');
    expect(changed).toBe(page.replace('old', 'new\nlines'));
    expect(marked(changed, 'a')).toBe('new\nlines\n');
    expect(withMarked(changed, 'a', 'old')).toBe(page);
  });

  it.each(['nothing', `${asMarked('a', '1')}${asMarked('a', '2')}`, '<!-- end of a -->\n<!-- a -->\n'])(
    'are missed in %j',
    (page) => {
      expect(() => marked(page, 'a')).toThrow(
        'Expected <!-- a --> and then <!-- end of a --> once in the page',
      );
    },
  );
});

describe('the line above a table', () => {
  it('has the command, the machine, the version, the commit, the day and a digest of the code', () => {
    const [measurement] = MEASUREMENTS;
    const line = provenanceLine(measurement!);
    expect(line).toContain('`npx node test/bench/engine.ts` on ');
    expect(provenanceOf(`${line}\n\n${table(['a'], [[1]])}`)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      commit: expect.stringMatching(/^[0-9a-f]{7,}$/),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      program: digestOf('test/bench/engine.ts'),
    });
    expect(provenanceOf('measured some time ago')).toBeUndefined();
  });

  it('is old after more than a version', () => {
    const all = ['0.3.0', '0.2.0', '0.1.0'];
    expect(['0.3.0', '0.2.0', '0.1.0', '0.0.1'].map((version) => versionsSince(version, all))).toEqual([
      0,
      1,
      2,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it('follows the code of the program and what it imports or starts in test', () => {
    const files = filesOf('test/bench/engine.ts');
    expect(files).toEqual(expect.arrayContaining(['test/bench/engine.ts', 'test/engine/random-pool.ts']));
    expect(files.every((file) => file.startsWith('test/'))).toBe(true);
    expect(filesOf('test/bench/neighbours.ts')).toContain('test/bench/neighbours/good-tenant.ts');
    expect(digestOf('test/bench/engine.ts')).not.toBe(digestOf('test/bench/service.ts'));
  });
});
