import { availableParallelism } from 'node:os';
import { Command, Option } from '@commander-js/extra-typings';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { quantile } from '../service/queues/quantile.ts';
import { durationText } from '../simulation/duration.ts';
import { ABOVE_0, FROM_0_TO_1, type NumberKind } from '../simulation/option-values.ts';
import { relaxingRules, stepsOfEach, stepsTogether } from '../simulation/rule-steps.ts';
import { isShortRun, runSecondsMin } from '../simulation/run-length.ts';
import {
  isMeasured,
  MATCHES_MIN,
  type Missed,
  nearest,
  PLAYERS_MIN,
  type PolicyName,
  pick,
  refinedSettings,
  type Setting,
  settingsOf,
  settingText,
  type Targets,
  type TunePoint,
  withFront,
  withSetting,
} from '../simulation/tune.ts';
import { releaseOptions } from '../vocabulary/release-options.ts';
import { codeOption, withFunctions } from './code-option.ts';
import { Failure, InvalidInput } from './failure.ts';
import { numberArgument, type OptionsOf, readQueueFile, wholeNumber } from './input.ts';
import { interruptionSignal } from './interruption.ts';
import { CUT, checkOutputs, printRun, writeText } from './output.ts';
import { progressLine } from './progress.ts';
import { tuningPage } from './report/report.ts';
import { ARROW, settingsTable } from './report/run-tables.ts';
import { short, textTable } from './text-table.ts';
import { addTrafficOptions, type DescribedTraffic, trafficOf } from './traffic-options.ts';
import { TuneThreads } from './tune-threads.ts';

/** Enough to compare settings, few enough to try dozens of them. */
const PLAYERS_UNSET = 10_000;
const POLICIES_UNSET = 'option-value,expanding,periodic,greedy';

/** Tries policies and their parameters on simulated players and picks the best setting that meets the targets. */
export const tuneCommand = () => withOptions(new Command('tune')).action(tune);

type TuneOptions = OptionsOf<typeof withOptions>;

function withOptions(command: Command) {
  const described = command
    .summary('choose the release policy and its parameters by targets')
    .description(
      'Plays a queue definition with many release policies on the same simulated players and shows the front: the ' +
        'settings for which no other has both shorter waits and less imbalance. With targets (--max-…) it picks the ' +
        'best setting that meets all of them and writes that definition to --out. Only the release policy changes; with ' +
        '--steps also the waits after which rules relax.',
    )
    .requiredOption('--queue <file>', 'queue definition whose release is tuned');
  const most = `${PLAYERS_UNSET}, or those of five time-outs if more, or all of the file`;
  const withPolicies = addTrafficOptions(described, most).addOption(
    new Option('--policies <names>', 'release policies to try').default(POLICIES_UNSET, POLICIES_UNSET),
  );
  for (const { flags, what, kind = ABOVE_0, unset } of Object.values<TargetOption>(TARGETS)) {
    const fallback = unset === undefined ? '' : ` (default: ${unset})`;
    described.option(flags, `target: ${what} at most this${fallback}`, numberArgument(kind));
  }
  return withPolicies
    .option('--steps', 'also try earlier and later steps of the rules that relax')
    .option('--out <file>', 'write the queue definition with the chosen setting')
    .option('--report <file>', 'write all settings tried as one HTML page with charts')
    .addOption(
      new Option('--workers <number>', 'threads')
        .argParser(wholeNumber(1))
        .default(availableParallelism(), 'one for each core'),
    )
    .addOption(codeOption())
    .option('--json', 'print the settings as JSON (default: when the output is not a terminal)');
}

/** The option of a target. */
interface TargetOption {
  readonly flags: string;
  /** What it limits, and the text of a value. */
  readonly what: string;
  text(value: number): string;
  /** @default a number above 0 */
  readonly kind?: NumberKind;
  /** The default, for the help. */
  readonly unset?: string;
}

const SHARE = { text: (value: number) => `${short(100 * value)} %`, kind: FROM_0_TO_1 };
const LEAST = '0.01 more than the least of the settings tried';

const TARGETS: Readonly<Record<Missed['target'], TargetOption>> = {
  waitP99Max: { flags: '--max-wait-p99 <seconds>', what: '99 % of waits', text: durationText },
  waitMeanMax: { flags: '--max-wait-mean <seconds>', what: 'mean wait', text: durationText },
  imbalanceP90Max: { flags: '--max-imbalance-p90 <imbalance>', what: '90 % of imbalances', text: short },
  imbalanceMeanMax: { flags: '--max-imbalance-mean <imbalance>', what: 'mean imbalance', text: short },
  timedOutMax: { flags: '--max-timed-out <share>', what: 'players timed out', ...SHARE, unset: '0.01' },
  cancelledMax: { flags: '--max-cancelled <share>', what: 'players cancelled', ...SHARE, unset: LEAST },
};

