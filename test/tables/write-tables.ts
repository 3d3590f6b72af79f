/**
 * `npm run docs:tables`: measures, and writes the tables of the documentation with the machine, the commit and the day.
 * `npm run docs:tables -- WORDS…` takes the programs and tables whose names contain one of the words, `--list` only lists them.
 * Some take an hour. Run them on an otherwise idle machine. `npm run docs:bounds` (`--derived`) writes what follows from the
 * code alone, which takes seconds.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { DERIVED } from './derived.ts';
import { marked, withMarked } from './marked.ts';
import { commandOf, MEASUREMENTS, type Measurement } from './measurements.ts';
import { provenanceLine, ROOT } from './provenance.ts';

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    derived: { type: 'boolean', default: false },
  },
});

if (values.derived) for (const { name, page, text } of DERIVED) put(page, name, text());
else for (const measurement of chosen()) await (values.list ? list : write)(measurement);

function chosen(): Measurement[] {
  const some = MEASUREMENTS.filter((measurement) => {
    const names = [commandOf(measurement), ...Object.keys(measurement.tables)];
    return words.length === 0 || words.some((word) => names.some((name) => name.includes(word)));
  });
  if (some.length > 0) return some;
  throw new Error(`Expected words of a program or a table, got "${words.join(' ')}". --list shows all.`);
}

function list(measurement: Measurement): void {
  console.log(`${commandOf(measurement)}: about ${measurement.minutes} minutes`);
  for (const [name, page] of Object.entries(measurement.tables)) console.log(`  ${name} (${page})`);
}

/** Runs the program and writes its tables, also when it reports a missed target by its status. */
async function write(measurement: Measurement): Promise<void> {
  list(measurement);
  const { program, args = [], node = [], tables } = measurement;
  const child = spawn(process.execPath, [...node, program, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (status !== 0) {
    console.error(`${commandOf(measurement)} ended with status ${status}:\n${printed}`);
    process.exitCode = 1;
  }
  const line = provenanceLine(measurement);
  // All of them are read first, so that a missing table changes no page.
  const texts = Object.entries(tables).map(([name, page]) => ({ name, page, text: marked(printed, name) }));
  for (const { name, page, text } of texts) put(page, name, `${line}\n\n${text}`);
}

function put(page: string, name: string, text: string): void {
  const path = join(ROOT, page);
  writeFileSync(path, withMarked(readFileSync(path, 'utf8'), name, text));
}
