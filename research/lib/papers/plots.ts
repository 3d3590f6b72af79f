import { type EChartsOption, init, type SeriesOption } from 'echarts';
import { seededRandom } from 'muster/simulation';
import type { Reproduction } from './finding.ts';
import { differenceWait } from './schlup/difference-wait.ts';
import { multiQueueCost, periodicCost } from './schlup/formulas.ts';
import { type MakeGame, type OnlineAlgorithm, run, type Setting } from './schlup/model.ts';
import { multiQueue } from './schlup/multi-queue.ts';
import { periodic } from './schlup/periodic.ts';
import { steadyArrivals } from './schlup/workload.ts';
import { greedyCost, patientCost, threshold } from './wu/closed-forms.ts';
import { optimalCost } from './wu/decision-process.ts';
import {
  printedVarianceFifo,
  printedVarianceLifo,
  printedVarianceTwoQueues,
  varianceFifo,
  varianceLifo,
  varianceTwoQueues,
} from './xu/closed-forms.ts';
import { sidesWaits } from './xu/sides.ts';
import { zonesImprovement } from './xu/zones.ts';

/** A plot for research/docs/papers.md. */
export interface Plot {
  /** File name without its ending. */
  readonly name: string;
  readonly svg: string;
}

/** The plots that go with a paper; measured points are those of the reproduction, or use its seed. */
export function plotsOf(result: Reproduction): Plot[] {
  switch (result.paper) {
    case 'wu':
      return [wuCosts(), wuThresholds()];
    case 'xu':
      return [xuVariances(result), xuSides(), xuZones()];
    case 'schlup':
      return [schlupScores(result), schlupParameters(result)];
    case 'alman':
      return [almanTimes(result)];
    default:
      return [];
  }
}

function wuCosts(): Plot {
  const alphas = steps(0, 4, 40);
  const shares = [0.05, 0.1, 0.5];
  return chart('wu-costs', 'Cost per period, n = 3', 'α', 'cost', [
    line(
      'patient',
      alphas.map((alpha) => [alpha, patientCost({ teamSize: 3, highShare: 0.5 })]),
    ),
    ...shares.map((highShare) =>
      line(
        `greedy, q = ${highShare}`,
        alphas.map((alpha) => [alpha, greedyCost({ teamSize: 3, highShare }, alpha)]),
      ),
    ),
    points(
      'best of all policies',
      shares.flatMap((highShare) =>
        steps(0, 4, 16).map((alpha) => [alpha, optimalCost({ teamSize: 3, highShare }, alpha).upper]),
      ),
    ),
  ]);
}

function wuThresholds(): Plot {
  return chart(
    'wu-thresholds',
    'Greedy is optimal below α*, patient above',
    'q',
    'α*',
    [1, 2, 3, 5].map((teamSize) =>
      line(
        `n = ${teamSize}`,
        steps(0.05, 0.95, 45).map((highShare) => [highShare, threshold({ teamSize, highShare })]),
      ),
    ),
    { max: 4 },
  );
}

function xuVariances({ sections }: Reproduction): Plot {
  const at = (solos: number) => ({ solos, pairs: (1 - solos) / 2 });
  const shares = steps(0.05, 0.95, 60);
  const forms = [
    { name: 'two queues', printed: printedVarianceTwoQueues, derived: varianceTwoQueues },
    { name: 'LIFO', printed: printedVarianceLifo, derived: varianceLifo },
    { name: 'FIFO, packing', printed: printedVarianceFifo, derived: varianceFifo },
  ];
  const measured = sections
    .filter(({ title }) => title.startsWith('Variance'))
    .flatMap(({ findings }) => findings)
    .flatMap(({ what, ours }) => {
      const solos = /^(?:fifo|packing|lifo|two queues), λ1 = ([\d.]+)/.exec(what)?.[1];
      return solos === undefined ? [] : [[Number(solos), ours]];
    });
  return chart(
    'xu-variances',
    'Variance of the wait in 2v2 at λ_total = 1',
    'λ1, the share of solos',
    'variance',
    [
      ...forms.map(({ name, derived }) =>
        line(
          `${name}, derived`,
          shares.map((x) => [x, derived(at(x))]),
        ),
      ),
      ...forms.map(({ name, printed }) =>
        dashed(
          `${name}, printed`,
          shares.map((x) => [x, printed(at(x))]),
        ),
      ),
      points('measured', measured),
    ],
    { max: 30, colorsRepeatAfter: forms.length },
  );
}

function xuSides(): Plot {
  return chart(
    'xu-sides',
    'Mean wait with sides to choose at λ = 1: no bound beyond the ends',
    'λ_A',
    'mean wait',
    [0.2, 0.3, 0.4, 0.45].map((b) =>
      line(
        `λ_B = ${b}`,
        steps(0, 0.499, 200)
          .map((a) => [a, sidesWaits({ a, b, c: 1 - a - b }).all])
          .filter(([, wait]) => Number.isFinite(wait)),
      ),
    ),
    { max: 10 },
  );
}

function xuZones(): Plot {
  return chart(
    'xu-zones',
    'Zones: wait of the choice-free over the wait of those for B only, λ = 1',
    'λ_A',
    'ratio of waits',
    [0, 0.1, 0.3, 0.5].map((c) =>
      line(
        `λ_C = ${c}`,
        steps(0.02, 1 - c - 0.02, 50).map((a) => [a, zonesImprovement({ a, b: 1 - a - c, c })]),
      ),
    ),
  );
}

