import { predictWin, rate } from 'openskill';
import { LADDER_DEFAULTS } from '../../../lib/contract/ladder.ts';
import { fitLadder } from '../../../lib/ratings/fit.ts';
import type { Ladder } from '../../../lib/ratings/ladder.ts';
import { OddsMeasures } from '../../../lib/ratings/odds-measures.ts';
import { type PlayedMatch, replay } from '../../../lib/ratings/replay.ts';
import { winShares } from '../../../lib/ratings/result.ts';
import { synthetic } from '../../../test/ratings/synthetic.ts';
import { table } from '../../../test/tables/print.ts';
import { ExactFilter } from './exact-filter.ts';

/** How the synthetic matches come about, and so the true parameters. */
const TRUTH: Ladder = {
  model: 'thurstone-mosteller',
  initial: { mean: 1_500, deviation: 350 },
  beta: 600,
  drift: { perGame: 10, perDay: 10 },
};
const TEAM_SIZE = 5;
const REGION_PLAYERS = 500;
/** Odds before so many results are not measured, nor those of a tenth of a short run: everybody is new. */
const MEASURED_FROM = 2_000;
/** A fit looks at this part of the results. */
const FITTED_PART = 0.25;
const ELO_KS = [8, 16, 32, 64, 128, 256];

export interface RatedSeasons {
  readonly players: number;
  readonly matches: number;
  readonly seeds: number;
  readonly seed: number;
  /** Whether players bring friends into their teams: the same ones, again and again. */
  readonly friends: boolean;
}

/** The measures of odds of one kind, of one seed. */
class Measured {
  readonly #early = new OddsMeasures();
  readonly #late = new OddsMeasures();
  readonly #all = new OddsMeasures();
  readonly #from: ReturnType<typeof periodsOf>;

  constructor(matches: number) {
    this.#from = periodsOf(matches);
  }