async function tune(options: TuneOptions): Promise<void> {
  const definition = withFunctions(readQueueFile(options.queue), options.queue);
  const targets = targetsOf(options);
  const hasTargets = Object.values(targets).some((limit) => limit !== undefined);
  if (options.out !== undefined && !hasTargets) {
    throw new InvalidInput('--out: Expected a target, such as --max-wait-p99 60, to choose a setting by');
  }
  const relaxing = options.steps ? relaxingRules(definition) : [];
  if (options.steps && relaxing.length === 0)
    throw new InvalidInput(
      `--steps: Expected a queue with rules that relax, got none in ${options.queue}. Omit the option`,
    );
  const { queue, out, report, arrivals, skills, code } = options;
  checkOutputs([out, report], [arrivals, skills, code]);
  // The definition itself may be what `--out` replaces.
  checkOutputs([report], [queue]);
  const length = { players: PLAYERS_UNSET, seconds: runSecondsMin(definition.timeoutSeconds) };
  const traffic = trafficOf(options, definition, length);
  if (traffic.players < PLAYERS_MIN) {
    throw new InvalidInput(
      `${options.arrivals ?? '--players'}: Expected at least ${PLAYERS_MIN} players to measure the 99 % of waits, got ${traffic.players}`,
    );
  }
  const skillDeviation =
    definition.skillScale === 'percentile' ? PERCENTILE_DEVIATION : deviationOf(traffic.skillSample);
  const settings = policiesOf(options.policies).flatMap((policy) =>
    settingsOf(policy, skillDeviation, definition.timeoutSeconds).map((release) => ({ release })),
  );
  const signal = interruptionSignal();
  const bar = progressLine('tuning');
  const threads = new TuneThreads(options.workers, signal);
  const tryAll = (some: readonly Setting[]): Promise<TunePoint[]> => {
    const tasks = some.map((setting) => ({ definition, traffic: options, length, setting }));
    return threads.tryAll(tasks, bar.show);
  };
  const trying = tryInStages(settings, relaxing, hasTargets ? targets : undefined, tryAll);
  const tried = await trying.finally(() => threads.end());
  bar.end();

  const interrupted = signal.aborted;
  const points = withFront(tried.filter(isMeasured));
  const unmeasured = tried.filter((point) => !isMeasured(point));
  const chosen = hasTargets ? pick(points, targets) : undefined;
  for (const warning of warningsOf(tried, unmeasured, traffic, definition)) console.error(warning);
  if (!interrupted) {
    requireMeasured(points, tried, traffic, targets);
    if (hasTargets && chosen === undefined) {
      if (process.stdout.isTTY) console.error(table(points, chosen));
      throw new Failure(nothingChosen(points, targets));
    }
  }

  const chosenDefinition = chosen && withSetting(definition, chosen);
  if (options.report !== undefined) {
    const text = traffic.text + (interrupted ? CUT : '');
    writeText(
      options.report,
      tuningPage(`Tuning of ${definition.name}`, text, points, targetTexts(targets), chosen),
    );
  }
  printRun(
    options,
    {
      queue: definition.name,
      seed: Number(options.seed),
      interrupted,
      points: points.map((point) => ({ ...point, isChosen: point === chosen })),
      unmeasured: unmeasured.map(({ release, steps, matches }) => ({ release, steps, matches })),
      chosen: chosenDefinition ?? null,
    },
    () => table(points, chosen),
  );
  if (interrupted) {
    console.error(
      `Interrupted after ${tried.length} settings${options.out === undefined ? '' : `: ${options.out} is not written`}.`,
    );
    return;
  }
  if (options.out !== undefined) writeText(options.out, `${JSON.stringify(chosenDefinition, null, 2)}\n`);
}

/**
 * Tries settings, and then what is near the best of them:
 *
 *     release   `option-value` between the chosen setting and its neighbours
 *     steps     on the front and on the chosen setting: those of all rules earlier or later
 *     rules     on the setting chosen then: those of one rule at a time
 *
 * @param relaxing the names of the rules whose steps may move
 * @param targets choose a setting; without them nothing is refined around one
 */
async function tryInStages(
  settings: readonly Setting[],
  relaxing: readonly string[],
  targets: Targets | undefined,
  tryAll: (settings: readonly Setting[]) => Promise<TunePoint[]>,
): Promise<TunePoint[]> {
  let tried = await tryAll(settings);
  const chosen = () => targets && pick(tried.filter(isMeasured), targets);
  const tryMore = async (more: readonly Setting[]) => {
    if (more.length > 0) tried = [...tried, ...(await tryAll(more))];
  };
  const first = chosen();
  if (first) await tryMore(refinedSettings(first.release, tried).map((release) => ({ release })));
  if (relaxing.length === 0) return tried;
  const front = withFront(tried.filter(isMeasured)).filter(({ onFront }) => onFront);
  const releases = new Set([...front, ...(chosen() ? [chosen()!] : [])].map(({ release }) => release));
  const together = stepsTogether(relaxing);
  await tryMore([...releases].flatMap((release) => together.map((steps) => ({ release, steps }))));
  const best = chosen();
  if (best)
    await tryMore(stepsOfEach(relaxing, best.steps).map((steps) => ({ release: best.release, steps })));
  return tried;
}

