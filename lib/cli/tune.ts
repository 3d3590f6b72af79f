import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { type ReleaseOptions, releaseOptions } from '../policies/release.ts';
import { scatterPage } from '../simulation/report.ts';
import {
  type PolicyName,
  pick,
  refinedSettings,
  settingsOf,
  type TunePoint,
  type Wish,
  withFront,
} from '../simulation/tune.ts';
import { Failure, InvalidInput } from './failure.ts';
import { printJson, readQueueFile } from './input.ts';
import { INTERRUPTED_STATUS, interruptionSignal } from './interruption.ts';
import { checkWritable, writeText } from './output.ts';
import { progressBar } from './progress.ts';
import {
  addTrafficOptions,
  integer,
  onlyTrafficOptions,
  positive,
  share,
  type TrafficOptions,
  trafficOf,
} from './traffic-options.ts';
import { tryInParallel } from './tune-in-parallel.ts';
import type { TuneTask } from './tune-worker.ts';

interface TuneOptions extends TrafficOptions {
  queue: string;
  policies: string;
  maxWaitP99?: string;
  maxWaitMean?: string;
  maxImbalanceP90?: string;
  maxImbalanceMean?: string;
  maxTimedOut?: string;
  out?: string;
  report?: string;
  workers?: string;
  json?: boolean;
}

/** Enough to tell settings apart, few enough to try dozens of them. */
const PLAYERS_DEFAULT = 10_000;

/** Tries policies and their parameters on simulated players and picks what a wish asks for. */
export function tuneCommand(): Command {
  const command = new Command('tune')
    .summary('find the release policy and parameters for a wish')
    .description(
      'Plays a queue definition with many release policies on the same simulated players, shows the front of wait against ' +
        'imbalance, and writes the definition that a wish picks.',
    )
    .requiredOption('--queue <file>', 'queue definition; its release is what gets tuned');
  return addTrafficOptions(command, PLAYERS_DEFAULT)
    .option('--policies <names>', 'policies to try', 'option-value,expanding,periodic,greedy')
    .option('--max-wait-p99 <seconds>', '99 % of the players wait no longer')
    .option('--max-wait-mean <seconds>', 'players wait no longer on average')
    .option('--max-imbalance-p90 <imbalance>', '90 % of the matches are no more imbalanced')
    .option('--max-imbalance-mean <imbalance>', 'matches are no more imbalanced on average')
    .option('--max-timed-out <share>', 'of the players, 0 to 1 (default 0.01)')
    .option('--out <file>', 'write the queue definition that the wish picks')
    .option('--report <file>', 'write a page that shows the front')
    .option('--workers <number>', 'threads (default one for each core)')
    .option('--json', 'print the points as JSON (default when the output is not a terminal)')
    .action(async (options: TuneOptions) => {
      const definition = readQueueFile(options.queue);
      const wish = wishOf(options);
      const hasWish = Object.values(wish).some((limit) => limit !== undefined);
      if (options.out !== undefined && !hasWish) {
        throw new InvalidInput('--out: Expected a wish, such as --max-wait-p99 60, to pick what is written');
      }
      checkWritable(options.out);
      checkWritable(options.report);
      const traffic = trafficOf(options, definition, PLAYERS_DEFAULT);
      const spread =
        definition.skillScale === 'percentile' ? PERCENTILE_SPREAD : spreadOf(traffic.skillSample);
      const settings = policiesOf(options.policies).flatMap((policy) =>
        settingsOf(policy, spread, definition.timeoutSeconds),
      );
      const tasksOf = (releases: readonly ReleaseOptions[]): TuneTask[] =>
        releases.map((release) => ({
          definition,
          release,
          traffic: onlyTrafficOptions(options),
          playersDefault: PLAYERS_DEFAULT,
        }));
      const workers =
        options.workers === undefined ? availableParallelism() : integer('--workers', options.workers, 1);

      const signal = interruptionSignal();
      const bar = progressBar('tuning');
      const tryAll = (releases: readonly ReleaseOptions[]) =>
        tryInParallel(tasksOf(releases), workers, signal, bar.show);
      let points = await tryAll(settings);
      const first = hasWish ? pick(points, wish) : undefined;
      if (first !== undefined) {
        points = [...points, ...(await tryAll(refinedSettings(first.release, points)))];
      }
      bar.end();
      const interrupted = signal.aborted;
      points = withFront(points);
      const chosen = hasWish ? pick(points, wish) : undefined;
      const chosenDefinition: QueueDefinition | undefined = chosen && {
        ...definition,
        release: chosen.release,
      };

      if (options.report !== undefined) {
        writeText(
          options.report,
          scatterPage(
            `Tuning of ${definition.name}`,
            traffic.text + (interrupted ? ' Interrupted before the end.' : ''),
            points,
            chosen,
          ),
        );
      }
      if (options.json || !process.stdout.isTTY) {
        printJson({
          queue: definition.name,
          seed: Number(options.seed),
          interrupted,
          points,
          chosen: chosenDefinition ?? null,
        });
      } else console.error(table(points, chosen));
      if (interrupted) {
        process.exitCode = INTERRUPTED_STATUS;
        console.error(
          `Interrupted after ${points.length} settings${options.out === undefined ? '' : `: ${options.out} is not written`}.`,
        );
        return;
      }
      if (hasWish && chosenDefinition === undefined) {
        throw new Failure(`No setting keeps to the wish. ${nearest(points)}`);
      }
      if (options.out !== undefined) writeText(options.out, `${JSON.stringify(chosenDefinition, null, 2)}\n`);
    });
}

