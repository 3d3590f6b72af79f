import { type RandomSource, seededRandom } from 'muster/simulation';
import {
  against,
  atMost,
  type Finding,
  measured,
  near,
  type ReproduceOptions,
  type Reproduction,
  reproduction,
} from '../finding.ts';
import { RunningStatistics } from '../statistics.ts';
import {
  type PartyRates,
  type ServiceOrder,
  simulateCentralQueue,
  simulateSingleQueue,
  simulateTwoQueues,
} from './central-queue.ts';
import type { ChoiceRates } from './choices.ts';
import {
  BEST_SOLO_SHARE,
  meanWait,
  meanWaitCentral,
  meanWaitOfPairs,
  meanWaitOfSolos,
  meanWaitTwoQueues,
  PRINTED_BEST_SOLO_SHARE,
  printedVarianceFifo,
  printedVarianceLifo,
  printedVarianceTwoQueues,
  varianceFifo,
  varianceLifo,
  varianceTwoQueues,
} from './closed-forms.ts';
import { type Drift, simulateDriftingSides } from './drifting-sides.ts';
import { gapAbove, gapDistance, simulateGaps } from './packing-gaps.ts';
import {
  expectedPile,
  printedSidesWait,
  sidesImprovement,
  sidesImprovementSlope,
  sidesWaits,
  simulateSides,
} from './sides.ts';
import {
  simulateLinkedZones,
  simulateZones,
  zonesImprovement,
  zonesImprovementBalanced,
  zonesImprovementOfFirst,
  zonesWaits,
  zonesWaitsByChance,
} from './zones.ts';

const ORDERS: readonly ServiceOrder[] = ['fifo', 'packing', 'lifo'];
/** λ1 at λ_total = 1, as in figure 6. */
const PARTY_MIXES: readonly PartyRates[] = [0.2, 0.5, 0.8].map((solos) => ({
  solos,
  pairs: (1 - solos) / 2,
}));
const STABLE_SIDES: readonly ChoiceRates[] = [
  { a: 0.2, b: 0.3, c: 0.5 },
  { a: 0.4, b: 0.4, c: 0.2 },
  { a: 0.1, b: 0.5, c: 0.6 },
];
const ZONES: readonly ChoiceRates[] = [
  { a: 0.4, b: 0.4, c: 0.2 },
  { a: 0.8, b: 0.15, c: 0.05 },
  { a: 0.2, b: 0.3, c: 0.5 },
];
const LINKED_ZONES: readonly ChoiceRates[] = [
  { a: 0.6, b: 0.2, c: 0.2 },
  { a: 0.2, b: 0.3, c: 0.5 },
];

