import type { BackfillMeasures } from '../../simulation/backfill-measures.ts';
import type { CalibrationOf } from '../../simulation/calibration.ts';
import { durationText } from '../../simulation/duration.ts';
import type { CostEstimate } from '../../simulation/estimate-cost.ts';
import type { Measures } from '../../simulation/measures.ts';
import type { WithoutBackfill } from '../../simulation/play.ts';
import { settingText, type TunePoint } from '../../simulation/tune.ts';
import { short } from '../text-table.ts';

/** Marks the row of a table. */
export const ARROW = '→';

/** A table of texts, for a page or for a terminal. */
export interface Table {
  readonly title?: string;
  /** The names of the columns but the first. */
  readonly columns: readonly string[];
  /** Each begins with its name. A name that begins with an arrow marks its row. */
  readonly rows: readonly (readonly [name: string, ...cells: string[]])[];
}

/** One simulated queue in a report. */
export interface ReportRun {
  /** Names the run in legends and tables: the policy, say. */
  readonly name: string;
  readonly definition: unknown;
  readonly measures: Measures;
  /** The same queue without backfill; omitted when no match asks for players. */
  readonly without?: WithoutBackfill | undefined;
  /** Omitted for other matchmakers. */
  readonly cost?: CostEstimate;
  /** Whether estimated waits came true; omitted for other matchmakers. */
  readonly calibration?: readonly CalibrationOf[];
  readonly warnings: readonly string[];
}

type Numbers = Pick<ReportRun, 'name' | 'measures' | 'without' | 'cost' | 'calibration'>;

const ROWS: readonly (readonly [string, (run: Numbers) => string])[] = [
  ['players', ({ measures }) => whole(measures.players)],
  ['matches', ({ measures }) => whole(measures.matches)],
  ['mean wait', ({ measures }) => durationText(measures.waitSeconds.mean)],
  ['median wait', ({ measures }) => durationText(measures.waitSeconds.p50)],
  ['90 % of waits', ({ measures }) => durationText(measures.waitSeconds.p90)],
  ['99 % of waits', ({ measures }) => durationText(measures.waitSeconds.p99)],
  ['longest wait', ({ measures }) => durationText(measures.waitSeconds.max)],
  ['mean imbalance, in skill', ({ measures }) => short(measures.imbalance.mean)],
  ['90 % of imbalances', ({ measures }) => short(measures.imbalance.p90)],
  ['mean team gap, in skill', ({ measures }) => short(measures.teamGap.mean)],
  ['90 % of team gaps', ({ measures }) => short(measures.teamGap.p90)],
  ['mean gap to the best match, at most', ({ measures }) => short(measures.gap.mean)],
  ['proved best of the pool', ({ measures }) => percent(measures.provedBest)],
  ['matched', ({ measures }) => percentOf(measures.outcome.matched, measures)],
  ['cancelled', ({ measures }) => percentOf(measures.outcome.cancelled, measures)],
  ['timed out', ({ measures }) => percentOf(measures.outcome.timedOut, measures)],
  ['waiting at the end', ({ measures }) => percentOf(measures.outcome.waiting, measures)],
  ['seats filled by bots', ({ measures }) => whole(measures.bots)],
  ['players waiting, mean', ({ measures }) => short(measures.waitingPlayers.mean)],
  ['matched within their estimated p50', ofEstimates(({ matchedByP50 }) => percent(matchedByP50))],
  ['matched within their estimated p90', ofEstimates(({ matchedByP90 }) => percent(matchedByP90))],
  ['AWS, per million players', ({ cost }) => (cost ? `$${cost.perMillionPlayers.toFixed(2)}` : '–')],
];

/** Shown when tickets wait in several queues. */
const ELSEWHERE_ROW: (typeof ROWS)[number] = [
  'matched by another queue',
  ({ measures }) => percentOf(measures.outcome.elsewhere ?? 0, measures),
];

