/**
 * A lower bound on v_q of a game that contains some players who are all at 0, and any of the others. Around any centre the
 * others that are nearest to it cost least. They are neighbours of each other, but not always of the players at 0: with two
 * of 1, 100, 100 and 100 they are the last two. So this is the least of all runs of neighbours with the players at 0, each
 * around its own best centre: the mean for q = 2, and by the power mean inequality for q > 2; the median for q < 2; for
 * q = ∞ the middle of the range.
 *
 * @param others the skills of the others relative to the players at 0, ascending, at least `seats - present` of them
 * @param present how many players are at 0
 * @param q the norm of the spread, 1 or above, or infinity
 */
export function leastSpreadAround(
  others: readonly number[],
  seats: number,
  present: number,
  q: number,
): number {
  const missing = seats - present;
  if (missing === 0) return 0;
  if (q === Number.POSITIVE_INFINITY) return leastHalfRange(others, missing);
  return q < 2 ? leastMeanDeviation(others, missing, seats) : leastRootMeanSquare(others, missing, seats);
}

function leastRootMeanSquare(others: readonly number[], missing: number, seats: number): number {
  let sum = 0;
  let squares = 0;
  let least = Number.POSITIVE_INFINITY;
  others.forEach((skill, at) => {
    const leaving = at < missing ? 0 : others[at - missing];
    sum += skill - leaving;
    squares += skill * skill - leaving * leaving;
    if (at >= missing - 1) least = Math.min(least, squares - (sum * sum) / seats);
  });
  // Differences of sums are rounded, and by no more than this when the largest square is the unit.
  const largest = Math.max(others[0] ** 2, others[others.length - 1] ** 2);
  return Math.sqrt(Math.max(0, least - 1e-10 * largest) / seats);
}

/** The mean deviation from the median is the mean of the differences of outermost pairs. */
function leastMeanDeviation(others: readonly number[], missing: number, seats: number): number {
  let least = Number.POSITIVE_INFINITY;
  const game = new Float64Array(seats);
  for (let from = 0; from + missing <= others.length; from++) {
    game.fill(0);
    for (let i = 0; i < missing; i++) game[i] = others[from + i];
    game.sort();
    let sum = 0;
    for (let i = 0; i < seats / 2; i++) sum += game[seats - 1 - i] - game[i];
    least = Math.min(least, sum / seats);
  }
  return least;
}

function leastHalfRange(others: readonly number[], missing: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let from = 0; from + missing <= others.length; from++) {
    least = Math.min(least, (Math.max(0, others[from + missing - 1]) - Math.min(0, others[from])) / 2);
  }
  return least;
}
