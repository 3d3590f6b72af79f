import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { Problem, parseWith } from '../contract/problem.ts';
import { checkQueueDefinition } from '../contract/queue-definition.ts';
import { type Imported, importRuleSet } from '../importers/flexmatch/import-rule-set.ts';
import { flexMatchRuleSet } from '../importers/flexmatch/rule-set.ts';
import type { ImportOptions } from '../importers/flexmatch/source.ts';
import { flexMatchTickets, ticketOf } from '../importers/flexmatch/tickets.ts';
import { importPlayFabQueue } from '../importers/playfab/import-queue.ts';
import { playFabQueue } from '../importers/playfab/queue.ts';
import type { ImportLine } from '../importers/report.ts';
import { importUnityQueue, type UnityOptions } from '../importers/unity/import-queue.ts';
import { unityQueue } from '../importers/unity/queue.ts';
import { parseTicketsFile } from '../service/tickets/parse-tickets.ts';
import { latestArrivalMs, matchOffline } from '../service/ticks/offline.ts';
import { positiveNumber, printJson } from './input.ts';
import { readJson } from './json-file.ts';
import { makeFolder, writeText } from './output.ts';

/** The command `import`: queue definitions from the files of other matchmakers. */
export function importCommand(): Command {
  return new Command('import')
    .summary('make a queue definition of the rules of another matchmaker')
    .description('Converts the rules of another matchmaker into a queue definition.')
    .addCommand(flexMatchCommand())
    .addCommand(playFabCommand())
    .addCommand(unityCommand());
}

interface FlexMatchOptions {
  readonly skill?: string;
  readonly skillOffset?: number;
  readonly timeout?: number;
  readonly name?: string;
  readonly out?: string;
  readonly try?: string;
}

function playFabCommand(): Command {
  return new Command('playfab')
    .summary('import a queue of PlayFab Matchmaking')
    .description(
      'Prints a queue definition with the meaning of a queue of PlayFab Matchmaking, in the JSON of its REST API, and on ' +
        'standard error the result for each property, as import flexmatch does.',
    )
    .argument('<file>', 'queue, JSON: what GetMatchmakingQueue returns')
    .option('--skill <path>', 'the path of the number attribute that becomes the skill of players')
    .option('--timeout <seconds>', 'GiveUpAfterSeconds of the tickets', positiveNumber)
    .option('--name <queue>', 'name of the queue (default: that in the file)')
    .option('--out <folder>', 'write the definition to this folder instead, as QUEUE.json')
    .action((file: string, { timeout, out, ...options }: Omit<FlexMatchOptions, 'try' | 'skillOffset'>) => {
      const queue = parseWith(playFabQueue, readJson(file, { comments: true }), file);
      const { definition, lines } = importPlayFabQueue(queue, { ...options, timeoutSeconds: timeout });
      report([...lines, ...faultsOf(definition)]);
      write(definition, out);
    });
}

function unityCommand(): Command {
  return new Command('unity')
    .summary('import a pool of Unity Matchmaker')
    .description(
      'Prints a queue definition with the meaning of a pool of Unity Matchmaker and, on standard error, the result for each ' +
        'property, as import flexmatch does.',
    )
    .argument('<file>', 'queue (.mmq) or the match logic of a pool, JSON')
    .option('--pool <name>', 'the pool (default: the default pool)')
    .option('--skill <field>', 'the field of the data of players that becomes their skill')
    .option('--name <queue>', 'name of the queue (default: that in the file)')
    .option('--out <folder>', 'write the definition to this folder instead, as QUEUE.json')
    .action((file: string, { out, ...options }: UnityOptions & { readonly out?: string }) => {
      const queue = parseWith(unityQueue, readJson(file, { comments: true }), file);
      const { definition, lines } = importUnityQueue(queue, options);
      report([...lines, ...faultsOf(definition)]);
      write(definition, out);
    });
}

function flexMatchCommand(): Command {
  return new Command('flexmatch')
    .summary('import a FlexMatch rule set')
    .description(
      'Prints a queue definition with the meaning of a FlexMatch rule set and, on standard error, the result for each ' +
        'property: same, nearly the same (with the difference) or not possible (with the reason). Ends with status 1 ' +
        'unless every property is the same: then all matches and all waits are what FlexMatch permits.',
    )
    .argument('<file>', 'rule set, JSON; comments are allowed')
    .option('--skill <attribute>', 'the number attribute that becomes the skill of players')
    .option('--skill-offset <number>', 'is added to every skill, because a skill is not negative', anyNumber)
    .option('--timeout <seconds>', 'requestTimeoutSeconds of the matchmaking configuration', positiveNumber)
    .option('--name <queue>', 'name of the queue (default: that of the rule set)')
    .option('--out <folder>', 'write the definition to this folder instead, as QUEUE.json')
    .option(
      '--try <tickets>',
      'instead of the definition, print what one tick of the queue does with these tickets: a JSON list of requests of StartMatchmaking, or the output of DescribeMatchmaking',
    )
    .action((file: string, { timeout, ...options }: FlexMatchOptions) => {
      const ruleSet = parseWith(flexMatchRuleSet, readJson(file, { comments: true }), file);
      const choices: ImportOptions = { ...options, timeoutSeconds: timeout };
      const imported = importRuleSet(ruleSet, choices);
      const checked = [...imported.lines, ...faultsOf(imported.definition)];
      report(checked);
      if (options.try !== undefined) tryTickets(imported, options.try);
      else write(imported.definition, options.out);
    });
}

/** Prints a line for each property. The status is 0 when all of them are the same. */
function report(lines: readonly ImportLine[]): void {
  for (const { property, outcome, note } of lines)
    console.error(`${property}: ${outcome}${note === undefined ? '' : ` (${note})`}`);
  if (lines.some(({ outcome }) => outcome !== 'same')) process.exitCode = 1;
}

function write(definition: Imported['definition'], folder: string | undefined): void {
  if (folder === undefined) {
    printJson(definition);
    return;
  }
  makeFolder(folder);
  writeText(join(folder, `${String(definition.name)}.json`), `${JSON.stringify(definition, null, 2)}\n`);
}

/** Runs one tick over tickets of FlexMatch, and prints what `muster match` prints. */
function tryTickets({ definition, source }: Imported, file: string): void {
  const queue = checkQueueDefinition(definition, 'The definition');
  const given = parseWith(flexMatchTickets, readJson(file), file);
  const nowMs = Date.now();
  const list = given.map((one) => ticketOf(one, source, nowMs));
  const tickets = parseTicketsFile(list, queue, file);
  printJson(matchOffline(queue, tickets, Math.max(nowMs, latestArrivalMs(tickets))));
}

function anyNumber(value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError(`Expected a number, got ${value}.`);
}

/** The faults of the definition, such as more seats than a match can have. */
function faultsOf(definition: Imported['definition']): readonly ImportLine[] {
  try {
    checkQueueDefinition(definition, 'The definition');
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ pointer, detail }) => ({
      property: `the definition's ${pointer}`,
      outcome: 'not possible' as const,
      note: detail,
    }));
  }
}
