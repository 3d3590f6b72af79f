import type { Ladder, Rating } from '../../../ratings/ladder.ts';
import { rateMatch } from '../../../ratings/rate-match.ts';
import { type RandomSource, seededRandom } from '../../../simulation/random.ts';
import {
  against,
  type Estimate,
  near,
  type ReproduceOptions,
  type Reproduction,
  reproduction,
  type Section,
} from '../finding.ts';
import { RunningStatistics } from '../statistics.ts';
import { CONTEST, fitOf, orderOf, pairsOfFilter, playContests, type Spread } from './contest.ts';

/** Independent runs: within one, the rounds have the same participants. */
const RUNS = 10;
/** A run has a participant for so many of the players of other papers: the library compares all pairs. */
const PLAYERS_PER_PARTICIPANT = 5_000;
/** With fewer, the figures are too uncertain for their limits. */
const PARTICIPANTS_MIN = 200;
/** Rounds before a prediction counts. */
const EXPERIENCE = 5;

/** The row "Synthetic" of the paper's table of results, in percent: TrueSkill, and the paper's own for normal performances. */
const PRINTED = { trueSkill: { pairs: 81.3, ranks: 13.1 }, eloMmx: { pairs: 81.7, ranks: 12.8 } };

/** How far another model may be from TrueSkill, as a part of its figure. */
const OTHER_MODEL = { pairs: 0.02, ranks: 0.06 };

const LADDER: Ladder = {
  model: 'plackett-luce',
  initial: { mean: CONTEST.mean, deviation: CONTEST.deviation },
  beta: CONTEST.noise,
  drift: { perGame: CONTEST.drift, perDay: 0 },
};

/** Ratings in contests of many players (Ebtekar & Liu): how well ratings predict the ranks of the next round. */
export function reproduceEloMmr(options: ReproduceOptions): Reproduction {
  return reproduction(
    'ratings',
    'Ebtekar & Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions" (WWW 2021, arXiv 2101.00400)',
    options,
    [asPrinted(options), withSteadySpread(options)],
  );
}

function asPrinted(options: ReproduceOptions): Section {
  const { participants, filter, ladder } = measure(options, 'grows');
  return {
    title: `The text: ${RUNS} runs of ${participants.toLocaleString('en')} participants in 50 rounds, and 35 is added to each skill between two`,
    findings: [
      against(
        'a filter that sees performances: pairs in %',
        { paper: PRINTED.eloMmx.pairs, derived: meanOfFilter('grows') },
        estimate(filter.pairs),
        'skills spread from 350 to 427, so that they order more pairs than the paper prints for any system',
      ),
      near(
        'Plackett–Luce: pairs in % (TrueSkill)',
        PRINTED.trueSkill.pairs,
        OTHER_MODEL.pairs,
        estimate(ladder.pairs),
      ),
      near(
        'Plackett–Luce: ranks off by % (TrueSkill)',
        PRINTED.trueSkill.ranks,
        OTHER_MODEL.ranks,
        estimate(ladder.ranks),
      ),
    ],
    remarks: [
      'The text says that 10,000 players compete in all rounds, its table of datasets that 2,500 of them do. We take the former, with fewer players: the share of ordered pairs does not depend on their number.',
      'The text is silent on the seed, on ties of ratings in the first round, and on the hyperparameters that its search has chosen. Ours are those that generate the data.',
      'The library that ladders use has no TrueSkill. Plackett–Luce, the default of ladders, stands in its place, with limits of 2% of pairs and 6% of ranks.',
    ],
  };
}