function wishOf(options: TuneOptions): Wish {
  const limit = (name: string, value: string | undefined) =>
    value === undefined ? undefined : positive(`--${name}`, value);
  return {
    waitP99Max: limit('max-wait-p99', options.maxWaitP99),
    waitMeanMax: limit('max-wait-mean', options.maxWaitMean),
    imbalanceP90Max: limit('max-imbalance-p90', options.maxImbalanceP90),
    imbalanceMeanMax: limit('max-imbalance-mean', options.maxImbalanceMean),
    timedOutMax:
      options.maxTimedOut === undefined ? undefined : share('--max-timed-out', options.maxTimedOut),
  };
}

function policiesOf(text: string): PolicyName[] {
  const known = releaseOptions.options.map(({ shape }) => shape.policy.value);
  return text.split(',').map((name) => {
    const policy = known.find((candidate) => candidate === name);
    if (policy === undefined)
      throw new InvalidInput(`--policies: Expected of ${known.join(', ')}, got ${name}`);
    return policy;
  });
}

/** Half of what the middle two thirds span, in percent. */
const PERCENTILE_SPREAD = 100 / 3;

/** Half of what the middle two thirds span: the standard deviation, if skills are normal. */
function spreadOf(skills: readonly number[]): number {
  const sorted = Float64Array.from(skills).sort();
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
  return Math.max(1e-6, (at(5 / 6) - at(1 / 6)) / 2);
}

function table(points: readonly TunePoint[], chosen: TunePoint | undefined): string {
  const number = (value: number) => String(Number(value.toPrecision(3))).padStart(9);
  const lines = points
    .filter((point) => point.onFront || point === chosen)
    .map((point) => {
      const { policy, ...parameters } = point.release;
      return (
        `${point === chosen ? '→' : ' '}${number(point.waitMean)}${number(point.waitP99)}${number(point.waitMax)}` +
        `${number(point.imbalanceMean)}${number(point.imbalanceP90)}  ${policy} ${JSON.stringify(parameters)}`
      );
    });
  return [' wait mean      99 %  longest imbalance     90 %  (the front)', ...lines].join('\n');
}

function nearest(points: readonly TunePoint[]): string {
  const wait = Math.min(...points.map(({ waitP99 }) => waitP99));
  const imbalance = Math.min(...points.map(({ imbalanceP90 }) => imbalanceP90));
  const digits = (value: number) => Number(value.toPrecision(3));
  return `The shortest 99 % wait tried is ${digits(wait)} s, the lowest 90 % imbalance ${digits(imbalance)}: ask for less, or try other policies.`;
}
