import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { InvalidInput } from '../../lib/cli/failure.ts';
import { printJson, readQueueFile, readTicketsFile, wholeNumber } from '../../lib/cli/input.ts';
import type { ReproduceOptions, Reproduction } from './papers/finding.ts';
import { textOf } from './reproduction-text.ts';

/** Each is loaded on use: `muster` loads this file with every command. */
const PAPERS: Readonly<Record<string, () => Promise<(options: ReproduceOptions) => Reproduction>>> = {
  alman: async () => (await import('./papers/alman/alman.ts')).reproduceAlman,
  wu: async () => (await import('./papers/wu/wu.ts')).reproduceWu,
  xu: async () => (await import('./papers/xu/xu.ts')).reproduceXu,
  schlup: async () => (await import('./papers/schlup/schlup.ts')).reproduceSchlup,
  switchback: async () => (await import('./papers/switchback/switchback.ts')).reproduceSwitchback,
};
const SEED = 2017;
const PLAYERS = 1_000_000;
/** Below this, too many figures of a paper would miss their limits by chance. */
const PLAYERS_MIN = 10_000;
/** Players at one per second, and more at higher rates: some minutes of processor time in all. */
const BOUNDS_PLAYERS = 400;

interface Options {
  readonly seed: number;
  readonly players?: number;
  readonly json?: true;
  readonly plots?: string;
  readonly queue?: string;
  readonly arrivals?: string;
}

/**
 * `muster reproduce`: runs a paper's algorithms as printed and compares its figures with ours.
 * @param command of this name, to which the options and the action are added
 */
export function reproduceCommand(command: Command): Command {
  return command
    .description(
      "Runs a paper's algorithms as printed and compares its figures with ours, each with its standard error and a " +
        'verdict: `holds`; `corrected`, when the paper has a mistake and the formula derived again agrees; or `fails`. ' +
        'The exit status is 1 when any verdict is `fails`. `bounds` compares the recommended policy with a proved lower ' +
        'bound on the cost of every schedule and with the best schedule found with hindsight (research/docs/bounds.md).',
    )
    .addArgument(
      new Argument('<paper>', 'which paper, or `bounds`').choices([...Object.keys(PAPERS), 'bounds']),
    )
    .option('--json', 'print the results as JSON')
    .option(
      '--players <n>',
      `players per measurement (default: ${PLAYERS}; for bounds ${BOUNDS_PLAYERS}, and more at higher rates)`,
      wholeNumber(1),
    )
    .option('--seed <n>', 'the same seed gives the same run', wholeNumber(0), SEED)
    .option('--plots <dir>', 'also write the plots of research/docs/papers.md to this directory, as SVG')
    .option('--queue <file>', 'bounds: measure this queue definition, with --arrivals')
    .option('--arrivals <file>', 'bounds: the tickets of that queue, as for `muster simulate`')
    .action(async (name: string, options: Options) => {
      const result = await (name === 'bounds' ? reproduceBounds(options) : reproducePaper(name, options));
      if (options.json) printJson(result);
      else process.stdout.write(textOf(result));
      if (options.plots !== undefined) await writePlots(result, options.plots);
      if (result.verdict === 'fails') process.exitCode = 1;
    });
}

async function reproducePaper(
  name: string,
  { seed, players = PLAYERS, queue, arrivals, plots }: Options,
): Promise<Reproduction> {
  if (name === 'switchback' && plots !== undefined)
    throw new InvalidInput(`--plots: Expected it with another paper; switchback has no plots`);
  if (queue !== undefined || arrivals !== undefined)
    throw new InvalidInput('--queue and --arrivals: Expected them with bounds only');
  if (players < PLAYERS_MIN)
    throw new InvalidInput(`--players: Expected at least ${PLAYERS_MIN} for a paper, got ${players}`);
  const reproduce = await PAPERS[name]();
  return reproduce({ seed, players });
}

/** Compares `option-value` with the bound on every schedule, in the standard scenarios or on a queue and its tickets. */
async function reproduceBounds({
  seed,
  players = BOUNDS_PLAYERS,
  plots,
  queue,
  arrivals,
}: Options): Promise<Reproduction> {
  if (plots !== undefined) throw new InvalidInput('--plots: Expected it with a paper; bounds has no plots');
  if ((queue === undefined) !== (arrivals === undefined))
    throw new InvalidInput('--queue and --arrivals: Expected both or none');
  const hindsight = await import('./hindsight/bounds.ts');
  if (queue === undefined || arrivals === undefined)
    return hindsight.reproduceBounds(hindsight.standardScenarios(players, seed), { players, seed });
  const definition = readQueueFile(queue);
  const scenario = hindsight.scenarioOfTickets(definition, readTicketsFile(arrivals, definition), players);
  return hindsight.reproduceBounds([scenario], { players, seed });
}

async function writePlots(result: Reproduction, directory: string): Promise<void> {
  const { plotsOf } = await import('./papers/plots.ts');
  mkdirSync(directory, { recursive: true });
  for (const { name, svg } of await plotsOf(result)) writeFileSync(join(directory, `${name}.svg`), svg);
}
