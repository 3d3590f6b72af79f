import { against, type Finding, type Section } from '../finding.ts';
import {
  bestTimeSensitiveOf,
  imbalanceOf,
  type Parameters,
  subsets,
  uniformityOf,
  windowOfBestGame,
} from './brute-force.ts';

const PLAIN: Parameters = { k: 2, alpha: 1, p: 1, q: 2 };
/** Far away from all other players. */
const FAR = 1_000_000;

/**
 * Steps of proofs that do not hold as printed, each with an instance that can be checked by hand. The results that
 * the engine uses do not depend on them.
 */
export function errata(): Section {
  return {
    title: 'Steps of proofs that do not hold as printed',
    findings: [
      spanWithTime(),
      unfairnessOfReduction(),
      unfairnessWithTwoFarRoles(),
      unfairnessOfPartitionReduction(),
    ],
    remarks: [
      'Lemma 2 for f + β·min t_r: the player who waits plays although nobody is near, and one player of the other end makes ' +
        'the teams more equal. All others lie between the two. The engine bounds the imbalance separately for the games ' +
        'of each longest-waiting ticket.',
      'Theorem 2, p = 1: the far player of each team is at M, so v_q falls by about a half for each point by which the mean of ' +
        'the others rises, however large M is. Players of high skill with d_p = 3 then beat the solution with d_p = 0.',
      'Theorem 2, mended: with far players at C + M and C − M, v_q no longer depends on the others as M grows.',
      'Theorem 4, k = 2: the same happens beside the two players of skill M. The mend of theorem 2 does not help here, because ' +
        'the far players of the two ends may then play in different games.',
    ],
  };
}

/** Places between the ends of the best game of a pool in which one far player waits. */
function spanWithTime(): Finding {
  const skills = [0, ...Array.from({ length: 41 }, (_, at) => 1_000 + 2.5 * at)];
  const insertedAt = skills.map((_, at) => (at === 0 ? 0 : 1));
  const beta = 10_000;
  const value = (places: readonly number[]) => {
    const game = places.map((place) => skills[place]);
    return bestTimeSensitiveOf(
      game,
      places.map((place) => insertedAt[place]),
      beta,
      PLAIN,
    );
  };
  const games = [...subsets(skills.length - 1, 3)].map((others) => [0, ...others.map((other) => other + 1)]);
  const best = games.reduce((a, b) => (value(b) < value(a) ? b : a));
  return counterexample(
    'Lemma 2 with waits: the span of the best game of 42 players, one of them far away and waiting',
    { limit: windowOfBestGame(PLAIN) },
    best.at(-1)! - best[0],
    `skills 0, 1000, 1002.5, … 1100; the game is ${best.map((place) => skills[place]).join(', ')}`,
  );
}

/** The 2SUM instance {−1, −100}, {1, 101} after the transformation of the proof: 3·1 + 1 and 3·1 are its solution. */
const NUMBERS = [3, 4, 300, 304];

/** The unfairness of the best game of the printed reduction, which should be 0. */
function unfairnessOfReduction(): Finding {
  return counterexample(
    'Theorem 2: d_1 of the best game of an instance with a solution',
    { paper: 0 },
    bestOfPairs(NUMBERS, [[FAR, FAR - 1]]),
    'role 1: 3, 4, 300, 304; role 2: M = 1,000,000 and M − 1; the solution is 3 and 4',
  );
}

function unfairnessWithTwoFarRoles(): Finding {
  const ours = bestOfPairs(
    NUMBERS.map((number) => FAR + number),
    [
      [2 * FAR, 2 * FAR - 1],
      [0, 0],
    ],
  );
  return against('the same with far players at C + M and C − M', { paper: 0 }, { value: ours }, 'C = M');
}

/** d_1 of the game of least f among those with two of these numbers and all far players, one of each role in a team. */
function bestOfPairs(numbers: readonly number[], far: readonly (readonly [number, number])[]): number {
  const parameters = { ...PLAIN, k: 1 + far.length };
  const games = [...subsets(numbers.length, 2)]
    .flatMap(([a, b]) => [
      [a, b],
      [b, a],
    ])
    .map(([a, b]) => [
      [numbers[a], ...far.map(([first]) => first)],
      [numbers[b], ...far.map(([, second]) => second)],
    ]);
  const value = ([x, y]: number[][]) => imbalanceOf(x, y, parameters);
  return unfairnessOf(games.reduce((a, b) => (value(b) < value(a) ? b : a)));
}

/** The unfairness of the worst game of the best partition, which the sketch says is 0. */
function unfairnessOfPartitionReduction(): Finding {
  const numbers = [1, 1, 50, 53, 100, 102];
  const pairs = [...subsets(numbers.length, 2)].map(([a, b]) => [
    [numbers[a], FAR],
    [numbers[b], FAR],
  ]);
  // The game with the far players is the worst of each partition.
  const value = ([x, y]: number[][]) => imbalanceOf(x, y, PLAIN);
  const best = pairs.reduce((a, b) => (value(b) < value(a) ? b : a));
  const v = uniformityOf(best.flat(), PLAIN.q);
  return counterexample(
    'Theorem 4: d_1 of the worst game of the best partition of an instance with a solution',
    { paper: 0 },
    unfairnessOf(best),
    `1, 1, 50, 53, 100, 102 and two of skill 1,000,000; beside them ${best[0][0]} and ${best[1][0]}, v_2 = ${v.toFixed(1)}`,
  );
}

/** A value that shows that a printed value, or limit, is wrong. It fails when the value agrees with the paper. */
function counterexample(
  what: string,
  printed: { readonly paper: number } | { readonly limit: number },
  ours: number,
  note: string,
): Finding {
  const most = 'paper' in printed ? printed.paper : printed.limit;
  return { what, ...printed, ours, verdict: ours > most ? 'corrected' : 'fails', note };
}

function unfairnessOf([x, y]: readonly (readonly number[])[]): number {
  const sum = (team: readonly number[]) => team.reduce((a, b) => a + b, 0);
  return Math.abs(sum(x) - sum(y));
}
