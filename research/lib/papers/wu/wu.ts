import { seededRandom } from 'muster/simulation';
import {
  against,
  atMost,
  type Finding,
  measured,
  type ReproduceOptions,
  type Reproduction,
  reproduction,
} from '../finding.ts';
import { greedyCost, type Market, oddShare, patientCost, threshold } from './closed-forms.ts';
import { optimalCost } from './decision-process.ts';
import { playPolicy } from './policies.ts';
import { oddAfter, patientStationary, printedShareOfSize } from './stationary.ts';

const TEAM_SIZES = [1, 2, 3, 5];
const HIGH_SHARES = [0.1, 0.3, 0.5, 0.8];
/** Around the thresholds of the grid, which lie between 1 and 2.8. */
const ALPHAS = [0.5, 1, 2, 4];

/** Wu, "Dynamic Matching With Teams": the costs of both policies, their threshold, and that none does better. */
export function reproduceWu(options: ReproduceOptions): Reproduction {
  const markets = TEAM_SIZES.flatMap((teamSize) => HIGH_SHARES.map((highShare) => ({ teamSize, highShare })));
  return reproduction('wu', 'Wu, "Dynamic Matching With Teams" (2020)', options, [
    {
      title:
        'Lemma 3.2: π_(0,1) = π_(1,0) = π_(0,0) under the patient policy, and δ_1 + δ_2 = 1 of its proof',
      findings: markets.flatMap(equalShares),
      remarks: ['Computed from the transitions of the chain, to rounding.'],
    },
    {
      title: 'Π_k, the share of time with k players in the pool: 1/(4n) for k = 0 and 2n, 1/(2n) between',
      findings: markets.flatMap((market) => sharesOfSizes(market, options)),
      remarks: [
        'Measured for k = 0, 1 and 2n; the largest deviation over all k is that of the chain computed from its transitions.',
      ],
    },
    {
      title: 'Waiting cost per period',
      findings: markets.flatMap((market) => waitingCosts(market, options)),
    },
    {
      title: 'Greedy: total cost per period at α, n − 1/2 + α(1 − (2q − 1)^(2n))/2',
      findings: markets.map((market) => greedyTotal(market, options)),
    },
    {
      title: 'Threshold α* = 1/(1 − (2q − 1)^(2n)), where both policies cost the same',
      findings: markets.map((market) => measuredThreshold(market, options)),
    },
    {
      title: 'No policy does better: the decision process solved, with a proven bound from below',
      findings: markets.flatMap((market) => ALPHAS.map((alpha) => nothingBetter(market, alpha))),
      remarks: [
        'All policies are allowed here, including those that hold balanced games or choose other players; ' +
          'the pool may grow to 6n before a game is forced. ± is half the gap between the bounds.',
        'The paper calls the chain of the patient policy aperiodic (before Lemma 3.2). It is not: every step ' +
          'adds 1 to the pool modulo 2n, so its period is 2n. The stationary distribution still exists, ' +
          'and with it every average that the paper uses.',
      ],
    },
  ]);
}

function equalShares(market: Market): Finding[] {
  const { share } = patientStationary(market);
  const { fromLow, fromHigh } = oddAfter(market);
  return [
    against(`π_(0,1)/π_(0,0), ${named(market)}`, { paper: 1 }, { value: share(0, 1) / share(0, 0) }),
    against(`π_(1,0)/π_(0,0), ${named(market)}`, { paper: 1 }, { value: share(1, 0) / share(0, 0) }),
    against(`δ_1 + δ_2, ${named(market)}`, { paper: 1 }, { value: fromLow + fromHigh }),
  ];
}

function sharesOfSizes(market: Market, { seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('shares');
  const computed = patientStationary(market).bySize;
  const deviations = computed.map((share, size) => Math.abs(share / printedShareOfSize(market, size) - 1));
  return [
    ...[0, 1, 2 * market.teamSize].map((size) =>
      measured(
        `Π_${size}, ${named(market)}`,
        { paper: printedShareOfSize(market, size) },
        { players, random },
        (periods, source) => playPolicy('patient', market, periods, source).bySize[size],
      ),
    ),
    atMost(`largest relative deviation over all k, ${named(market)}`, 1e-9, {
      value: Math.max(...deviations),
    }),
  ];
}

function waitingCosts(market: Market, { seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('waiting');
  return (['patient', 'greedy'] as const).map((policy) => {
    const paper = policy === 'patient' ? patientCost(market) : greedyCost(market, 0);
    return measured(
      `${policy}, ${named(market)}`,
      { paper },
      { players, random },
      (periods, source) => playPolicy(policy, market, periods, source).waiting,
    );
  });
}

function greedyTotal(market: Market, { seed, players }: ReproduceOptions): Finding {
  const alpha = threshold(market);
  return measured(
    `α = ${alpha.toFixed(3)}, ${named(market)}`,
    { paper: greedyCost(market, alpha) },
    { players, random: seededRandom(seed).fork('greedy') },
    (periods, source) => {
      const { waiting, imbalanced } = playPolicy('greedy', market, periods, source);
      // The wait of a greedy game does not depend on the players, so only the imbalance varies.
      return {
        value: waiting.value + alpha * imbalanced.value,
        standardError: waiting.standardError! + alpha * imbalanced.standardError!,
      };
    },
  );
}

function measuredThreshold(market: Market, { seed, players }: ReproduceOptions): Finding {
  return measured(
    named(market),
    { paper: threshold(market) },
    { players, random: seededRandom(seed).fork('threshold') },
    (periods, source) => {
      const greedy = playPolicy('greedy', market, periods, source.fork('greedy'));
      const patient = playPolicy('patient', market, periods, source.fork('patient'));
      const saved = patient.waiting.value - greedy.waiting.value;
      const value = saved / greedy.imbalanced.value;
      const relative = Math.hypot(
        Math.hypot(patient.waiting.standardError!, greedy.waiting.standardError!) / saved,
        greedy.imbalanced.standardError! / greedy.imbalanced.value,
      );
      return { value, standardError: value * relative };
    },
  );
}

function nothingBetter(market: Market, alpha: number): Finding {
  const paper = Math.min(patientCost(market), greedyCost(market, alpha));
  const optimum = optimalCost(market, alpha);
  // The middle of the two bounds, which are closer to each other than the rounding allowed for below.
  const middle = (optimum.lower + optimum.upper) / 2;
  return against(
    `α = ${alpha}, ${named(market)}`,
    { paper },
    { value: middle, standardError: (optimum.upper - optimum.lower) / 2 },
    `${alpha <= threshold(market) ? 'greedy' : 'patient'} is best; odd games ${oddShare(market).toFixed(3)}`,
  );
}

function named({ teamSize, highShare }: Market): string {
  return `n = ${teamSize}, q = ${highShare}`;
}
