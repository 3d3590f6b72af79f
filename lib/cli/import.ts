import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from '@commander-js/extra-typings';
import { checkQueueDefinition } from '../contract/queue-definition.ts';
import {
  IMPORT_OPTIONS,
  type Imported,
  type Importer,
  type ImportOptions,
  imported,
} from '../importers/importer.ts';
import { IMPORTERS } from '../importers/importers.ts';
import type { ImportLine } from '../importers/report.ts';
import { parseTicketsFile } from '../service/tickets/parse-tickets.ts';
import { latestArrivalMs } from '../service/ticks/offline.ts';
import { numberArgument, printJson } from './input.ts';
import { readJson } from './json-file.ts';
import { searchOffline } from './match.ts';
import { checkOutputs, writeText } from './output.ts';

/** The command `import`: queue definitions from the files of other matchmakers. */
export function importCommand(): Command {
  const command = new Command('import')
    .summary('make a queue definition of the rules of another matchmaker')
    .description('Converts the rules of another matchmaker into a queue definition.');
  for (const [name, importer] of Object.entries(IMPORTERS))
    command.addCommand(commandOf(name, importer as Importer<object>));
  return command;
}

interface Options extends ImportOptions {
  readonly out?: string;
  readonly try?: string;
}

function commandOf(name: string, importer: Importer<object>) {
  const command = new Command(name)
    .summary(`import ${importer.title}`)
    .description(
      `Prints a queue definition with the meaning of ${importer.title} and, on standard error, the result for each ` +
        'property: same, nearly the same (with the difference) or not possible (with the reason). Ends with status 1 ' +
        'unless every property is the same: then all matches and all waits are what the original permits.',
    )
    .argument('<file>', importer.file);
  for (const option of importer.options) {
    const { flags, description, number } = { number: undefined, ...IMPORT_OPTIONS[option] };
    if (number === undefined) command.option(flags, description);
    else command.option(flags, description, numberArgument(number));
  }
  command
    .option('--name <queue>', 'name of the queue (default: that in the file)')
    .option('--out <folder>', 'write the definition to this folder instead, as QUEUE.json');
  if (importer.ticketsOf !== undefined)
    command.addOption(
      new Option(
        '--try <tickets>',
        'instead of the definition, print what one tick of the queue does with these tickets: a JSON list of requests of StartMatchmaking, or the output of DescribeMatchmaking',
      ).conflicts('out'),
    );
  return command.action((file: string, { out, try: tickets, ...options }: Options) => {
    const result = imported(importer, readJson(file, { comments: true }), file, options);
    report(result.lines);
    const { definition } = result;
    if (tickets !== undefined) tryTickets(importer, result, options, tickets);
    else if (out === undefined) printJson(definition);
    else {
      const path = join(out, `${String(definition.name)}.json`);
      if (existsSync(path)) checkOutputs([path], [file]);
      writeText(path, `${JSON.stringify(definition, null, 2)}\n`, { folder: true });
      console.error(`${path}: the definition`);
    }
  });
}

/** Prints a line for each property. The status is 0 when all of them are the same. */
function report(lines: readonly ImportLine[]): void {
  for (const { property, outcome, note } of lines)
    console.error(`${property}: ${outcome}${note === undefined ? '' : ` (${note})`}`);
  if (lines.some(({ outcome }) => outcome !== 'same')) process.exitCode = 1;
}

/** Runs one tick over tickets of the other matchmaker, and prints what `muster match` prints. */
function tryTickets(
  importer: Importer<object>,
  { definition, source }: Imported<object>,
  options: ImportOptions,
  file: string,
): void {
  const queue = checkQueueDefinition(definition, 'The definition');
  const nowMs = Date.now();
  const list = importer.ticketsOf!(readJson(file), file, source, options, nowMs);
  const tickets = parseTicketsFile(list, queue, file);
  printJson(searchOffline(queue, tickets, Math.max(nowMs, latestArrivalMs(tickets))));
}
