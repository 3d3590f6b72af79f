/**
 * Runs the demo, stops it by Ctrl-C and draws what it printed: `npx node docs/pictures/demo.ts [SECONDS]` writes demo.svg.
 * What is drawn is the output as it came, less the tables before the last one, which a terminal draws over.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { terminalPicture } from './terminal.ts';

const SECONDS_DEFAULT = 45;
const COLUMNS = 100;

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const output = await demoOutput(Number(process.argv[2] ?? SECONDS_DEFAULT));
const lines = ['$ npx muster demo', ...withoutEarlierTables(output.trimEnd().split('\n'))];
writeFileSync(path('demo.svg'), terminalPicture(lines, COLUMNS, 'What npx muster demo prints'));

async function demoOutput(seconds: number): Promise<string> {
  const child = spawn(process.execPath, [path('../../lib/cli/muster.ts'), 'demo'], {
    env: { ...process.env, FORCE_COLOR: '1', COLUMNS: String(COLUMNS) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let stopping = false;
  child.stdout.setEncoding('utf8').on('data', (more) => {
    text += more;
    if (stopping || !text.includes('Posting')) return;
    stopping = true;
    setTimeout(() => child.kill('SIGINT'), 1_000 * seconds);
  });
  await once(child, 'close');
  return text;
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
