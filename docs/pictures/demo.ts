/**
 * Runs the demo, takes a picture of its console, stops it by Ctrl-C and draws what it printed: `npm run docs:pictures` writes
 * console.png and demo.svg; `-- SECONDS` plays for another time. What is drawn is the output as it came, less the tables before
 * the last one, which a terminal draws over.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { launched } from '../../test/console/launched.ts';
import { terminalPicture } from './terminal.ts';

const SECONDS_DEFAULT = 110;
const COLUMNS = 100;
/** In CSS pixels: the overview with five queues. */
const WINDOW = { width: 1280, height: 640 };

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const output = await playedDemo(Number(process.argv[2] ?? SECONDS_DEFAULT));
const lines = ['$ npx muster demo', ...withoutEarlierTables(output.trimEnd().split('\n'))];
writeFileSync(path('demo.svg'), terminalPicture(lines, COLUMNS, 'What npx muster demo prints'));

/** What the demo prints. Its console is opened with it, and drawn at its end. */
async function playedDemo(seconds: number): Promise<string> {
  const child = spawn(process.execPath, [path('../../lib/cli/muster.ts'), 'demo'], {
    env: { ...process.env, FORCE_COLOR: '1', COLUMNS: String(COLUMNS) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const consoleUrl = Promise.withResolvers<string>();
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more) => {
    text += more;
    const [, url] = /in a browser at (\S+)\n/.exec(stripVTControlCharacters(text)) ?? [];
    if (url !== undefined) consoleUrl.resolve(url);
  });
  await drawConsole(await consoleUrl.promise, 1_000 * seconds);
  child.kill('SIGINT');
  await closed;
  return text;
}

async function drawConsole(url: string, afterMs: number): Promise<void> {
  const browser = await launched();
  try {
    const page = await browser.newPage({ locale: 'en-US', viewport: WINDOW });
    await page.goto(url);
    await sleep(afterMs);
    await page.screenshot({ path: path('console.png') });
  } finally {
    await browser.close();
  }
}

function withoutEarlierTables(lines: readonly string[]): string[] {
  const tables = lines.flatMap((line, at) =>
    stripVTControlCharacters(line).startsWith('queue ') ? [at] : [],
  );
  const [first, last] = [tables[0], tables.at(-1)];
  if (first === undefined || last === undefined)
    throw new Error(`The demo printed no table:\n${lines.join('\n')}`);
  return [...lines.slice(0, first), ...lines.slice(last)];
}
