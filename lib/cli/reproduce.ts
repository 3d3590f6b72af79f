import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { Failure, InvalidInput } from './failure.ts';
import { printJson, readQueueFile, readTicketsFile, wholeNumber } from './input.ts';

/** The package has no research: `lib/package/build.ts`. */
const RESEARCH = new URL('../research', import.meta.url);

const PAPERS = ['alman', 'wu', 'xu', 'schlup', 'switchback', 'ratings'] as const;
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

/** Runs a paper's algorithms as printed and compares its figures with ours. */
export function reproduceCommand(): Command {
  return new Command('reproduce')
    .summary("compare a paper's results with ours")
    .description(
      "Runs a paper's algorithms as printed and compares its figures with ours, each with its standard error and a " +
        'verdict: `holds`; `corrected`, when the paper has a mistake and the formula derived again agrees; or `fails`. ' +
        'The exit status is 1 when any verdict is `fails`. `bounds` compares the recommended policy with a proved lower ' +
        'bound on the cost of every schedule and with the best schedule found with hindsight (docs/research/bounds.md).',
    )
    .addArgument(new Argument('<paper>', 'which paper, or `bounds`').choices([...PAPERS, 'bounds']))
    .option('--json', 'print the results as JSON')
    .option(
      '--players <n>',
      `players per measurement (default: ${PLAYERS}; for bounds ${BOUNDS_PLAYERS}, and more at higher rates)`,
      wholeNumber(1),
    )
    .option('--seed <n>', 'the same seed gives the same run', wholeNumber(0), SEED)
    .option('--plots <dir>', 'also write the plots of docs/research/papers.md to this directory, as SVG')
    .option('--queue <file>', 'bounds: measure this queue definition, with --arrivals')
    .option('--arrivals <file>', 'bounds: the tickets of that queue, as for `muster simulate`')
    .action(async (name: (typeof PAPERS)[number] | 'bounds', options: Options) => {
      const research = await loadResearch();
      const result =
        name === 'bounds'
          ? await research.reproduceBounds(boundsOptions(options))
          : await research.reproducePaper(name, paperOptions(name, options));
      if (options.json) printJson(result);
      else process.stdout.write(research.textOf(result));
      if (options.plots !== undefined) writePlots(await research.plotsOf(result), options.plots);
      if (result.verdict === 'fails') process.exitCode = 1;
    });
}

/**
 * Loaded on use, so that other commands start fast and need none of it.
 * @throws Failure in an installation without the research
 */
async function loadResearch() {
  if (!existsSync(RESEARCH))
    throw new Failure(
      'muster reproduce needs a checkout of Muster, because the package leaves out the papers. ' +
        'In a clone of the repository run: npm ci && npx muster reproduce',
    );
  return import('../research/reproduce.ts');
}

function paperOptions(
  name: (typeof PAPERS)[number],
  { seed, players = PLAYERS, queue, arrivals, plots }: Options,
) {
  if ((name === 'switchback' || name === 'ratings') && plots !== undefined)
    throw new InvalidInput(`--plots: Expected it with another paper; ${name} has no plots`);
  if (queue !== undefined || arrivals !== undefined)
    throw new InvalidInput('--queue and --arrivals: Expected them with bounds only');
  if (players < PLAYERS_MIN)
    throw new InvalidInput(`--players: Expected at least ${PLAYERS_MIN} for a paper, got ${players}`);
  return { seed, players };
}

function boundsOptions({ seed, players = BOUNDS_PLAYERS, plots, queue, arrivals }: Options) {
  if (plots !== undefined) throw new InvalidInput('--plots: Expected it with a paper; bounds has no plots');
  if (queue === undefined && arrivals === undefined) return { seed, players };
  if (queue === undefined || arrivals === undefined)
    throw new InvalidInput('--queue and --arrivals: Expected both or none');
  const definition = readQueueFile(queue);
  return { seed, players, measured: { definition, tickets: readTicketsFile(arrivals, definition) } };
}

function writePlots(
  plots: readonly { readonly name: string; readonly svg: string }[],
  directory: string,
): void {
  mkdirSync(directory, { recursive: true });
  for (const { name, svg } of plots) writeFileSync(join(directory, `${name}.svg`), svg);
}
