import { Command, Option } from '@commander-js/extra-typings';
import { gameJson } from '../contract/match.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { FROM_0_TO_1 } from '../simulation/option-values.ts';
import {
  comparedTo,
  type PlayResult,
  play,
  type WithoutBackfill,
  withoutBackfill,
} from '../simulation/play.ts';
import { runJson } from '../simulation/run-json.ts';
import { codeOption, withFunctions } from './code-option.ts';
import { InvalidInput } from './failure.ts';
import { numberArgument, type OptionsOf, readQueueFile, wholeNumber } from './input.ts';
import { interruptionSignal } from './interruption.ts';
import { CUT, checkOutputs, lineWriter, printRun, writeText } from './output.ts';
import { playInSlices } from './progress.ts';
import { reportPage } from './report/report.ts';
import { numbersOf, rulingOf } from './report/run-tables.ts';
import { experimentText, simulateExperiment } from './simulate-experiment.ts';
import { textTable } from './text-table.ts';
import { addTrafficOptions, type DescribedTraffic, trafficOf } from './traffic-options.ts';

/** Plays queue definitions on simulated players and measures waits and matches. */
export const simulateCommand = () => withOptions(new Command('simulate')).action(simulate);

type SimulateOptions = OptionsOf<typeof withOptions>;

function withOptions(command: Command) {
  const described = command
    .summary('show the waits and matches a queue definition gives its players')
    .description(
      'Plays queue definitions in virtual time, with the search and the policies of the service. Several files are ' +
        'compared on the same arrivals.',
    )
    .requiredOption('--queue <file...>', 'queue definitions');
  return addTrafficOptions(described, `${LENGTH.players}, or all of the file`)
    .option('--matches <file>', 'write every match as one line of JSON')
    .option('--report <file>', 'write the results as one HTML page with charts')
    .addOption(
      new Option(
        '--experiment <file>',
        'play this experiment, whose variants take turns, for all of its days (docs/experiments.md)',
      ).conflicts(['matches', 'report', 'leavers', 'matchLength']),
    )
    .addOption(
      new Option(
        '--ladder <file>',
        'give players true skills, and rate them by results drawn from these with this ladder (docs/ratings.md)',
      ).conflicts(['experiment', 'matches', 'report', 'leavers', 'matchLength']),
    )
    .option(
      '--community <players>',
      'with --ladder: how many players take turns (default: 1000)',
      wholeNumber(1),
    )
    .option(
      '--newcomers <chance>',
      'with --ladder: chance that an arriving player is new (default: 0.02)',
      numberArgument(FROM_0_TO_1),
    )
    .option(
      '--placement <matches>',
      'with --ladder: first matches of a player, among other new players',
      wholeNumber(1),
    )
    .addOption(
      new Option(
        '--also <file...>',
        'further queues of the same group, in which linked tickets wait at the same time',
      ).conflicts(['arrivals', 'ladder', 'experiment', 'matches', 'report']),
    )
    .option(
      '--share <share>',
      'with --also: the share of linked tickets, 0 to 1 (default: 0.2)',
      numberArgument(FROM_0_TO_1),
    )
    .option(
      '--posts <weights>',
      'with --also: weights of the queues that tickets are posted to, such as duel=3,arena=1 (default: equal)',
    )
    .addOption(codeOption())
    .option('--json', 'print the results as JSON (default: when the output is not a terminal)');
}

/** Plays an experiment, a ladder, or the definitions side by side, and prints what came out. */
async function simulate(options: SimulateOptions): Promise<void> {
  const readQueue = (file: string) => withFunctions(readQueueFile(file), file);
  const definitions = options.queue.map(readQueue);
  const { ladder, experiment, also } = options;
  requireFor('also', options, ['share', 'posts']);
  requireFor('ladder', options, ['community', 'newcomers', 'placement']);
  if (also !== undefined) {
    const queue = onlyOne('--also', definitions, 'name the further queues after --also');
    const { alsoText, simulateAlso } = await import('./simulate-also.ts');
    const all = [queue, ...also.map(readQueue)];
    const result = await simulateAlso(all, options, interruptionSignal());
    printRun(options, result, () => alsoText(result));
    return printWarnings(result.together.queues.map(({ queue: name, warnings }) => ({ name, warnings })));
  }
  if (ladder !== undefined) {
    const queue = onlyOne('--ladder', definitions, 'each needs its own players');
    // The library of ratings is loaded by this option alone.
    const { ladderText, simulateLadder } = await import('./simulate-ladder.ts');
    const result = await simulateLadder(ladder, queue, options, interruptionSignal());
    return printRun(options, result, () => ladderText(result));
  }
  if (experiment !== undefined) {
    const queue = onlyOne('--experiment', definitions, 'its variants are in the file');
    const result = await simulateExperiment(experiment, queue, options, interruptionSignal());
    return printRun(options, result, () => experimentText(result));
  }
  if (options.matches !== undefined) onlyOne('--matches', definitions, 'the lines do not name their queue');
  return simulateQueues(options, definitions);
}

