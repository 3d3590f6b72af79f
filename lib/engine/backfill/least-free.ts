import { skillSpreadOfRelative } from '../model/imbalance.ts';
import { teamValue } from '../shapes/team-values.ts';
import { type Opening, seatsFor } from './opening.ts';

/**
 * The least imbalance of a running game, without costs, if newcomers of any skill could be had, equal within a team. For p = 1 and q = 2 exact with up to two
 * teams, because v² is quadratic: as teamGap shrinks, the best skills move along the straight line from those of the least
 * spread to those of the least gap. For other measures it is a good guess; it only ranks games and limits the first search.
 */
export function leastFree(opening: Opening, newcomers: number): number {
  const { teams, layout, origin, rules } = opening;
  const seats = seatsFor(opening, newcomers);
  const there = teams.flatMap(({ skills }) => skills);
  const players = there.length + newcomers;
  const mean = there.reduce((a, b) => a + b, 0) / there.length;
  const meanSize = players / teams.length;
  const offsets = teams.map(({ kind }) => layout.kinds[kind].offset);
  const sums = teams.map(({ skills }) => skills.reduce((a, b) => a + b, 0));
  const sizes = teams.map(({ skills }, t) => skills.length + seats[t]);
  const fairest = fairestSkills();
  const all = new Float64Array(players);

  const at = (share: number): number[] => fairest.map((skill) => mean + share * (skill - mean));
  const imbalanceAt = (wanted: readonly number[]): number => {
    let n = 0;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    teams.forEach(({ skills }, t) => {
      const from = n;
      for (const skill of skills) all[n++] = skill;
      for (let i = 0; i < seats[t]; i++) all[n++] = wanted[t];
      if (n === from) return;
      const value =
        rules.p === 1
          ? ((sums[t] + seats[t] * wanted[t]) * meanSize) / sizes[t] + offsets[t]
          : teamValue(
              all.slice(from, n).map((skill) => Math.max(0, skill + origin)),
              meanSize,
              rules.p,
              offsets[t],
              0,
            );
      low = Math.min(low, value);
      high = Math.max(high, value);
    });
    return rules.alpha * (high - low) + skillSpreadOfRelative(all, rules.q);
  };

  let from = 0;
  let to = 1;
  for (let step = 0; step < 40; step++) {
    const a = from + (to - from) / 3;
    const b = to - (to - from) / 3;
    if (imbalanceAt(at(a)) <= imbalanceAt(at(b))) to = b;
    else from = a;
  }
  return Math.min(...[(from + to) / 2, 0, 1].map((share) => imbalanceAt(at(share))));

  /** With these skills the values of the teams are as equal as they can be. */
  function fairestSkills(): number[] {
    const isOpen = seats.map((count) => count > 0);
    if (teams.length === 2 && isOpen[0] && isOpen[1]) return fairestOfTwo();
    const full = teams.flatMap((_, t) => (isOpen[t] ? [] : [(sums[t] * meanSize) / sizes[t] + offsets[t]]));
    const aim =
      full.length > 0
        ? (Math.min(...full) + Math.max(...full)) / 2
        : mean * meanSize + offsets.reduce((a, b) => a + b, 0) / offsets.length;
    return teams.map((_, t) =>
      isOpen[t] ? (((aim - offsets[t]) * sizes[t]) / meanSize - sums[t]) / seats[t] : mean,
    );
  }

  /** Both of two teams are open: of all skills with equal values, those with the least spread. */
  function fairestOfTwo(): number[] {
    const sign = [1, -1];
    const weight = sizes.map((size, t) => (sign[t] * seats[t] * meanSize) / size);
    let gap = 0;
    for (let t = 0; t < 2; t++)
      gap += sign[t] * (((sums[t] + seats[t] * mean) * meanSize) / sizes[t] + offsets[t]);
    const both = (weight[0] + weight[1]) / there.length;
    const move = weight.map((w, t) => w / seats[t] + both);
    const effect = weight[0] * move[0] + weight[1] * move[1];
    return move.map((one) => (effect === 0 ? mean : mean - (one * gap) / effect));
  }
}
