import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROUTE_KEYS, routeOf } from '../lib/contract/routes.ts';

const root = join(import.meta.dirname, '..');
const pages = globSync('{*.md,llms.txt,docs/**/*.md}', { cwd: root })
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
    const names = found(/`((?:lib|lambdas|test|examples|queues)\/[\w./-]+\.(?:ts|json))`/g);
    expect(names.length).toBeGreaterThan(50);
    // `NAME.ts` stands for a file to write.
    const missing = names.filter(({ target }) => !/NAME/.test(target) && !existsSync(join(root, target)));
    expect(missing.map(written)).toEqual([]);
  });
});

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
