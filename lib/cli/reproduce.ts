import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { Argument, Command } from 'commander';
import type { Finding, ReproduceOptions, Reproduction, Verdict } from '../research/papers/finding.ts';
import { InvalidInput } from './failure.ts';
import { printJson, readQueueFile, readTicketsFile, wholeNumber } from './input.ts';

/** Loaded on use, so that other commands start fast. */
const PAPERS: Readonly<Record<string, () => Promise<(options: ReproduceOptions) => Reproduction>>> = {
  alman: async () => (await import('../research/papers/alman/alman.ts')).reproduceAlman,
  wu: async () => (await import('../research/papers/wu/wu.ts')).reproduceWu,
  xu: async () => (await import('../research/papers/xu/xu.ts')).reproduceXu,
  schlup: async () => (await import('../research/papers/schlup/schlup.ts')).reproduceSchlup,
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
    .option('--plots <dir>', 'also write the plots of docs/research/papers.md to this directory, as SVG')
    .option('--queue <file>', 'bounds: measure this queue definition, with --arrivals')
    .option('--arrivals <file>', 'bounds: the tickets of that queue, as for `muster simulate`')
    .action(async (paper: string, options: Options) => {
      const result = paper === 'bounds' ? await bounds(options) : await reproducePaper(paper, options);
      if (options.json) printJson(result);
      else printText(result);
      if (options.plots !== undefined) await writePlots(result, options.plots);
      if (result.verdict === 'fails') process.exitCode = 1;
    });
}

async function reproducePaper(paper: string, options: Options): Promise<Reproduction> {
  const { seed, players = PLAYERS, queue, arrivals } = options;
  if (queue !== undefined || arrivals !== undefined)
    throw new InvalidInput('--queue and --arrivals: Expected them with bounds only');
  if (players < PLAYERS_MIN)
    throw new InvalidInput(`--players: Expected at least ${PLAYERS_MIN} for a paper, got ${players}`);
  const reproduce = await PAPERS[paper]();
  return reproduce({ seed, players });
}

async function bounds({ seed, players = BOUNDS_PLAYERS, queue, arrivals }: Options): Promise<Reproduction> {
  const { reproduceBounds, scenarioOfTickets, standardScenarios } = await import(
    '../research/hindsight/bounds.ts'
  );
  if (queue === undefined && arrivals === undefined)
    return reproduceBounds(standardScenarios(players, seed), { seed, players });
  if (queue === undefined || arrivals === undefined)
    throw new InvalidInput('--queue and --arrivals: Expected both or none');
  const definition = readQueueFile(queue);
  const scenario = scenarioOfTickets(definition, readTicketsFile(arrivals, definition), players);
  return reproduceBounds([scenario], { seed, players });
}

async function writePlots(result: Reproduction, directory: string): Promise<void> {
  const { plotsOf } = await import('../research/papers/plots.ts');
  mkdirSync(directory, { recursive: true });
  for (const { name, svg } of plotsOf(result)) writeFileSync(join(directory, `${name}.svg`), svg);
}

function printText({ source, players, seed, sections, verdict }: Reproduction): void {
  const lines = [source, `${players.toLocaleString('en')} players per measurement, seed ${seed}`];
  for (const { title, findings, remarks = [] } of sections) {
    lines.push('', styleText('bold', title), ...table(findings), ...remarks.map((remark) => `  * ${remark}`));
  }
  const all = sections.flatMap(({ findings }) => findings);
  const count = (wanted: Verdict) => all.filter((finding) => finding.verdict === wanted).length;
  lines.push(
    '',
    `${all.length} figures: ${count('holds')} hold, ${count('corrected')} hold once corrected, ${count('fails')} fail`,
    styleText(verdict === 'holds' ? 'green' : 'red', `verdict: ${verdict}`),
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}

function table(findings: readonly Finding[]): string[] {
  const rows = [
    ['', 'paper', 'derived again', 'at most', 'ours', '± s.e.', 'verdict', ''],
    ...findings.map(({ what, paper, derived, limit, ours, standardError, verdict, note }) => [
      what,
      figure(paper),
      figure(derived),
      figure(limit),
      figure(ours),
      figure(standardError),
      verdict,
      note ?? '',
    ]),
  ];
  // Empty columns are omitted.
  const columns = rows[0].map((_, at) => at).filter((at) => rows.slice(1).some((row) => row[at] !== ''));
  const widths = columns.map((at) => Math.max(...rows.map((row) => row[at].length)));
  return rows.map((row) => {
    const cells = columns.map((at, column) =>
      at >= 1 && at <= 5 ? row[at].padStart(widths[column]) : row[at].padEnd(widths[column]),
    );
    return `  ${cells.join('  ')}`.trimEnd();
  });
}

function figure(value: number | undefined): string {
  if (value === undefined) return '';
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(1);
  return Number(value.toPrecision(5)).toString();
}