/** Xu, Yu & Wu, "Rule Designs for Optimal Online Game Matchmaking": waits by service order, sides and zones. */
export function reproduceXu(options: ReproduceOptions): Reproduction {
  return reproduction('xu', 'Xu, Yu & Wu, "Rule Designs for Optimal Online Game Matchmaking"', options, [
    { title: 'Mean wait in a game of any k players (1)', findings: singleQueue(options) },
    { title: 'Mean wait in 2v2: one queue (3), two queues (6)', findings: meanWaits(options) },
    { title: 'Two queues: mean wait of solos (4) and of pairs (5)', findings: waitsOfKinds(options) },
    {
      title: 'Variance of the wait in 2v2: two queues (7), FIFO and packing (9), LIFO (10)',
      findings: variances(options),
      remarks: [
        '(7) subtracts the squares of the means twice. A solo finds 0 to 3 others, each with probability 1/4, so ' +
          'E[T1²] = 5/λ1² and E[T2²] = 1/λ2², and the variance is (5/λ1 + 2/λ2)/λ_total − (5/(2λ_total))² = ' +
          '(8λ1² + 11λ1λ2 + 40λ2²)/(4·λ_total²·λ1·λ2). Its minimum (11) moves from 2√33 − 11 to 5 − 2√5.',
        '(9) and (10) count the arrivals N that a player waits for and take E[N²]/(λ1 + λ2)², as if arrivals came ' +
          'at regular intervals; the times between them are exponential, so it is E[N(N + 1)]/(λ1 + λ2)²: ' +
          '3/(2·λ_total·(λ1 + λ2)) is to be added to both. Beyond that, the second numerator of (9) lacks λ1³λ2, ' +
          'and 8λ1² in (10) should be 7λ1².',
        "The paper's conclusions still hold: one queue is better than two, FIFO and packing are equal, LIFO is slightly worse.",
      ],
    },
    {
      title: 'Figure 6: times between packages of the 1v1 approximation, as shares of its histogram',
      findings: gaps(options),
      remarks: [
        'The paper shows histograms and no formula. We derived the density Λe^(−Λt)·(2r + pΛt)/(1 + r), with Λ = λ1 + λ2, ' +
          'p = λ1/Λ and r = λ2/Λ. Its distance from Poisson arrivals grows with the solos, as the paper observes.',
      ],
    },
    {
      title: 'Choosing sides: waits (13) to (16), stable when λ_C > |λ_A − λ_B| (12)',
      findings: STABLE_SIDES.flatMap((rates) => sides(rates, options)),
    },
    {
      title: 'Choosing sides: the unstable region of (12)',
      findings: unstableSides(options),
      remarks: [
        'Beyond the boundary of (12) the number of waiting players grows at the rate λ_A − λ_B − λ_C. On the boundary, and ' +
          'with equal sides and nobody choice-free, it is a random walk and grows as the square root of the arrivals.',
      ],
    },
    {
      title: 'Figure 10: E[T] is not monotone in λ_A (λ_B = 0.4, λ_total = 1)',
      findings: leastWaitOfSides(options),
    },
    {
      title: 'Future work: preferences that drift, with a fixed rule and with one that follows them',
      findings: drifting(options),
      remarks: [
        'λ_A and λ_B swing by 0.3 around 0.4, at λ_C = 0.2, over 20,000 players. (12) holds for their average, so a rule made ' +
          'for the average refuses nobody. The adaptive rule refuses the share of the popular side that the advice of a ' +
          'queue asks for, computed from a decaying count of what players choose.',
      ],
    },
    {
      title: 'Choosing sides: what being choice-free improves (17), and its slope (18)',
      findings: sidesGains(),
    },
    {
      title: 'Zones: waits (19) to (22)',
      findings: ZONES.flatMap((rates) => zones(rates, options)),
      remarks: ['(40) has π_2 where π_B is meant; (19), which follows from it, is correct.'],
    },
    {
      title: "Zones as two queues of Muster's simulator, with a ticket in both: waits (19) to (22)",
      findings: LINKED_ZONES.flatMap((rates) => linkedZones(rates, options)),
      remarks: [
        'The queues of a service compete for the ticket of a choice-free player: who finds a player in each zone plays with either, ' +
          'by chance, and not with the first. The waits of kinds are compared with the same balance equations in which AB and BA are ' +
          'one state, and E[T] of these with (22). A tenth of the players.',
      ],
    },
    {
      title: 'Zones: what being choice-free improves (23) to (25)',
      findings: zonesGains(),
      remarks: [
        'Below (25) the paper says that there is no incentive to be choice-free when the junior zone is crowded. It ' +
          'is the other way round: by (25) the factor falls with λ_A, and at λ_A = 0.8 it is the 90% saving the paper ' +
          'itself names.',
      ],
    },
  ]);
}