function targetsOf(options: TuneOptions): Targets {
  const given = options as unknown as Readonly<Record<string, number | undefined>>;
  return Object.fromEntries(
    Object.entries(TARGETS).map(([name, { flags }]) => [name, given[new Option(flags).attributeName()]]),
  ) as unknown as Targets;
}

function policiesOf(text: string): PolicyName[] {
  const known = releaseOptions.options.map(({ shape }) => shape.policy.value);
  return text.split(',').map((name) => {
    const policy = known.find((candidate) => candidate === name);
    if (policy === undefined) {
      throw new InvalidInput(`--policies: Expected names from ${known.join(', ')}, got ${name}`);
    }
    return policy;
  });
}

/** Half of the width of the middle two thirds, in percent. */
const PERCENTILE_DEVIATION = 100 / 3;

/** Half of the width of the middle two thirds: the standard deviation, if skills are normal. */
function deviationOf(skills: readonly number[]): number {
  const sorted = Float64Array.from(skills).sort();
  return Math.max(1e-6, (quantile(sorted, 5 / 6)! - quantile(sorted, 1 / 6)!) / 2);
}

function warningsOf(
  tried: readonly TunePoint[],
  unmeasured: readonly TunePoint[],
  traffic: DescribedTraffic,
  { timeoutSeconds }: QueueDefinition,
): string[] {
  const warnings = [];
  const seconds = longestOf(tried);
  if (tried.length > 0 && traffic.atEnd === 'stop' && isShortRun(seconds, timeoutSeconds)) {
    warnings.push(
      `The run lasts ${durationText(seconds)}, less than five time-outs (${durationText(runSecondsMin(timeoutSeconds))}): ` +
        'waits and time-outs of a longer run are higher. Play more players, or omit --players.',
    );
  }
  if (unmeasured.length > 0) {
    const names = unmeasured.map((point) => `${settingText(point)}: ${point.matches}`);
    warnings.push(`Not compared, because they made fewer than ${MATCHES_MIN} matches: ${names.join('; ')}.`);
  }
  return warnings;
}

/** @throws Failure when nothing is measured, or the run ends before a wait can reach a target */
export function requireMeasured(
  points: readonly TunePoint[],
  tried: readonly TunePoint[],
  { players, atEnd }: Pick<DescribedTraffic, 'players' | 'atEnd'>,
  { waitP99Max = 0, waitMeanMax = 0 }: Targets,
): void {
  if (points.length === 0)
    throw new Failure(
      `No setting tried made ${MATCHES_MIN} matches of ${players} players, which is too few to compare settings. ` +
        'Play more players, or try other policies with --policies. Nothing is written.',
    );
  const waitMax = Math.max(waitP99Max, waitMeanMax);
  const seconds = longestOf(tried);
  if (atEnd === 'stop' && seconds <= waitMax)
    throw new Failure(
      `The run lasts ${durationText(seconds)}, so no wait can be longer than the target of ` +
        `${durationText(waitMax)} and every setting would meet it. ` +
        'Play more players, or omit --players. Nothing is written.',
    );
}

/** Virtual seconds of the longest run. */
function longestOf(tried: readonly TunePoint[]): number {
  return Math.max(0, ...tried.map(({ seconds }) => seconds));
}

/** Reports the nearest setting and what the user can do. */
function nothingChosen(points: readonly TunePoint[], targets: Targets): string {
  const { point, missed } = nearest(points, targets)!;
  const misses = missed.map(({ target, limit, value }) => {
    const { what, text, flags } = TARGETS[target];
    return `${what} ${text(value)}, target ${text(limit)} (${flags.split(' ')[0]})`;
  });
  return (
    `No setting tried meets the targets. Nearest: ${settingText(point)} with ${misses.join('; ')}. ` +
    'Relax these targets, or try other policies with --policies. Without targets, tune shows what is possible. ' +
    'Nothing is written.'
  );
}

/** The targets that are set, as `99 % of waits at most 60 s`. */
export function targetTexts(targets: Targets): string[] {
  return Object.entries(TARGETS).flatMap(([target, { what, text }]) => {
    const limit = targets[target as Missed['target']];
    return limit === undefined ? [] : [`${what} at most ${text(limit)}`];
  });
}

/** The front, and the point chosen, which an arrow marks. It need not be on the front: the others may miss a target. */
export function table(points: readonly TunePoint[], chosen: TunePoint | undefined): string {
  const front = points.filter(({ onFront }) => onFront);
  const isBeside = chosen !== undefined && !chosen.onFront;
  const shown = isBeside ? [...front, chosen] : front;
  const { columns, rows } = settingsTable(shown, chosen);
  return [
    'The front: a shorter wait costs more imbalance (in the unit of skill).',
    ...textTable([['', ...columns], ...rows]),
    ...(chosen === undefined ? [] : [`${ARROW} the chosen setting.`]),
    ...(isBeside
      ? ['It is not on the front: those with a shorter mean wait and less mean imbalance miss a target.']
      : []),
  ].join('\n');
}
