import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LADDER_DEFAULTS, ladderDefinition, parseLadderDefinition } from '../../lib/contract/ladder.ts';
import { newRating } from '../../lib/contract/rating.ts';
import { fitLadder } from '../../lib/ratings/fit.ts';
import { drifted, type Ladder, RATING_MODELS, type Rating } from '../../lib/ratings/ladder.ts';
import { calibrated, rawOdds } from '../../lib/ratings/odds.ts';
import { OddsMeasures } from '../../lib/ratings/odds-measures.ts';
import { learn, lossAt, NEW_SLOPE } from '../../lib/ratings/odds-slope.ts';
import { rateMatch } from '../../lib/ratings/rate-match.ts';
import { replay } from '../../lib/ratings/replay.ts';
import { ranksOf, winShares } from '../../lib/ratings/result.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { sample } from '../long.ts';
import { synthetic } from './synthetic.ts';

const LADDER: Ladder = { ...LADDER_DEFAULTS, drift: { perGame: 0, perDay: 0 } };
const NEW = LADDER.initial;
const seat = (rating: Rating = NEW, weight = 1) => ({ rating, weight });
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

describe('the ratings after a match', () => {
  it.each(RATING_MODELS)('rise for the winner and fall for the loser, and are surer (%s)', (model) => {
    const [[won], [lost]] = rateMatch({ ...LADDER, model }, [[seat()], [seat()]], [1, 2]) as [
      [Rating],
      [Rating],
    ];
    expect(won.mean).toBeGreaterThan(NEW.mean);
    expect(won.mean - NEW.mean).toBeCloseTo(NEW.mean - lost.mean, 8);
    expect(won.deviation).toBeLessThan(NEW.deviation);
    expect(won.deviation).toBeGreaterThan(0);
  });

  it.each(RATING_MODELS)('of equals do not change their means by a draw (%s)', (model) => {
    const after = rateMatch({ ...LADDER, model }, [[seat()], [seat()]], [1, 1]).flat();
    for (const { mean } of after) expect(mean).toBeCloseTo(NEW.mean, 8);
  });

  it('change most for those who are least known', () => {
    const known = seat({ mean: 1_500, deviation: 80 });
    const [[fresh, settled]] = rateMatch(
      LADDER,
      [
        [seat(), known],
        [seat(), seat()],
      ],
      [1, 2],
    ) as [[Rating, Rating]];
    expect(fresh.mean - 1_500).toBeGreaterThan(5 * (settled.mean - 1_500));
  });

  it('change by the part of the match that a player was there for', () => {
    const [[whole]] = rateMatch(LADDER, [[seat()], [seat()]], [1, 2]) as [[Rating]];
    const [[half]] = rateMatch(LADDER, [[seat(NEW, 0.5)], [seat()]], [1, 2]) as [[Rating]];
    const [[none]] = rateMatch(LADDER, [[seat(NEW, 0)], [seat()]], [1, 2]) as [[Rating]];
    expect(half.mean - NEW.mean).toBeCloseTo((whole.mean - NEW.mean) / 2, 8);
    expect(half.deviation ** 2).toBeCloseTo((NEW.deviation ** 2 + whole.deviation ** 2) / 2, 6);
    expect(none).toEqual(NEW);
  });

  it('do not depend on where the scale begins, nor on its unit', () => {
    const scaled: Ladder = { ...LADDER, initial: { mean: 25, deviation: 35 }, beta: 17.5 };
    const at = ({ mean, deviation }: Rating): Rating => ({
      mean: (mean - 1_500) / 10 + 25,
      deviation: deviation / 10,
    });
    const teams = [
      [seat({ mean: 1_700, deviation: 90 }), seat()],
      [seat({ mean: 1_400, deviation: 300 }), seat()],
    ];
    for (const model of RATING_MODELS) {
      const here = rateMatch({ ...LADDER, model }, teams, [2, 1]).flat();
      const there = rateMatch(
        { ...scaled, model },
        teams.map((team) => team.map(({ rating, weight }) => ({ rating: at(rating), weight }))),
        [2, 1],
      ).flat();
      for (const [i, rating] of here.entries()) {
        expect(there[i]!.mean).toBeCloseTo(at(rating).mean, 6);
        expect(there[i]!.deviation).toBeCloseTo(at(rating).deviation, 6);
      }
    }
  });

  it('are numbers for the largest teams and the widest gaps, in any order of the ranks', () => {
    const skill = fc.record({
      mean: fc.double({ min: 0, max: 3_500, noNaN: true }),
      deviation: fc.double({ min: 30, max: 350, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...RATING_MODELS),
        fc.array(fc.tuple(fc.array(skill, { minLength: 1, maxLength: 20 }), fc.integer({ min: 0, max: 3 })), {
          minLength: 2,
          maxLength: 5,
        }),
        (model, drawn) => {
          const ladder = { ...LADDER, model };
          const after = rateMatch(
            ladder,
            drawn.map(([team]) => team.map((one) => seat(one))),
            drawn.map(([, rank]) => rank),
          ).flat();
          for (const { mean, deviation } of after) {
            expect(Number.isFinite(mean)).toBe(true);
            expect(deviation).toBeGreaterThan(0);
          }
          const odds = rawOdds(
            ladder,
            drawn.map(([team]) => team),
          );
          expect(sum(odds)).toBeCloseTo(1, 9);
          expect(Math.min(...odds)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 60 },
    );
    const crowd = Array.from({ length: 100 }, () => seat({ mean: 2_400, deviation: 40 }));
    const few = Array.from({ length: 100 }, () => seat({ mean: 600, deviation: 40 }));
    for (const { mean } of rateMatch(LADDER, [crowd, few], [2, 1]).flat())
      expect(Number.isFinite(mean)).toBe(true);
  });

  it.each(RATING_MODELS)('are numbers when a rating was imported in another scale (%s)', (model) => {
    const ladder: Ladder = { ...LADDER, model };
    for (const mean of [1e6, 1e9])
      for (const ranks of [
        [1, 2],
        [2, 1],
        [1, 1],
      ]) {
        const teams = [
          [seat({ mean, deviation: 350 }), seat()],
          [seat(), seat(NEW, 0)],
        ];
        const [[imported, mate], [rival, absent]] = rateMatch(ladder, teams, ranks) as [
          [Rating, Rating],
          [Rating, Rating],
        ];
        for (const one of [imported, mate, rival]) expect(Number.isFinite(one.mean)).toBe(true);
        // Whoever is so much better gains nothing by a win, and loses by anything else.
        if (ranks[0] === 1 && ranks[1] === 2) expect(mate).toEqual(NEW);
        else expect(mate.mean).toBeLessThan(NEW.mean);
        expect(rival.mean - NEW.mean).toBeCloseTo(NEW.mean - mate.mean, 6);
        expect(absent).toEqual(NEW);
      }
  });

  it.each(RATING_MODELS)('are 0 or no smaller than numbers that DynamoDB stores (%s)', (model) => {
    const ladder: Ladder = { ...LADDER, model, initial: { mean: 0, deviation: 350 }, beta: 175 };
    for (let mean = 50_000; mean < 400_000; mean += 5_000) {
      const teams = [[seat({ mean, deviation: 90 })], [seat({ mean: 0, deviation: 350 })]];
      for (const after of rateMatch(ladder, teams, [1, 2]).flat())
        expect(after.mean === 0 || Math.abs(after.mean) >= 1e-100, String(after.mean)).toBe(true);
    }
  });

  it.each(RATING_MODELS)(
    'are never surer than a result can make them, whatever the gap of an upset (%s)',
    (model) => {
      // A library that divides by the tail of a normal distribution has no digits left near 8 standard deviations.
      const sigma = Math.sqrt(2 * (NEW.deviation ** 2 + LADDER.beta ** 2));
      for (let gap = 0; gap < 12; gap += sample(0.04, 0.01)) {
        const far = seat({ ...NEW, mean: NEW.mean + gap * sigma });
        const [[lost], [won]] = rateMatch({ ...LADDER, model }, [[far], [seat()]], [2, 1]) as [
          [Rating],
          [Rating],
        ];
        for (const { deviation } of [lost, won]) {
          expect(deviation).toBeLessThanOrEqual(NEW.deviation);
          expect(deviation ** 2).toBeGreaterThan(
            NEW.deviation ** 2 * (1 - NEW.deviation ** 2 / sigma ** 2) - 1e-6,
          );
        }
        expect(won.mean).toBeGreaterThan(NEW.mean);
        expect(won.mean).toBeLessThan(NEW.mean + 13 * sigma);
      }
    },
  );

  it.each(RATING_MODELS)('are numbers that can be stored at the limits of a ladder (%s)', (model) => {
    const limits = [1e-9, 1, 1e9];
    for (const deviation of limits)
      for (const beta of limits)
        for (const perGame of [0, 1e9])
          for (const mean of [-1e9, 0, 1e-100, 1e9])
            for (const weight of [1e-300, 0.5, 1]) {
              const definition = {
                name: 'x',
                model,
                initial: { mean: 0, deviation },
                beta,
                drift: { perGame, perDay: 0 },
              };
              const ladder = ladderDefinition.parse(definition);
              const teams = Array.from({ length: 16 }, (_, t) => [
                seat(t === 0 ? { mean, deviation } : ladder.initial, weight),
              ]);
              for (const ranks of [
                teams.map(() => 0),
                teams.map((_, t) => -t),
                teams.map((_, t) => t * 1e-300),
              ]) {
                const after = rateMatch(ladder, teams, ranks).flat();
                // DynamoDB has 0 and numbers from 1e-130 to 1e126.
                const isStored = (value: number) => value > 0.99e-100 && value < 1e100;
                const unstored = after.filter(
                  (rating) =>
                    !isStored(rating.deviation) || (rating.mean !== 0 && !isStored(Math.abs(rating.mean))),
                );
                expect(unstored).toEqual([]);
                const odds = rawOdds(
                  ladder,
                  after.map((rating) => [rating]),
                );
                expect(sum(odds)).toBeCloseTo(1, 9);
              }
            }
  });

  it('are one for each player, so a ladder with a key such as perRole is rejected with the keys that it may have', () => {
    expect(() => parseLadderDefinition('{"name":"ranked","perRole":true}', 'ranked.json')).toThrow(
      /^ranked\.json is not valid: #\/perRole: Expected one of the fields \$schema, name, model, initial, beta, drift, placementMatches, got "perRole"/,
    );
  });

  it('need a scale whose squares are numbers, and a mean may be below 0', () => {
    const isValid = (more: object) => ladderDefinition.safeParse({ name: 'x', ...more }).success;
    for (const tiny of [1e-200, 5e-324]) {
      expect(isValid({ beta: tiny })).toBe(false);
      expect(isValid({ initial: { mean: 0, deviation: tiny } })).toBe(false);
      expect(isValid({ initial: { mean: tiny, deviation: 1 } })).toBe(false);
      expect(newRating.safeParse({ mean: tiny }).success).toBe(false);
      expect(newRating.safeParse({ mean: 0, deviation: tiny }).success).toBe(false);
    }
    expect(isValid({ beta: 1e-9, initial: { mean: 0, deviation: 1e-9 } })).toBe(true);
    expect(isValid({ initial: { mean: -1, deviation: 1 } })).toBe(false);
    // Results bring a mean below 0, and what was exported can be imported.
    expect(newRating.safeParse({ mean: -271.5, deviation: 1 }).success).toBe(true);
  });

  it('do not drift twice over the same days when a match is rated after a later one', () => {
    const day = 86_400_000;
    const matches = [10, 0].map((days) => ({
      atMs: 1e12 + days * day,
      teams: [[{ playerId: 'ann', weight: 1 }], [{ playerId: 'zoe', weight: 0 }]],
      ranks: [1, 1],
    }));
    const { players } = replay(LADDER, matches);
    expect(players.get('ann')).toMatchObject({ matches: 2, updatedAtMs: 1e12 + 10 * day });
  });

  it('are less sure after a pause, and never less than those of a new player', () => {
    const ladder: Ladder = { ...LADDER, drift: { perGame: 0, perDay: 10 } };
    const rating = { mean: 1_800, deviation: 100 };
    expect(drifted(ladder, rating, 0)).toEqual(rating);
    expect(drifted(ladder, rating, -1)).toEqual(rating);
    expect(drifted(ladder, rating, 86_400_000)).toEqual({ mean: 1_800, deviation: Math.sqrt(10_100) });
    expect(drifted(ladder, rating, 1e15).deviation).toBe(350);
    expect(drifted(ladder, { mean: 1, deviation: 400 }, 1e15).deviation).toBe(400);
  });
});

describe('odds', () => {
  it('are those of a coin between equals, and of each team of several', () => {
    expect(rawOdds(LADDER, [[NEW], [NEW]])).toEqual([0.5, 0.5]);
    for (const chance of rawOdds(LADDER, [[NEW], [NEW], [NEW], [NEW]])) expect(chance).toBeCloseTo(0.25, 9);
    // A team with one player more is neither better nor worse.
    expect(rawOdds(LADDER, [[NEW, NEW], [NEW]])).toEqual([0.5, 0.5]);
  });

  it('are moved towards a coin by a slope below 1, and keep their order', () => {
    expect(calibrated([0.8, 0.2], 1)[0]).toBeCloseTo(0.8, 12);
    // The logit of 0.8 is log 4, and half of it that of 2/3.
    expect(calibrated([0.8, 0.2], 0.5)[0]).toBeCloseTo(2 / 3, 12);
    expect(calibrated([0.7, 0.2, 0.1], 0)).toEqual([1 / 3, 1 / 3, 1 / 3]);
    const [a, b, c] = calibrated([0.7, 0.2, 0.1], 0.6) as [number, number, number];
    expect(a > b && b > c && Math.abs(a + b + c - 1) < 1e-12).toBe(true);
  });

  it('have the derivatives that differences show', () => {
    const loss = (odds: number[], shares: number[], slope: number) =>
      -sum(calibrated(odds, slope).map((chance, i) => shares[i]! * Math.log(chance)));
    for (const [odds, shares] of [
      [
        [0.8, 0.2],
        [0, 1],
      ],
      [
        [0.5, 0.3, 0.2],
        [0.5, 0.5, 0],
      ],
    ] as [number[], number[]][]) {
      const h = 1e-4;
      const [below, at, above] = [0.7 - h, 0.7, 0.7 + h].map((slope) => loss(odds, shares, slope)) as [
        number,
        number,
        number,
      ];
      const { gradient, curvature } = lossAt(odds, shares, 0.7);
      expect(gradient).toBeCloseTo((above - below) / (2 * h), 6);
      expect(curvature).toBeCloseTo((above - 2 * at + below) / h ** 2, 4);
    }
  });

  it('learn the slope of results that are less sure than they say', () => {
    const random = seededRandom(5);
    let state = NEW_SLOPE;
    for (let i = 0; i < 5_000; i++) {
      const logit = random.normal(0, 1.5);
      const chance = 1 / (1 + Math.exp(-logit));
      const hasWon = random.uniform() < 1 / (1 + Math.exp(-0.5 * logit));
      // A long memory, so that the learnt slope is near the true one.
      state = learn(state, [chance, 1 - chance], hasWon ? [1, 0] : [0, 1], 10_000);
    }
    expect(state.slope).toBeGreaterThan(0.46);
    expect(state.slope).toBeLessThan(0.54);
  });
});

describe('the measures of odds', () => {
  it('are those of a coin for a coin, and count a draw half', () => {
    const measures = new OddsMeasures();
    for (const shares of [
      [1, 0],
      [0, 1],
      [0.5, 0.5],
    ])
      measures.add([0.5, 0.5], shares);
    const { logLoss, brier, accuracy, slope, bins } = measures.worth;
    expect(logLoss).toBeCloseTo(Math.LN2, 12);
    expect(brier).toBeCloseTo((0.25 + 0.25 + 0) / 3, 12);
    expect(accuracy).toBe(0.5);
    expect(slope).toBeNaN();
    expect(bins[5]).toMatchObject({ count: 3, predicted: 0.5, happened: 0.5 });
  });

  it('find the slope and the intervals of odds that hold', () => {
    const random = seededRandom(9);
    const measures = new OddsMeasures();
    for (let i = 0; i < 20_000; i++) {
      const chance = random.uniform();
      measures.add([chance, 1 - chance], random.uniform() < chance ? [1, 0] : [0, 1]);
    }
    const { slope, bins, brier, logLoss } = measures.worth;
    expect(slope).toBeCloseTo(1, 1);
    // The integrals of p(1 − p) and of the entropy.
    expect(brier).toBeCloseTo(1 / 6, 2);
    expect(logLoss).toBeCloseTo(0.5, 2);
    expect(
      bins.filter(({ predicted, low, high }) => low <= predicted && predicted <= high).length,
    ).toBeGreaterThanOrEqual(8);
    for (const { low, happened, high } of bins) expect(low < happened && happened < high).toBe(true);
  });
});

describe('results', () => {
  it('rank by scores, and share a first place that is drawn', () => {
    expect(ranksOf([3, 7, 3])).toEqual([2, 1, 2]);
    expect(winShares([2, 1, 2])).toEqual([0, 1, 0]);
    expect(winShares([1, 1, 3])).toEqual([0.5, 0.5, 0]);
    expect(winShares([4, 4])).toEqual([0.5, 0.5]);
  });
});

describe('a replay of matches with a known truth', () => {
  const { matches, truth, skills } = synthetic({});
  const measured = (ladder: Ladder, from = 2_000) => {
    const [own, raw, known, coin] = [
      new OddsMeasures(),
      new OddsMeasures(),
      new OddsMeasures(),
      new OddsMeasures(),
    ];
    const replayed = replay(ladder, matches, (one) => {
      if (one.index < from) return;
      own.add(one.calibrated, one.shares);
      raw.add(one.raw, one.shares);
      known.add(truth[one.index]!, one.shares);
      coin.add([0.5, 0.5], one.shares);
    });
    return { replayed, own: own.worth, raw: raw.worth, known: known.worth, coin: coin.worth };
  };

  it.each(RATING_MODELS)('approaches the odds of who knows the truth, and is calibrated (%s)', (model) => {
    const { own, raw, known, coin } = measured({ ...LADDER, model, beta: 350 });
    // Thirty matches of a player tell less than the truth does.
    expect(own.logLoss).toBeLessThan(1.2 * known.logLoss);
    expect(own.logLoss).toBeLessThan(0.75 * coin.logLoss);
    expect(own.logLoss).toBeLessThan(raw.logLoss + 0.005);
    expect(own.slope).toBeGreaterThan(0.85);
    expect(own.slope).toBeLessThan(1.15);
  });

  it('orders the players as their true skills do', () => {
    const { players } = measured({ ...LADDER, beta: 350 }).replayed;
    const pairs = [...players].flatMap(([a, x], i, all) =>
      all
        .slice(i + 1)
        .map(([b, y]) => Math.sign(x.mean - y.mean) === Math.sign(skills.get(a)! - skills.get(b)!)),
    );
    expect(pairs.filter(Boolean).length / pairs.length).toBeGreaterThan(0.85);
  });

  it('makes odds hold that are far too sure', () => {
    const { own, raw } = measured({ ...LADDER, beta: 60 });
    expect(raw.slope).toBeLessThan(0.75);
    // A thousand results leave the slope of what has happened itself uncertain by 0.06.
    expect(own.slope).toBeGreaterThan(0.8);
    expect(own.slope).toBeLessThan(1.2);
    expect(own.logLoss).toBeLessThan(raw.logLoss - 0.01);
  });

  it('is the same to the last bit again, and leaves out void matches', () => {
    const some = matches.slice(0, 200);
    const players = [...replay(LADDER, some).players];
    expect([...replay(LADDER, some).players]).toEqual(players);
    const voids = some.flatMap((one) => [one, { ...one, ranks: undefined }]);
    const again = replay(LADDER, voids);
    expect([...again.players]).toEqual(players);
    expect([again.rated, again.voided]).toEqual([200, 200]);
  });

  it('is better with the ladder that a fit has chosen, on matches that the fit has not seen', () => {
    const wrong: Ladder = { ...LADDER, beta: 30 };
    const some = matches.slice(0, sample(500, 700));
    const from = Math.floor(0.7 * some.length);
    const loss = (ladder: Ladder) => {
      const measures = new OddsMeasures();
      replay(
        ladder,
        some,
        ({ index, calibrated: odds, shares }) => index >= from && measures.add(odds, shares),
      );
      return measures.worth.logLoss;
    };
    const tried: number[] = [];
    const fitted = fitLadder(wrong, some, (_, logLoss) => tried.push(logLoss));
    expect(tried.length).toBeGreaterThan(30);
    expect(loss(fitted)).toBeLessThan(loss(wrong));
    expect(fitted.beta).toBeGreaterThan(80);
  });
});