function withSteadySpread(options: ReproduceOptions): Section {
  const { participants, filter, ladder } = measure(options, 'stays');
  return {
    title: `Our reading: ${RUNS} runs of ${participants.toLocaleString('en')} participants whose skills keep a deviation of 350 while they change`,
    findings: [
      near(
        'a filter that sees performances: pairs in % (Elo-MMχ)',
        PRINTED.eloMmx.pairs,
        0.01,
        estimate(filter.pairs),
        `${meanOfFilter('stays').toFixed(1)} by the closed form, with infinitely many participants`,
      ),
      near('the same: ranks off by % (Elo-MMχ)', PRINTED.eloMmx.ranks, 0.03, estimate(filter.ranks)),
      near(
        'Plackett–Luce: pairs in % (TrueSkill)',
        PRINTED.trueSkill.pairs,
        OTHER_MODEL.pairs,
        estimate(ladder.pairs),
      ),
      near(
        'Plackett–Luce: ranks off by % (TrueSkill)',
        PRINTED.trueSkill.ranks,
        OTHER_MODEL.ranks,
        estimate(ladder.ranks),
      ),
    ],
    remarks: [
      'With many participants a rank gives a performance away, so no system can do better than a filter that sees performances.',
      'The text does not say that skills are drawn back. The printed figures fit it, and not the text.',
    ],
  };
}

function estimate({ mean, standardError }: RunningStatistics): Estimate {
  return { value: mean, standardError };
}

/** The mean of the closed form over the rounds that count. */
function meanOfFilter(spread: Spread): number {
  let sum = 0;
  for (let round = EXPERIENCE; round < CONTEST.rounds; round++) sum += pairsOfFilter(round, spread);
  return sum / (CONTEST.rounds - EXPERIENCE);
}

function measure({ players, seed }: ReproduceOptions, spread: Spread) {
  const participants = Math.max(PARTICIPANTS_MIN, Math.round(players / PLAYERS_PER_PARTICIPANT));
  const random = seededRandom(seed).fork(`ratings ${spread}`);
  const [filter, ladder] = [new Fit(), new Fit()];
  for (let run = 0; run < RUNS; run++) {
    const found = playRun(participants, spread, random.fork(`run ${run}`));
    filter.add(found.filter);
    ladder.add(found.ladder);
  }
  return { participants, filter, ladder };
}

/** The mean fit of the rounds of one run, by a filter that sees performances and by the ladder. */
function playRun(participants: number, spread: Spread, random: RandomSource) {
  const [filter, ladder] = [new Fit(), new Fit()];
  const known = new Float64Array(participants).fill(CONTEST.mean);
  let variance = CONTEST.deviation ** 2;
  let ratings: Rating[] = Array.from({ length: participants }, () => LADDER.initial);
  playContests(participants, spread, random, (round, _, performances) => {
    if (round >= EXPERIENCE) {
      filter.add(fitOf(known, performances));
      ladder.add(
        fitOf(
          Float64Array.from(ratings, ({ mean }) => mean),
          performances,
        ),
      );
    }
    variance = learnPerformances(known, variance, performances, spread);
    ratings = ratedBy(performances, ratings);
  });
  return { filter: filter.mean, ladder: ladder.mean };
}

class Fit {
  readonly pairs = new RunningStatistics();
  readonly ranks = new RunningStatistics();

  add(fit: { readonly pairs: number; readonly ranks: number }): void {
    this.pairs.add(fit.pairs);
    this.ranks.add(fit.ranks);
  }

  get mean() {
    return { pairs: this.pairs.mean, ranks: this.ranks.mean };
  }
}

/** Kalman's filter, for all participants at once: they have the same variance, which it returns. */
function learnPerformances(
  known: Float64Array,
  variance: number,
  performances: Float64Array,
  spread: Spread,
): number {
  const { mean, deviation, noise, drift } = CONTEST;
  const gain = variance / (variance + noise ** 2);
  const kept = spread === 'grows' ? 1 : Math.sqrt(1 - drift ** 2 / deviation ** 2);
  for (let i = 0; i < known.length; i++) {
    const after = known[i] + gain * (performances[i] - known[i]);
    known[i] = mean + kept * (after - mean);
  }
  return kept ** 2 * variance * (1 - gain) + drift ** 2;
}

/** The ratings after a contest, which is a match of as many teams as it has participants. */
function ratedBy(performances: Float64Array, ratings: readonly Rating[]): Rating[] {
  const order = orderOf(performances);
  const after = rateMatch(
    LADDER,
    order.map((participant) => [{ rating: ratings[participant], weight: 1 }]),
    order.map((_, rank) => rank + 1),
  );
  const next = [...ratings];
  order.forEach((participant, rank) => {
    next[participant] = after[rank][0];
  });
  return next;
}