function onlyOne(flag: string, definitions: readonly QueueDefinition[], why: string): QueueDefinition {
  const [definition, ...others] = definitions;
  if (others.length > 0)
    throw new InvalidInput(`${flag}: Expected one queue definition, got several: ${why}`);
  return definition!;
}

type OptionName = keyof SimulateOptions;

/** Refuses options that have a meaning with another one alone, when that is not given. */
function requireFor(other: OptionName, options: SimulateOptions, names: readonly OptionName[]): void {
  if (options[other] !== undefined) return;
  for (const name of names)
    if (options[name] !== undefined) throw new InvalidInput(`--${name}: Expected --${other} with it`);
}

async function simulateQueues(
  options: SimulateOptions,
  definitions: readonly QueueDefinition[],
): Promise<void> {
  const { queue, arrivals, skills, code } = options;
  checkOutputs([options.matches, options.report], [...queue, arrivals, skills, code]);
  const traffic = definitions.map((definition) => trafficOf(options, definition, LENGTH));
  const signal = interruptionSignal();
  const runs: QueueRun[] = [];
  for (const [at, definition] of definitions.entries()) {
    if (signal.aborted) break;
    const result = await run(definition, traffic[at], options.matches, signal);
    const without = await runWithout(definition, traffic[at], signal);
    runs.push({ name: definition.name, definition, ...result, ...(without && { without }) });
  }
  const interrupted = signal.aborted;
  if (options.report !== undefined) {
    const names = [...new Set(runs.map(({ name }) => name))].join(', ');
    const text = traffic[0].text + (interrupted ? CUT : '');
    const section = { title: names, text, runs: withDistinctNames(runs) };
    writeText(options.report, reportPage(`Simulation of ${names}`, [section]));
  }
  const results = runs.map(({ definition, without, ...result }) => ({
    ...runJson(definition, result, { seed: Number(options.seed), interrupted }),
    ...(without && { withoutBackfill: without }),
  }));
  const all = results.length === 1 ? results[0] : { runs: results, interrupted };
  printRun(options, all, () => textOf(runs));
  printWarnings(runs);
}

function printWarnings(runs: readonly Pick<QueueRun, 'name' | 'warnings'>[]): void {
  for (const { name, warnings } of runs) for (const warning of warnings) console.error(`${name}: ${warning}`);
}

/** A definition with its results, beside those of the same queue without its backfills. */
interface QueueRun extends PlayResult {
  readonly name: string;
  readonly definition: QueueDefinition;
  readonly without?: WithoutBackfill;
}

/** Plays a definition, and writes its matches. */
async function run(
  definition: QueueDefinition,
  traffic: DescribedTraffic,
  matchesFile: string | undefined,
  signal: AbortSignal,
): Promise<PlayResult> {
  const lines = matchesFile === undefined ? undefined : lineWriter(matchesFile);
  const played = play(definition, traffic, (game, nowMs) =>
    lines?.write(JSON.stringify({ releasedAt: new Date(nowMs).toISOString(), ...gameJson(game) })),
  );
  const result = await playInSlices(definition.name, played, traffic.players, signal);
  lines?.end();
  return result;
}

/** Plays the queue without its backfills, to compare; undefined when its matches ask for no players. */
async function runWithout(
  definition: QueueDefinition,
  traffic: DescribedTraffic,
  signal: AbortSignal,
): Promise<WithoutBackfill | undefined> {
  const other = withoutBackfill(definition, traffic);
  return other && !signal.aborted ? comparedTo(await run(other, traffic, undefined, signal)) : undefined;
}

const LENGTH = { players: 20_000 };

/** Definitions with the same name are named by their policy and position. */
function withDistinctNames<Run extends { name: string; definition: QueueDefinition }>(
  runs: readonly Run[],
): Run[] {
  return runs.map((run, at) => {
    const isAlone = runs.every((other) => other === run || other.name !== run.name);
    return isAlone ? run : { ...run, name: `${run.definition.release.policy} ${at + 1}` };
  });
}

/** The results for a terminal. Ends without a line break. */
function textOf(runs: readonly QueueRun[]): string {
  const named = withDistinctNames(runs);
  return [numbersOf(named), ...named.flatMap(rulingOf)]
    .map(({ title = '', columns, rows }) => textTable([[title, ...columns], ...rows]).join('\n'))
    .join('\n\n');
}