function schlupScores({ sections }: Reproduction): Plot {
  const [short, long] = sections;
  const names = short.findings.map(({ what }) => what.split(':')[0]);
  const bars = (name: string, values: (number | undefined)[]): SeriesOption => ({
    name,
    type: 'bar',
    data: values.map((value) => value ?? '-'),
  });
  const ofTable = names.map((name) => name.startsWith('A_'));
  return rendered('schlup-scores', {
    ...frame('Scaled costs (OPT = 1)'),
    xAxis: { type: 'category', data: names, axisLabel: { interval: 0, width: 90, overflow: 'break' } },
    yAxis: { type: 'value', min: 1, name: 'cost over OPT' },
    series: [
      bars(
        'paper',
        short.findings.map(({ paper }, at) => (ofTable[at] ? paper : undefined)),
      ),
      bars(
        'ours, 20 time units',
        short.findings.map(({ ours }) => ours),
      ),
      bars(
        'ours, 1,000 players',
        long.findings.map(({ ours }) => ours),
      ),
    ],
  });
}

/** As figure 2 of the paper: cost by parameter at a = 10. */
function schlupParameters({ seed }: Reproduction): Plot {
  const pairs: Setting = { players: 2, criteria: 1, longestWait: 5 };
  const parameters = Array.from({ length: 15 }, (_, at) => at + 1);
  const costs = (
    algorithm: (parameter: number) => (setting: Setting, makeGame: MakeGame) => OnlineAlgorithm,
  ) =>
    parameters.map((parameter) => {
      const arrivals = steadyArrivals(10, 20_000, 1, seededRandom(seed).fork('plot'));
      return [parameter, run(pairs, arrivals, algorithm(parameter)).costPerGame];
    });
  return chart(
    'schlup-parameters',
    'Cost per game by parameter, k = 2, a = 10, τ_max = 5',
    'games per period, queues, f_wait',
    'cost per game',
    [
      line('A_PM', costs(periodic)),
      line('A_MQ', costs(multiQueue)),
      line('A_DW', costs(differenceWait)),
      dashed(
        'A_PM by (5)',
        parameters.map((x) => [x, periodicCost(pairs, 10, 2 * x)]),
      ),
      dashed(
        'A_MQ by (7)',
        parameters.map((r) => [r, multiQueueCost(pairs, 10, [r])]),
      ),
    ],
    { colorsRepeatAfter: 3 },
  );
}

function almanTimes({ sections }: Reproduction): Plot {
  const times = sections
    .flatMap(({ findings }) => findings)
    .flatMap(({ what, ours }) => {
      const size = /^µs at n = (\d+)/.exec(what)?.[1];
      return size === undefined ? [] : [[Number(size), ours]];
    });
  const [[first, least]] = times;
  return rendered('alman-times', {
    ...frame('Insert, query and delete, k = 5'),
    xAxis: { type: 'log', name: 'players waiting', nameLocation: 'middle', nameGap: 28 },
    yAxis: { type: 'value', name: 'µs', min: 0 },
    series: [
      { ...line('engine', times), symbol: 'circle' } as SeriesOption,
      dashed(
        'proportional to log n',
        times.map(([size]) => [size, (least * Math.log(size)) / Math.log(first)]),
      ),
    ],
  });
}

export interface ChartOptions {
  /** The greatest value shown. */
  readonly max?: number;
  /** Series this many places apart share a colour. */
  readonly colorsRepeatAfter?: number;
}

export function chart(
  name: string,
  title: string,
  x: string,
  y: string,
  series: SeriesOption[],
  { max, colorsRepeatAfter = COLORS.length }: ChartOptions = {},
): Plot {
  return rendered(name, {
    ...frame(title),
    color: COLORS.slice(0, colorsRepeatAfter),
    xAxis: { type: 'value', name: x, nameLocation: 'middle', nameGap: 28, min: 'dataMin', max: 'dataMax' },
    yAxis: { type: 'value', name: y, scale: true, ...(max !== undefined && { max }) },
    series,
  });
}

const COLORS = ['#2f6fbb', '#c8553d', '#4f9d69', '#8f6bb3', '#b58a2e', '#5b6770'];

function frame(title: string): EChartsOption {
  return {
    animation: false,
    backgroundColor: '#ffffff',
    color: COLORS,
    title: { text: title, left: 'center', textStyle: { fontSize: 14 } },
    legend: { bottom: 0, type: 'plain' },
    grid: { top: 56, left: 56, right: 24, bottom: 92 },
  };
}

export function line(name: string, data: readonly (readonly number[])[]): SeriesOption {
  return { name, type: 'line', symbol: 'none', data: rounded(data) };
}

function dashed(name: string, data: readonly (readonly number[])[]): SeriesOption {
  return { ...line(name, data), lineStyle: { type: 'dashed', width: 1.5 } } as SeriesOption;
}

function points(name: string, data: readonly (readonly number[])[]): SeriesOption {
  return { name, type: 'scatter', symbolSize: 5, itemStyle: { color: '#222222' }, data: rounded(data) };
}

function rounded(data: readonly (readonly number[])[]): number[][] {
  return data.map((values) => values.map((value) => Number(value.toPrecision(6))));
}

function steps(from: number, to: number, count: number): number[] {
  return Array.from({ length: count + 1 }, (_, at) => from + ((to - from) * at) / count);
}

function rendered(name: string, option: EChartsOption): Plot {
  const picture = init(null, null, { renderer: 'svg', ssr: true, width: 640, height: 400 });
  picture.setOption(option);
  const svg = picture.renderToSVGString();
  picture.dispose();
  return { name, svg: `${svg}\n` };
}
