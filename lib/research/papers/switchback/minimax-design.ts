/**
 * The largest risk of a switchback over all that could be measured within a bound of 1, for the Horvitz–Thompson estimator of the
 * effect of treatment that lasts `carryover` times (Bojinov, Simchi-Levi & Zhao, equation 4). By their Theorem 1 it is reached when
 * everything that is measured is 1, treated or not, so it is the expected square of the estimate then. Summed over all
 * draws.
 *
 * @param times how many there are
 * @param carryover for how many times a treatment lasts beyond its own
 * @param points the times at which treatment is drawn, from 0, ascending, the first 0
 */
export function worstRisk(times: number, carryover: number, points: readonly number[]): number {
  const drawOf = Array.from({ length: times }, (_, time) => points.findLastIndex((point) => point <= time));
  // For each window of carryover + 1 times, a bit for each draw that it holds.
  const windows = drawOf.slice(carryover).map((last, at) => 2 ** (last + 1) - 2 ** drawOf[at]);
  const weights = drawOf.slice(carryover).map((last, at) => 2 ** (last + 1 - drawOf[at]));
  const draws = 2 ** points.length;
  let squares = 0;
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    for (let at = 0; at < windows.length; at++) {
      // All treated or none, each with a chance of one in 2 to the number of draws that the window holds.
      if ((draw & windows[at]) === windows[at]) sum += weights[at];
      else if ((draw & windows[at]) === 0) sum -= weights[at];
    }
    squares += sum ** 2;
  }
  return squares / draws / (times - carryover) ** 2;
}

/** The designs of least risk among all, by looking at each: as lists of points, counted from 1 as in the paper. */
export function bestDesigns(times: number, carryover: number): { risk: number; designs: string[] } {
  let risk = Number.POSITIVE_INFINITY;
  let designs: string[] = [];
  for (let set = 0; set < 2 ** (times - 1); set++) {
    const later = Array.from({ length: times - 1 }, (_, at) => at + 1).filter((at) => (set >>> (at - 1)) & 1);
    const points = [0, ...later];
    const found = worstRisk(times, carryover, points);
    if (found > risk + 1e-9) continue;
    if (found < risk - 1e-9) designs = [];
    risk = Math.min(risk, found);
    designs.push(points.map((point) => point + 1).join(' '));
  }
  return { risk, designs };
}

/** The optimal design of Theorem 2: 1, 2m + 1, 3m + 1, …, T − 2m + 1, for T = nm with n ≥ 4. */
export function optimalPoints(times: number, carryover: number): number[] {
  const points = [0];
  for (let at = 2 * carryover; at <= times - 2 * carryover; at += carryover) points.push(at);
  return points;
}
