import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getOrCreate } from '../vocabulary/get-or-create.ts';

/**
 * The licences of the packages whose code is in the bundles of the functions and of the console's page, as Markdown. Each
 * licence text is there once, with the packages under it. Packages that npm installs beside ours bring their own.
 * @param sources paths of all files that were bundled, relative to the working directory or absolute
 * @param root the checkout, whose LICENSE has the text of Apache-2.0
 * @throws when the licence of a package is unknown: its text must be added here
 */
export function thirdPartyNotices(sources: Iterable<string>, root: string): string {
  const byText = new Map<string, string[]>();
  for (const folder of packageFolders(sources)) {
    const { name, version, license, author }: Manifest = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const text = licenceTexts(folder) ?? standardText(license, author, name, root);
    getOrCreate(byText, text, () => []).push(`${name} ${version} (${license})`);
  }
  const parts = [...byText].map(([text, packages]) => `## ${packages.join(', ')}\n\n~~~\n${text}\n~~~\n`);
  return [INTRODUCTION, ...parts].join('\n');
}

const INTRODUCTION = `# Third-party notices

The functions and the console's page contain code of these packages, under these licences.
`;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** The folders of the packages that files belong to, sorted. */
function packageFolders(sources: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const path of sources) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(resolve(path))?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  return [...folders].sort();
}

/** The texts of the licence and notice files of a package; undefined without one. */
function licenceTexts(folder: string): string | undefined {
  const files = globSync('{LICENSE,LICENCE,NOTICE,COPYING,license,licence,notice}*', { cwd: folder }).sort();
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return texts.length === 0 ? undefined : [...new Set(texts)].join('\n\n');
}

/** The text of a licence that a package names without a file of its own. */
function standardText(
  license: string | undefined,
  author: Manifest['author'],
  name: string,
  root: string,
): string {
  const file = join(root, 'LICENSE');
  if (license === 'Apache-2.0' && existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (license !== 'MIT' && license !== 'MIT-0')
    throw new Error(
      `Expected a licence file in the package ${name}, or the licence Apache-2.0, MIT or MIT-0, got ${license}: add its text to third-party-notices.ts.`,
    );
  const holder = typeof author === 'object' ? author.name : (author ?? `the authors of ${name}`);
  const condition = license === 'MIT' ? MIT_CONDITION : '.';
  return `Copyright (c) ${holder}\n\n${MIT_GRANT}${condition}\n\n${MIT_DISCLAIMER}`;
}

const MIT_GRANT =
  'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so';
const MIT_CONDITION =
  ', subject to the following conditions:\n\nThe above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.';
const MIT_DISCLAIMER =
  'THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.';
