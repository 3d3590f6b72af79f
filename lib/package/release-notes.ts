/**
 * Checks that a tag may be released, and prints the notes of its release: `npx node lib/package/release-notes.ts v0.2.0`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * The section of a version in the changelog, without its heading.
 *
 * @param tag `v` and the version, such as v0.2.0
 * @param version of package.json
 * @throws Error when the tag is not that of the version, or the changelog has no section of it with a date
 */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`)
    throw new Error(`Expected the tag v${version}, the version in package.json, got ${tag || 'nothing'}`);
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${version}]`)) ?? '';
  const [heading = '', ...lines] = section.split('\n');
  if (!/^\[[^\]]+\] - \d{4}-\d\d-\d\d$/.test(heading))
    throw new Error(
      `Expected a heading "## [${version}] - " with a date in CHANGELOG.md, got ${heading || 'none'}`,
    );
  return `${lines.join('\n').trim()}\n`;
}

if (import.meta.main) {
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  try {
    const { version } = JSON.parse(read('package.json'));
    process.stdout.write(releaseNotes(process.argv[2] ?? '', version, read('CHANGELOG.md')));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
