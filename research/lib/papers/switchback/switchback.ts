import { type RandomSource, seededRandom } from 'muster/simulation';
import {
  atMost,
  type Finding,
  near,
  type ReproduceOptions,
  type Reproduction,
  reproduction,
  type Section,
} from '../finding.ts';
import { RunningStatistics } from '../statistics.ts';
import { type BlockMean, differenceInMeans, type Estimated } from './estimators.ts';
import { measured, playChain, stepsOf } from './markov-chain.ts';

const TIMES = 20_000;
const BLOCK = 200;
/** A run of the chain is this many of the players of other papers. */
const PLAYERS_PER_RUN = 1000;

/** Table 1 of Hu & Wager, by burn-in: standard errors and coverage of 95 % intervals. */
const TABLE_1 = [
  { burnIn: 50, error: 0.199, coverage: 0.944 },
  { burnIn: 100, error: 0.239, coverage: 0.953 },
  { burnIn: 150, error: 0.332, coverage: 0.931 },
];
const WITHOUT_BURN_IN = { bias: 1.17, error: 0.228 };
const TRUE_EFFECT = 25.68;

/** Switchbacks: what a burn-in is worth, which experiments rely on. */
export function reproduceSwitchback(options: ReproduceOptions): Reproduction {
  return reproduction(
    'switchback',
    'Hu & Wager, "Switchback Experiments under Geometric Mixing" (arXiv 2209.00197)',
    options,
    [tableOne(options)],
  );
}

/** The estimates of all runs: their mean and spread, and how often the interval contained the truth. */
class Estimates {
  readonly effects = new RunningStatistics();
  #contained = 0;

  add({ effect, variance }: Estimated, truth: number): void {
    this.effects.add(effect);
    if (Math.abs(effect - truth) <= 1.96 * Math.sqrt(variance)) this.#contained++;
  }

  get coverage(): number {
    return this.#contained / this.effects.count;
  }
}

function tableOne({ players, seed }: ReproduceOptions): Section {
  const runs = Math.max(2, Math.round(players / PLAYERS_PER_RUN));
  const random = seededRandom(seed).fork('switchback');
  const steps = stepsOf(TIMES, random.fork('market'));
  const truth = trueEffect(steps, runs, random.fork('truth'));
  const plain = new Estimates();
  const rows = TABLE_1.map((printed) => ({ printed, found: new Estimates() }));
  const draws = random.fork('runs');
  for (let run = 0; run < runs; run++) {
    const values = playRun(steps, draws);
    plain.add(differenceInMeans(blocksOf(values, 0)), truth);
    for (const { printed, found } of rows)
      found.add(differenceInMeans(blocksOf(values, printed.burnIn)), truth);
  }
  return {
    title: `Table 1: estimates of one effect by ${runs.toLocaleString('en')} switchbacks of ${TIMES.toLocaleString('en')} times in blocks of ${BLOCK}`,
    findings: [
      near('true effect', TRUE_EFFECT, 0.005, { value: truth }),
      near('difference in means: bias', WITHOUT_BURN_IN.bias, 0.05, {
        value: truth - plain.effects.mean,
        standardError: plain.effects.standardError,
      }),
      near('difference in means: standard error', WITHOUT_BURN_IN.error, spreadTolerance(runs), {
        value: plain.effects.standardDeviation,
      }),
      atMost('difference in means: coverage', 0.01, { value: plain.coverage }, 'the paper prints 0'),
      ...rows.flatMap(({ printed, found }) =>
        estimates(`burn-in of ${printed.burnIn}`, found, truth, printed, runs),
      ),
    ],
    remarks: [
      'How far the state moves at each time is drawn anew here, so the true effect differs a little from the paper, which draws it once.',
      'The paper prints biases of 0.000 to 0.007, within the error of 1,000 runs: the limit is three standard errors of ours.',
      'Limits of spreads and coverages are three standard errors of the difference of two such tables.',
    ],
  };
}

/** No bias that the runs show, and the spread and coverage of the paper. */
function estimates(
  what: string,
  found: Estimates,
  truth: number,
  printed: { readonly error: number; readonly coverage: number },
  runs: number,
): Finding[] {
  const { mean, standardError, standardDeviation } = found.effects;
  const tolerance =
    (3 * Math.sqrt((2 * printed.coverage * (1 - printed.coverage)) / runs)) / printed.coverage;
  return [
    atMost(`${what}: bias`, 3 * standardError, { value: Math.abs(mean - truth), standardError }),
    near(`${what}: standard error`, printed.error, spreadTolerance(runs), { value: standardDeviation }),
    near(`${what}: coverage`, printed.coverage, tolerance, { value: found.coverage }),
  ];
}

/** A spread of n values has a relative standard error of 1/√(2n), and the paper's is one of its 1,000 runs. */
function spreadTolerance(runs: number): number {
  return 3 * Math.sqrt(1 / (2 * runs) + 1 / 2000);
}

function trueEffect(steps: Uint8Array, runs: number, random: RandomSource): number {
  const mean = (treated: boolean) => {
    let sum = 0;
    for (let run = 0; run < runs; run++)
      playChain(
        steps,
        () => treated,
        random,
        (_, value) => {
          sum += value;
        },
      );
    return sum / runs / steps.length;
  };
  return mean(true) - mean(false);
}

interface Run {
  readonly treated: readonly boolean[];
  readonly values: Float64Array;
}

function playRun(steps: Uint8Array, random: RandomSource): Run {
  const treated = Array.from({ length: steps.length / BLOCK }, () => random.uniform() < 0.5);
  const values = new Float64Array(steps.length);
  playChain(
    steps,
    (time) => treated[Math.floor(time / BLOCK)],
    random,
    (time, mean) => {
      values[time] = measured(mean, random);
    },
  );
  return { treated, values };
}

/** The mean of each block without its first `burnIn` times. */
function blocksOf({ treated, values }: Run, burnIn: number): BlockMean[] {
  return treated.map((isTreated, at) => {
    let sum = 0;
    for (let time = at * BLOCK + burnIn; time < (at + 1) * BLOCK; time++) sum += values[time];
    return { treated: isTreated, mean: sum / (BLOCK - burnIn) };
  });
}
