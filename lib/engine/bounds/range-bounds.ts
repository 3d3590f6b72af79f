import { isFreeForAll, type ShapeRules, shapeOf } from '../model/game-shape.ts';
import type { GameRules } from '../types.ts';

/**
 * Bounds on a game's imbalance from the range of its skills (greatest minus least): from below (Lemma 6) and from above
 * (Lemma 1). Both are for two teams of k.
 */

/**
 * Lemma 6 (Alman & McKay, appendix A): v_q(S) ≥ c·(max − min) with c = k^(−1/q)/2.
 * Proof: research/docs/engine-proofs.md.
 */
export function lemma6(teamSize: number, q: number): number {
  return teamSize ** (-1 / q) / 2;
}

/**
 * The factor c of `imbalance ≥ c·(max − min)` for full games of n players: Lemma 6 with n instead of 2k, because its proof
 * does not use the teams. Where all teams have one player it is α more, because teamGap is the range itself there.
 */
export function imbalancePerRange(rules: ShapeRules & Pick<GameRules, 'alpha' | 'q'>): number {
  return lemma6(shapeOf(rules).seats / 2, rules.q) + (isFreeForAll(rules) ? rules.alpha : 0);
}

/**
 * Lemma 1, quantified: 2k players within a range R form a game of imbalance at most (1 + α)·R, since
 * v_q ≤ R and some division has d_p ≤ R (Lemma 5: pair neighbours, give the larger to the weaker team).
 * The result is slightly larger, so that a search below this limit finds this game: p-skills are rounded, and those of
 * players who differ in their last bits may be farther apart than the players.
 *
 * @param top the skill of the most skilled of them, or a larger value
 */
export function lemma1(range: number, alpha: number, top: number): number {
  return (1 + alpha) * (range * (1 + 1e-9) + rounding * top) + tiny;
}

/**
 * The rounding of a difference of two p-skills, relative to the most skilled player. Each p-skill has a relative error of
 * some (k + 3)/p roundings of 2⁻⁵³ and is at most k^(1/p) times that player: below 60 roundings for two teams of 8.
 */
const rounding = 1e-13;

/** Positive and below every difference of skills; its square does not underflow to 0. */
const tiny = 1e-150;
