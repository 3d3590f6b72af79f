/**
 * Builds the package that strangers install, in `dist`: JavaScript and declarations of lib, the bundles of the functions, the
 * console's page, the queues of the demo, and a package.json of its own. `npm run package` builds it and packs it.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from '../console/page-files.ts';
import { bundleAll } from '../infra/bundle.ts';
import './client-types.ts';
import { packageManifest } from './manifest.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

const root = join(import.meta.dirname, '../..');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
compile();
for (const file of globSync('**/*.{js,d.ts}', { cwd: dist })) rewrite(join(dist, file));
const page = join(dist, 'lib/console/page-built');
mkdirSync(page, { recursive: true });
const sources = new Set<string>();
for (const [name, body] of await buildPage(sources)) writeFileSync(join(page, name), body);
for (const [name, bundle] of bundleAll()) {
  for (const path of bundle.sources) sources.add(path);
  mkdirSync(join(dist, 'lambdas', name), { recursive: true });
  writeFileSync(join(dist, 'lambdas', name, 'index.mjs'), bundle.code);
}
for (const name of ['cdk.json', 'queues', 'LICENSE', 'README.md', 'CHANGELOG.md'])
  cpSync(join(root, name), join(dist, name), { recursive: true });
for (const name of globSync('docs/*.schema.json', { cwd: root })) cpSync(join(root, name), join(dist, name));
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.md'), thirdPartyNotices(sources, root));
const manifest = packageManifest(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);

/**
 * Does not check types, which `npm run typecheck` has done before. More threads would take a third more processor time.
 * @throws with the errors of the compiler
 */
function compile(): void {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const args = ['-p', import.meta.dirname, '--pretty', 'false', '--singleThreaded'];
  const { status, stdout } = spawnSync(tsc, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout);
}

/** Names JavaScript where the source names TypeScript: in the imports of declarations, and in the paths of workers. */
function rewrite(path: string): void {
  const text = readFileSync(path, 'utf8');
  const rewritten = path.endsWith('.d.ts')
    ? text.replace(/((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2')
    : text.replace(/(new URL\('\.\/[\w-]+)\.ts(', import\.meta\.url\))/g, '$1.js$2');
  if (rewritten !== text) writeFileSync(path, rewritten);
}
