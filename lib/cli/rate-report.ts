import { LADDER_DEFAULTS } from '../contract/ladder.ts';
import { FITTED_PART, fitLadder } from '../ratings/fit.ts';
import type { Ladder } from '../ratings/ladder.ts';
import { OddsMeasures, type OddsWorth } from '../ratings/odds-measures.ts';
import { type PlayedMatch, type Replayed, replay } from '../ratings/replay.ts';
import { InvalidInput } from './failure.ts';
import { printJson, readLadderFile } from './input.ts';
import { readMatches } from './played-matches.ts';
import { textTable } from './text-table.ts';

export interface RateOptions {
  readonly matches: string;
  readonly ladder?: string;
  readonly fit?: true;
  readonly json?: true;
}

/** Rates the matches of a file and prints the report. */
export function printRatings(options: RateOptions): void {
  const matches = readMatches(options.matches);
  const given = options.ladder === undefined ? LADDER_DEFAULTS : readLadderFile(options.ladder);
  const from = options.fit ? Math.floor(FITTED_PART * matches.length) : 0;
  const parts = options.fit ? [matches.slice(0, from), matches.slice(from)] : [];
  if (parts.some((part) => part.every(({ ranks }) => ranks === undefined)))
    throw new InvalidInput(
      `${options.matches}: Expected results among the first 70% and the last 30% of the matches, got none in one part: --fit needs more matches`,
    );
  const ladder = options.fit ? fitLadder(given, matches) : given;
  const report = reportOf(ladder, matches, from);
  if (options.json) printJson(jsonOf(ladder, report));
  else process.stdout.write(`${textOf(ladder, report, options.fit === true)}\n`);
}

interface Report extends Replayed {
  /** The odds of the matches from `from` on. */
  readonly from: number;
  readonly worth: Readonly<Record<'calibrated' | 'uncalibrated' | 'coin', OddsWorth>>;
}

function reportOf(ladder: Ladder, matches: readonly PlayedMatch[], from: number): Report {
  const [calibrated, uncalibrated, coin] = [new OddsMeasures(), new OddsMeasures(), new OddsMeasures()];
  const replayed = replay(ladder, matches, ({ index, raw, calibrated: odds, shares }) => {
    if (index < from) return;
    calibrated.add(odds, shares);
    uncalibrated.add(raw, shares);
    const even = raw.map(() => 1 / raw.length);
    coin.add(even, shares);
  });
  const worth = { calibrated: calibrated.worth, uncalibrated: uncalibrated.worth, coin: coin.worth };
  return { ...replayed, from, worth };
}

function jsonOf(ladder: Ladder, { players, slope, rated, voided, from, worth }: Report) {
  return {
    ladder,
    matches: { rated, voided, measuredFrom: from },
    slope: slope.slope,
    odds: worth,
    players: [...players]
      .sort(([a, x], [b, y]) => y.mean - x.mean || (a < b ? -1 : 1))
      .map(([playerId, { mean, deviation, matches }]) => ({ playerId, mean, deviation, matches })),
  };
}

function textOf(
  ladder: Ladder,
  { players, slope, rated, voided, from, worth }: Report,
  isFit: boolean,
): string {
  const { model, initial, beta, drift } = ladder;
  const measured = worth.calibrated.matches;
  const odds = Object.entries(worth).map(([name, { logLoss, brier, accuracy, slope: own }]) => [
    name,
    shown(logLoss, 4),
    shown(brier, 4),
    percent(accuracy),
    shown(own, 3),
  ]);
  const bins = worth.calibrated.bins
    .filter(({ count }) => count > 0)
    .map(({ from: low, to, count, predicted, happened, ...interval }) => [
      `  ${low.toFixed(1)} to ${to.toFixed(1)}`,
      String(count),
      percent(predicted),
      percent(happened),
      `${percent(interval.low)} to ${percent(interval.high)}`,
    ]);
  return [
    `${rated} matches rated${voided > 0 ? `, ${voided} void` : ''}, ${players.size} players`,
    `${isFit ? 'fitted' : 'ladder'}: ${model}, initial ${initial.mean} ± ${initial.deviation}, beta ${rounded(beta)}, drift ${rounded(drift.perGame)} a match and ${rounded(drift.perDay)} a day`,
    `odds before each of ${from === 0 ? 'the' : 'the last'} ${measured} matches:`,
    '',
    ...textTable([['odds', 'log loss', 'Brier', 'right', 'slope'], ...odds]),
    '',
    `Calibrated odds that were given, and what has happened (95% interval); the slope learnt is ${slope.slope.toFixed(3)}:`,
    ...textTable([['  odds', 'teams', 'mean', 'won', 'interval'], ...bins]),
  ].join('\n');
}

const percent = (share: number) => (Number.isNaN(share) ? '–' : `${shown(100 * share, 1)}%`);
const shown = (value: number, digits: number) => (Number.isNaN(value) ? '–' : value.toFixed(digits));
const rounded = (value: number) => Number(value.toPrecision(4));