  add(index: number, odds: readonly number[], shares: readonly number[]): void {
    if (index < this.#from.early) return;
    this.#all.add(odds, shares);
    (index < this.#from.late ? this.#early : this.#late).add(odds, shares);
  }

  get worth() {
    return { early: this.#early.worth.logLoss, late: this.#late.worth.logLoss, slope: this.#all.worth.slope };
  }
}

/** The first result of each period that is measured. */
function periodsOf(matches: number) {
  return { early: Math.min(MEASURED_FROM, Math.floor(matches / 10)), late: Math.floor(matches / 5) };
}

/**
 * What the odds of ratings are worth beside the best that can be known, as a table: means over seeds, and 95% intervals of the
 * slopes.
 */
export function oddsWorth(seasons: RatedSeasons): string {
  const found = new Map<string, Measured['worth'][]>();
  for (let run = 0; run < seasons.seeds; run++) {
    for (const [name, measured] of measuredOf(seasons, seasons.seed + run))
      found.set(name, [...(found.get(name) ?? []), measured.worth]);
    console.error(`${run + 1} of ${seasons.seeds} seeds`);
  }
  const best = mean(found.get(BEST)!.map(({ late }) => late));
  const from = periodsOf(seasons.matches);
  const [early, late, end] = [from.early, from.late, seasons.matches].map((at) => at.toLocaleString('en'));
  return table(
    [
      'odds',
      `log loss of results ${early} to ${late}`,
      `${late} to ${end}`,
      'beside the best filter',
      `slope from ${early} on`,
    ],
    [...found].map(([name, worths]) => {
      const later = mean(worths.map((one) => one.late));
      const slopes = worths.map(({ slope }) => slope);
      return [
        name,
        mean(worths.map(({ early }) => early)).toFixed(4),
        later.toFixed(4),
        `${later < best ? '−' : '+'}${Math.abs(100 * (later / best - 1)).toFixed(1)}%`,
        slopes.some(Number.isNaN) ? '–' : `${mean(slopes).toFixed(3)} ± ${halfWidth(slopes).toFixed(3)}`,
      ];
    }),
  );
}

const BEST = 'best filter: true parameters, all covariances';

function measuredOf({ players, matches: count, friends }: RatedSeasons, seed: number): Map<string, Measured> {
  const { matches, truth } = synthetic({
    seed,
    players,
    matches: count,
    teamSize: TEAM_SIZE,
    beta: TRUTH.beta,
    walk: TRUTH.drift.perGame,
    walkPerDay: TRUTH.drift.perDay,
    regions: regionsOf(players).length,
    friends,
    // Each player has about one match a day.
    betweenMs: (86_400_000 * 2 * TEAM_SIZE) / players,
  });
  const shares = matches.map(({ ranks }) => winShares(ranks!));
  const found = new Map<string, Measured>();
  const measure = (name: string, oddsOf: (index: number) => readonly number[]) => {
    const measured = new Measured(count);
    for (const index of matches.keys()) measured.add(index, oddsOf(index), shares[index]!);
    found.set(name, measured);
  };
  const ladder = (name: string, of: Ladder) => {
    const [own, raw] = [new Measured(count), new Measured(count)];
    replay(of, matches, (one) => {
      own.add(one.index, one.calibrated, one.shares);
      raw.add(one.index, one.raw, one.shares);
    });
    found.set(name, own);
    found.set(`${name}, uncalibrated`, raw);
  };
  measure('known true skills', (index) => truth[index]!);
  const filter = new ExactFilter(TRUTH, regionsOf(players));
  measure(BEST, (index) => filter.play(matches[index]!));
  ladder('Thurstone–Mosteller, true parameters', TRUTH);
  ladder('Plackett–Luce, true parameters', { ...TRUTH, model: 'plackett-luce' });
  ladder('fitted on the first results', fitLadder(LADDER_DEFAULTS, matches.slice(0, FITTED_PART * count)));
  ladder('the default ladder', LADDER_DEFAULTS);
  const raw = openskillDefaults(matches);
  measure('openskill with its defaults', (index) => raw[index]!);
  const k = ELO_KS.map((one) => ({ one, loss: lossOf(elo(matches, one), shares) })).sort(
    (a, b) => a.loss - b.loss,
  )[0]!.one;
  const byElo = elo(matches, k);
  measure('Elo, the best K in hindsight', (index) => byElo[index]!);
  measure('a coin', () => [0.5, 0.5]);
  return found;
}

function regionsOf(players: number): string[][] {
  const size = Math.min(players, REGION_PLAYERS);
  return Array.from({ length: players / size }, (_, region) =>
    Array.from({ length: size }, (_, i) => `p${region * size + i}`),
  );
}

/** The library as it is: its own scale, parameters and odds. */
function openskillDefaults(matches: readonly PlayedMatch[]): number[][] {
  const ratings = new Map<string, { mu: number; sigma: number }>();
  return matches.map(({ teams, ranks }) => {
    const before = teams.map((team) =>
      team.map(({ playerId }) => ratings.get(playerId) ?? { mu: 25, sigma: 25 / 3 }),
    );
    const odds = predictWin(before);
    const after = rate(before, { rank: [...ranks!] });
    for (const [t, team] of teams.entries())
      for (const [i, { playerId }] of team.entries()) ratings.set(playerId, after[t]![i]!);
    return odds;
  });
}

/** Elo's rule for the mean of each team, in his scale of 400. */
function elo(matches: readonly PlayedMatch[], k: number): number[][] {
  const ratings = new Map<string, number>();
  const of = (playerId: string) => ratings.get(playerId) ?? 1_500;
  return matches.map(({ teams, ranks }) => {
    const [first, second] = teams.map((team) => mean(team.map(({ playerId }) => of(playerId)))) as [
      number,
      number,
    ];
    const chance = 1 / (1 + 10 ** ((second - first) / 400));
    const change = k * ((ranks![0]! < ranks![1]! ? 1 : 0) - chance);
    for (const { playerId } of teams[0]!) ratings.set(playerId, of(playerId) + change);
    for (const { playerId } of teams[1]!) ratings.set(playerId, of(playerId) - change);
    return [chance, 1 - chance];
  });
}

function lossOf(odds: readonly (readonly number[])[], shares: readonly (readonly number[])[]): number {
  return mean(odds.map((one, at) => -Math.log(shares[at]![0]! === 1 ? one[0]! : one[1]!)));
}

/** Half of the 95% interval of a mean: Student's t for 2 to 6 values, the normal beyond. */
function halfWidth(values: readonly number[]): number {
  const quantile = [12.71, 4.303, 3.182, 2.776, 2.571][values.length - 2] ?? 1.96;
  const centre = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
  return quantile * Math.sqrt(variance / values.length);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
