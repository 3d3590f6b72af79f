/**
 * What the range of a game's skills, greatest less least, says about its imbalance: from below (Lemma 6) and from above
 * (Lemma 1). Both are for two teams of k.
 */

/**
 * Lemma 6 (Alman & McKay, appendix A): v_q(S) ≥ c·(max − min) with c = k^(−1/q)/2.
 * Proof: docs/engine-proofs.md.
 */
export function lemma6(teamSize: number, q: number): number {
  return teamSize ** (-1 / q) / 2;
}

/**
 * The factor c of `imbalance ≥ c·(max − min)`. It is Lemma 6's, but for teams of one, where teamGap is
 * the range itself whatever p, and so f = (α + 1/2)·range exactly.
 */
export function imbalancePerRange(rules: { teamSize: number; alpha: number; q: number }): number {
  return rules.teamSize === 1 ? rules.alpha + 0.5 : lemma6(rules.teamSize, rules.q);
}

/**
 * Lemma 1, quantified: 2k players within a range R form a game of imbalance at most (1 + α)·R, since
 * v_q ≤ R and some division has d_p ≤ R (Lemma 5: pair neighbours, give the larger to the weaker team).
 * A little more than that, so that a search below this limit finds one: p-skills are rounded, and those of players who
 * differ in their last bits may be farther apart than the players.
 *
 * @param top the skill of the most skilled of them, or more
 */
export function lemma1(range: number, alpha: number, top: number): number {
  return (1 + alpha) * (range * (1 + 1e-9) + rounding * top) + tiny;
}

/**
 * The rounding of a difference of two p-skills, relative to the most skilled player. Each p-skill has a relative error of
 * some (k + 3)/p roundings of 2⁻⁵³ and is at most k^(1/p) times that player: below 60 roundings for two teams of 8.
 */
const rounding = 1e-13;

/** Above zero, below every difference of skills; its square is still a number. */
const tiny = 1e-150;
