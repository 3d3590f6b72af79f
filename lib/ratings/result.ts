/** The ranks of teams by their scores: the highest score has rank 1, and equal scores have equal ranks. */
export function ranksOf(scores: readonly number[]): number[] {
  return scores.map((score) => 1 + scores.filter((other) => other > score).length);
}

/** The share of the win that each team has, summing to 1: teams that draw the first place share it. */
export function winShares(ranks: readonly number[]): number[] {
  const first = Math.min(...ranks);
  const winners = ranks.filter((rank) => rank === first).length;
  return ranks.map((rank) => (rank === first ? 1 / winners : 0));
}
