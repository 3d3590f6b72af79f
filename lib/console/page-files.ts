import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the page, as the server sends it. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** The body, compressed. */
  readonly gzipped: Buffer;
}

/** The files of the page by name: `index.html`, scripts, styles and the icon. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The page's source. */
const SOURCE_DIR = join(import.meta.dirname, 'page');
/** Where a package has the page already built. A checkout does not have this folder. */
const BUILT_DIR = join(import.meta.dirname, 'page-built');
/** Modules that the browser loads by themselves: the page, and the worker that runs the engine. */
const ENTRIES = ['console.tsx', 'engine-worker.ts'];
/** Files that are sent as they are. */
const STATIC = ['index.html', 'icon.svg'];

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The page of the console. The files of a package are read. A checkout bundles its source in memory, which takes a
 * fraction of a second, and nothing stale can remain on disk.
 *
 * @throws esbuild's error when the source does not compile
 */
export async function pageFiles(): Promise<PageFiles> {
  const contents = existsSync(BUILT_DIR) ? readFolder(BUILT_DIR) : await buildPage();
  const files = await Promise.all(
    Array.from(
      contents,
      async ([name, body]): Promise<[string, PageFile]> => [
        name,
        {
          type: TYPES[extname(name)] ?? 'application/octet-stream',
          body,
          gzipped: await promisify(gzip)(body),
        },
      ],
    ),
  );
  return new Map(files);
}

/**
 * Bundles the page for browsers. To ship the page in a package, write these files into `page-built` beside this file.
 *
 * @param sources gets the paths of the files that the bundle contains, for their licences
 * @returns contents by file name
 */
export async function buildPage(sources = new Set<string>()): Promise<Map<string, Buffer>> {
  // Imported on demand: most starts of a console are of a service whose console is not opened.
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: ENTRIES.map((name) => join(SOURCE_DIR, name)),
    outdir: SOURCE_DIR,
    write: false,
    bundle: true,
    // Pages that are opened later are chunks of their own.
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  for (const path of Object.keys(metafile.inputs)) sources.add(path);
  const files = new Map(STATIC.map((name) => [name, readFileSync(join(SOURCE_DIR, name))]));
  for (const { path, contents } of outputFiles) files.set(basename(path), Buffer.from(contents));
  return files;
}

function readFolder(folder: string): Map<string, Buffer> {
  return new Map(globSync('*', { cwd: folder }).map((name) => [name, readFileSync(join(folder, name))]));
}