function singleQueue({ seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('single');
  return [2, 4, 10].map((gameSize) => {
    const paper = meanWait(gameSize, 1);
    return measured(
      `k = ${gameSize}, λ = 1`,
      { paper },
      { players, random },
      (count, source) => simulateSingleQueue(gameSize, 1, count, paper, source).mean,
    );
  });
}

function meanWaits({ seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('mean');
  return PARTY_MIXES.flatMap((rates) => [
    ...ORDERS.map((order) =>
      measured(
        `${order}, ${mix(rates)}`,
        { paper: meanWaitCentral(rates) },
        { players, random },
        (count, source) => simulateCentralQueue(rates, order, count, meanWaitCentral(rates), source).mean,
      ),
    ),
    measured(
      `two queues, ${mix(rates)}`,
      { paper: meanWaitTwoQueues(rates) },
      { players, random },
      (count, source) => simulateTwoQueues(rates, count, meanWaitTwoQueues(rates), source).all.mean,
    ),
  ]);
}

function waitsOfKinds({ seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('kinds');
  return PARTY_MIXES.flatMap((rates) =>
    (['solos', 'pairs'] as const).map((kind) =>
      measured(
        `${kind}, ${mix(rates)}`,
        { paper: kind === 'solos' ? meanWaitOfSolos(rates) : meanWaitOfPairs(rates) },
        { players, random },
        (count, source) => simulateTwoQueues(rates, count, meanWaitTwoQueues(rates), source)[kind].mean,
      ),
    ),
  );
}

function variances({ seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('variance');
  const centralForm = (order: ServiceOrder, rates: PartyRates) =>
    order === 'lifo'
      ? { paper: printedVarianceLifo(rates), derived: varianceLifo(rates) }
      : { paper: printedVarianceFifo(rates), derived: varianceFifo(rates) };
  return [
    ...PARTY_MIXES.flatMap((rates) => [
      ...ORDERS.map((order) =>
        measured(
          `${order}, ${mix(rates)}`,
          centralForm(order, rates),
          { players, random },
          (count, source) =>
            simulateCentralQueue(rates, order, count, meanWaitCentral(rates), source).variance,
        ),
      ),
      measured(
        `two queues, ${mix(rates)}`,
        { paper: printedVarianceTwoQueues(rates), derived: varianceTwoQueues(rates) },
        { players, random },
        (count, source) => simulateTwoQueues(rates, count, meanWaitTwoQueues(rates), source).all.variance,
      ),
      atMost(`FIFO over LIFO, ${mix(rates)}`, 1, { value: varianceFifo(rates) / varianceLifo(rates) }),
      atMost(`LIFO over two queues, ${mix(rates)}`, 1, {
        value: varianceLifo(rates) / varianceTwoQueues(rates),
      }),
    ]),
    against(
      'share of solos where (7) is least (11)',
      { paper: PRINTED_BEST_SOLO_SHARE, derived: BEST_SOLO_SHARE },
      {
        value: leastAt((solos) => varianceTwoQueues({ solos, pairs: (1 - solos) / 2 })),
        standardError: 1e-7,
      },
    ),
  ];
}

function sides(rates: ChoiceRates, { seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('sides');
  const waits = sidesWaits(rates);
  return (['a', 'b', 'c', 'all'] as const).map((kind) =>
    measured(
      `E[T${kind === 'all' ? '' : `_${kind.toUpperCase()}`}], ${choice(rates)}`,
      { paper: kind === 'all' ? printedSidesWait(rates) : waits[kind] },
      { players, random },
      (count, source) => simulateSides(rates, count, source).waits[kind].mean,
    ),
  );
}

function unstableSides({ seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('unstable');
  const drifting: ChoiceRates = { a: 0.6, b: 0.25, c: 0.15 };
  const nobodyFree: ChoiceRates = { a: 0.5, b: 0.5, c: 0 };
  const onTheEdge: ChoiceRates = { a: 0.5, b: 0.3, c: 0.2 };
  const runs = 400;
  /** Players still waiting at the end of each run. */
  const pile = (rates: ChoiceRates, each: number, count: number, source: RandomSource) => {
    const waiting = new RunningStatistics();
    for (let run = 0; run < count; run++)
      waiting.add(simulateSides(rates, each, source.fork(`${run}`)).waiting);
    return waiting;
  };
  return [
    measured(
      `players left waiting per player, ${choice(drifting)}`,
      { paper: drifting.a - drifting.b - drifting.c },
      { players, random },
      (count, source) => {
        const each = Math.round(count / runs);
        const waiting = pile(drifting, each, runs, source);
        return { value: waiting.mean / each, standardError: waiting.standardError / each };
      },
    ),
    ...[nobodyFree, onTheEdge].flatMap((rates) =>
      [1, 4].map((times) => {
        const each = Math.round((times * players) / runs);
        return measured(
          `players left waiting, ${choice(rates)}, after ${each} players`,
          { paper: expectedPile(rates, each) },
          { players: times * players, random },
          (count, source) => {
            const waiting = pile(rates, each, Math.round(count / each), source);
            return { value: waiting.mean, standardError: waiting.standardError };
          },
          `a random walk: √(2n/π) = ${Math.sqrt((2 * each) / Math.PI).toFixed(1)} in the limit`,
        );
      }),
    ),
  ];
}

function gaps({ seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('gaps');
  const edges = [0, 0.5, 1, 2, 4, Number.POSITIVE_INFINITY];
  return [
    ...PARTY_MIXES.flatMap((rates) =>
      edges
        .slice(1)
        .map((to, bin) =>
          measured(
            `share ${Number.isFinite(to) ? `from ${edges[bin]} to ${to}` : `above ${edges[bin]}`}, ${mix(rates)}`,
            { paper: gapAbove(rates, edges[bin]) - gapAbove(rates, to) },
            { players, random },
            (count, source) => simulateGaps(rates, edges, count, source)[bin],
          ),
        ),
    ),
    ...PARTY_MIXES.slice(1).map((rates, at) =>
      atMost(`distance from Poisson: ${mix(PARTY_MIXES[at])} over ${mix(rates)}`, 1, {
        value: gapDistance(PARTY_MIXES[at]) / gapDistance(rates),
      }),
    ),
  ];
}

function leastWaitOfSides(options: ReproduceOptions): Finding[] {
  const ratesAt = (a: number): ChoiceRates => ({ a, b: 0.4, c: 0.6 - a });
  const wait = (a: number) => sidesWaits(ratesAt(a)).all;
  // The wait is convex in λ_A here; beyond 0.5 it has no bound.
  const least = 0.5 * leastAt((share) => wait(0.4999 * share)) * 0.9998;
  return [
    atMost(`E[T] at λ_A = ${least.toFixed(4)} over E[T] at 0`, 1, { value: wait(least) / wait(0) }),
    atMost(`E[T] at λ_A = ${least.toFixed(4)} over E[T] at 0.4`, 1, { value: wait(least) / wait(0.4) }),
    ...[0.001, Number(least.toFixed(4)), 0.4].flatMap((a) => sides(ratesAt(a), options).slice(3)),
  ];
}

function drifting({ seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('drifting');
  const drift: Drift = { mean: { a: 0.4, b: 0.4, c: 0.2 }, swing: 0.3, period: 20_000 };
  const count = Math.max(players, 2 * drift.period);
  const fixed = simulateDriftingSides(drift, 'fixed', count, random);
  const adaptive = simulateDriftingSides(drift, 'adaptive', count, random);
  const own = (what: string, ours: number, note?: string): Finding => ({
    what,
    ours,
    verdict: 'holds',
    ...(note !== undefined && { note }),
  });
  return [
    own('players waiting, fixed rule', fixed.waiting.value, `at most ${fixed.waitingMost}`),
    own('players waiting, adaptive rule', adaptive.waiting.value, `at most ${adaptive.waitingMost}`),
    atMost('adaptive over fixed', 0.05, { value: adaptive.waiting.value / fixed.waiting.value }),
    own('share of players who are refused their side, adaptive rule', adaptive.refused),
  ];
}

function sidesGains(): Finding[] {
  const step = 1e-5;
  const factor = (b: number) => sidesImprovement({ a: 0.3, b, c: 0.7 - b });
  return [
    ...STABLE_SIDES.map((rates) => {
      const waits = sidesWaits(rates);
      return against(
        `E[T_C]/E[T_B], ${choice(rates)}`,
        { paper: sidesImprovement(rates) },
        { value: waits.c / waits.b },
      );
    }),
    ...[0.1, 0.3, 0.45].map((b) =>
      near(`slope of (17) at λ_B = ${b}`, sidesImprovementSlope(b), 1e-6, {
        value: (factor(b + step) - factor(b - step)) / (2 * step),
      }),
    ),
  ];
}

function zones(rates: ChoiceRates, { seed, players }: ReproduceOptions): Finding[] {
  const random = seededRandom(seed).fork('zones');
  const waits = zonesWaits(rates);
  return (['a', 'b', 'c', 'all'] as const).map((kind) =>
    measured(
      `E[T${kind === 'all' ? '' : `_${kind.toUpperCase()}`}], ${choice(rates)}`,
      { paper: waits[kind] },
      { players, random },
      (count, source) => simulateZones(rates, count, source)[kind].mean,
    ),
  );
}

function linkedZones(rates: ChoiceRates, { seed, players }: ReproduceOptions): Finding[] {
  const byChance = zonesWaitsByChance(rates);
  const waits = simulateLinkedZones(rates, players / 10, seededRandom(seed).fork('linked zones'));
  return [
    ...(['a', 'b', 'c', 'all'] as const).map((kind) =>
      against(
        `E[T${kind === 'all' ? '' : `_${kind.toUpperCase()}`}] by chance, ${choice(rates)}`,
        { paper: byChance[kind] },
        waits[kind].mean,
      ),
    ),
    near(`E[T] by chance beside (22), ${choice(rates)}`, zonesWaits(rates).all, 0.01, {
      value: byChance.all,
    }),
  ];
}

function zonesGains(): Finding[] {
  const ratio = (rates: ChoiceRates) => {
    const waits = zonesWaits(rates);
    return { value: waits.c / waits.b };
  };
  return [
    ...ZONES.map((rates) =>
      against(`(23), ${choice(rates)}`, { paper: zonesImprovement(rates) }, ratio(rates)),
    ),
    against(
      '(24), λ_A = λ_B = 0.4, λ_C = 0.2',
      { paper: zonesImprovementBalanced(0.4, 0.2) },
      ratio({ a: 0.4, b: 0.4, c: 0.2 }),
    ),
    ...[0.2, 0.5, 0.8].map((a) =>
      against(
        `(25), λ_A = ${a}, λ_C = 0`,
        { paper: zonesImprovementOfFirst(a) },
        ratio({ a, b: 1 - a, c: 0 }),
      ),
    ),
  ];
}

/** The share in (0, 1) at which a convex function is least, to 1e-8. */
function leastAt(value: (share: number) => number): number {
  let low = 0;
  let high = 1;
  while (high - low > 1e-8) {
    const third = (high - low) / 3;
    if (value(low + third) < value(high - third)) high -= third;
    else low += third;
  }
  return (low + high) / 2;
}

function mix({ solos, pairs }: PartyRates): string {
  return `λ1 = ${solos}, λ2 = ${Number(pairs.toFixed(3))}`;
}

function choice({ a, b, c }: ChoiceRates): string {
  return `λ_A = ${a}, λ_B = ${b}, λ_C = ${c}`;
}
