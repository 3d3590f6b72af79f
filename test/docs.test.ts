import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROUTE_KEYS, routeOf } from '../lib/contract/routes.ts';

const root = join(import.meta.dirname, '..');
const pages = globSync('{*.md,llms.txt,docs/**/*.md,research/*.md,research/docs/**/*.md}', { cwd: root })
  .sort()
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** All matches of a pattern's first group, each with its page. */
const found = (pattern: RegExp) =>
  pages.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(([, target]) => ({ file, target: target! })),
  );
const written = ({ file, target }: { file: string; target: string }) => `${file}: ${target}`;

describe('the documentation', () => {
  it('has no conflict markers of a merge', () => {
    expect(found(/^((?:<<<<<<<|>>>>>>>) .*)$/gm).map(written)).toEqual([]);
  });

  it('links to files that exist', () => {
    const links = found(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g);
    expect(links.length).toBeGreaterThan(50);
    expect(
      links.filter(({ file, target }) => !existsSync(join(root, dirname(file), target))).map(written),
    ).toEqual([]);
  });

  it('links to headings that exist', () => {
    const headings = new Map(pages.map(({ file, text }) => [file, headingsOf(text)]));
    const links = found(/\]\(((?!https?:)[^)\s]*#[^)\s]+)\)/g);
    expect(links.length).toBeGreaterThan(20);
    const missing = links.filter(({ file, target }) => {
      const [page, heading] = target.split('#');
      const linked = page === '' ? file : join(dirname(file), page!);
      return linked.endsWith('.md') && !headings.get(linked)?.includes(heading!);
    });
    expect(missing.map(written)).toEqual([]);
  });

  it('names routes of the API, with the parameters of their queries', () => {
    const names = found(/`((?:GET|POST|PUT|DELETE) \/[^\s`]*)/g);
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter(({ target }) => !isRequest(target)).map(written)).toEqual([]);
  });

  it('names source files that exist', () => {
    const names = found(/`((?:lib|lambdas|test|examples|queues|research)\/[\w./-]+\.(?:ts|json))`/g);
    expect(names.length).toBeGreaterThan(50);
    // `NAME.ts` stands for a file to write.
    const missing = names.filter(({ target }) => !/NAME/.test(target) && !existsSync(join(root, target)));
    expect(missing.map(written)).toEqual([]);
  });
  it('names functions, classes and modules that the code has', () => {
    const files = globSync(
      '{lib,lambdas,test,examples,queues,research/lib,research/test}/**/*.{ts,tsx,css,json}',
      { cwd: root },
    );
    const code = files
      .map((file) => `${basename(file)}\n${readFileSync(join(root, file), 'utf8')}`)
      .join('\n');
    const known = new Set(code.match(/[A-Za-z][\w-]*/g));
    const names = found(/`([^`\n]+)`/g)
      // Pages about other products and packages have their names, and the log of changes those of its time.
      .filter(({ file }) => !/(from-\w+|compare|dependencies|CHANGELOG)\.md$/.test(file))
      .flatMap(
        ({ file, target }) => target.match(NAME_OF_CODE)?.map((name) => ({ file, target: name })) ?? [],
      );
    expect(names.length).toBeGreaterThan(500);
    expect(names.filter(({ target }) => !known.has(target) && !ALARM.test(target)).map(written)).toEqual([]);
  });
});

/** `camelCase`, `PascalCase` and `kebab-case` of two words or more. */
const NAME_OF_CODE = /(?<![\w$/.@%-])(?:[A-Za-z]\w*[a-z]\w*[A-Z]\w*|[a-z]+(?:-[a-z]+)+)(?![\w/-])/g;
/** Their names begin with that of a function; `test/infra` compares the page with the template. */
const ALARM = /^[A-Z]\w+(Late|Throttled)$/;

/** Whether a request such as `GET /tickets/t-1?waitSeconds=20` is one of the API. */
function isRequest(request: string): boolean {
  const [route, query = ''] = request.split('?');
  return ROUTE_KEYS.some((key) => {
    const isRoute = new RegExp(`^${key.replace(/\{\w+\}/g, '[^/]+')}$`).test(route!);
    const known = Object.keys(routeOf(key).query?.shape ?? {});
    return isRoute && [...new URLSearchParams(query).keys()].every((name) => known.includes(name));
  });
}

/** The anchors that a page's headings get. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}