/** Shown when matches last and players leave them. */
const BACKFILL_ROWS: typeof ROWS = [
  ['players who left a match', ofBackfill(({ leavers }) => whole(leavers))],
  ['empty seats', ofBackfill(({ emptySeats }) => whole(emptySeats))],
  ['empty seats filled', ofBackfill(({ filledShare }) => percent(filledShare))],
  ['median time to fill', ofBackfill(({ secondsToFill }) => durationText(secondsToFill.p50))],
  ['90 % of times to fill', ofBackfill(({ secondsToFill }) => durationText(secondsToFill.p90))],
  ['longest time to fill', ofBackfill(({ secondsToFill }) => durationText(secondsToFill.max))],
  ['time of all seats empty', ofBackfill(({ emptyShare }) => percent(emptyShare))],
  ['mean imbalance with newcomers', ofBackfill(({ imbalance }) => short(imbalance.mean))],
  ['mean wait of newcomers', ofBackfill(({ waitSeconds }) => durationText(waitSeconds.mean))],
  ['mean wait without backfill', ({ without }) => (without ? durationText(without.waitSeconds.mean) : '–')],
  ['mean imbalance without backfill', ({ without }) => (without ? short(without.imbalance.mean) : '–')],
];

function ofBackfill(read: (measures: BackfillMeasures) => string): (run: Numbers) => string {
  return ({ measures: { backfill } }) => (backfill ? read(backfill) : '–');
}

function ofEstimates(read: (all: CalibrationOf) => string): (run: Numbers) => string {
  return ({ calibration: [all] = [] }) => (all ? read(all) : '–');
}

/** The numbers of runs, side by side. */
export function numbersOf(runs: readonly Numbers[]): Table {
  const shown = [
    ...ROWS,
    ...(runs.some(({ measures }) => measures.outcome.elsewhere) ? [ELSEWHERE_ROW] : []),
    ...(runs.some(({ measures }) => measures.backfill) ? BACKFILL_ROWS : []),
  ];
  return {
    columns: runs.map(({ name }) => name),
    rows: shown.map(([label, read]) => [label, ...runs.map(read)]),
  };
}

/** The matches of one run by region and rule; nothing for a queue without rules. */
export function rulingOf({ name, measures }: ReportRun): Table[] {
  const regions: Table = {
    title: `${name}: matches by region`,
    columns: ['of matches', 'mean wait', '99 % of waits'],
    rows: measures.byRegion.map(({ region, matches, waitSeconds }) => [
      region,
      percent(matches / measures.matches),
      durationText(waitSeconds.mean),
      durationText(waitSeconds.p99),
    ]),
  };
  const rules: Table = {
    title: `${name}: rules`,
    columns: ['relaxed, of matches', 'mean cost, in imbalance'],
    rows: measures.byRule.map(({ rule, relaxed, cost }) => [rule, percent(relaxed), short(cost)]),
  };
  return [regions, rules].filter(({ rows }) => rows.length > 0);
}

/** The waits of one run by skill, party size and role, where there are several. */
export function waitsOf({ name, measures }: ReportRun): Table[] {
  const groups = {
    skill: measures.waitSecondsBySkill,
    'party size': measures.waitSecondsByPartySize,
    role: measures.waitSecondsByRole,
  };
  return Object.entries(groups)
    .filter(([, waits]) => waits.length > 1)
    .map(([by, waits]) => ({
      title: `${name}: waits by ${by}`,
      columns: ['players', 'median', '90 %', '99 %'],
      rows: waits.map(({ of, count, p50, p90, p99 }) => [
        of,
        whole(count),
        ...[p50, p90, p99].map(durationText),
      ]),
    }));
}

/** Settings that a tuning has tried, with an arrow at the chosen one. */
export function settingsTable(points: readonly TunePoint[], chosen: TunePoint | undefined): Table {
  return {
    columns: [
      'mean wait',
      '99 % of waits',
      'longest wait',
      'mean imbalance',
      '90 % of imbalances',
      'timed out',
      'cancelled',
    ],
    rows: points.map((point) => [
      `${point === chosen ? ARROW : ' '} ${settingText(point)}`,
      durationText(point.waitMean),
      durationText(point.waitP99),
      durationText(point.waitMax),
      short(point.imbalanceMean),
      short(point.imbalanceP90),
      percent(point.timedOut),
      percent(point.cancelled),
    ]),
  };
}

const whole = (value: number) => value.toLocaleString('en-US');
const percent = (share: number) => (Number.isNaN(share) ? '–' : `${(100 * share).toFixed(1)} %`);
const percentOf = (players: number, measures: Measures) =>
  percent(measures.players === 0 ? 0 : players / measures.players);
