import type { GameRules } from '../types.ts';

/**
 * The imbalance of a game (Alman & McKay 2017, section 1.2). All skills are finite and ≥ 0, all
 * results are in the unit of skill. These functions are the only place where a released game's
 * numbers are computed; searches may use faster forms to compare, never to report.
 */

/** s_p(X) = (Σ s^p)^(1/p), the p-skill of a team; for p = ∞ the skill of its most skilled player. Never overflows. */
export function pSkill(team: ArrayLike<number>, p: number): number {
  let top = 0;
  for (let i = 0; i < team.length; i++) top = Math.max(top, team[i]);
  if (p === Number.POSITIVE_INFINITY || top === 0) return top;
  let sum = 0;
  for (let i = 0; i < team.length; i++) sum += (team[i] / top) ** p;
  return top * sum ** (1 / p);
}

/**
 * d_p(X, Y) = |s_p(X) − s_p(Y)| for two teams of the same size; 0 is fairest.
 * For p = 1 the teams are summed relative to one player, so that equal teams of huge skills give 0.
 */
export function teamGap(x: ArrayLike<number>, y: ArrayLike<number>, p: number): number {
  if (p !== 1) return Math.abs(pSkill(x, p) - pSkill(y, p));
  const origin = x[0];
  let difference = 0;
  for (let i = 0; i < x.length; i++) difference += x[i] - origin - (y[i] - origin);
  return Math.abs(difference);
}

/**
 * Sums of (s / top)^p below this have lost digits, or are 0, where s^p is too small for a number. Divisions are then compared
 * by `teamGap`, which scales each team by its own most skilled player.
 */
export const leastPowerSum = 1e-280;

/** v_q(Z) = (mean |s − μ|^q)^(1/q) over all players of a game; for q = ∞ the largest distance from the mean. */
export function skillSpread(players: ArrayLike<number>, q: number): number {
  const n = players.length;
  const origin = players[0];
  let mean = 0;
  for (let i = 0; i < n; i++) mean += (players[i] - origin) / n;
  let farthest = 0;
  for (let i = 0; i < n; i++) farthest = Math.max(farthest, Math.abs(players[i] - origin - mean));
  if (q === Number.POSITIVE_INFINITY || farthest === 0) return farthest;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const deviation = Math.abs(players[i] - origin - mean) / farthest;
    sum += q === 2 ? deviation * deviation : deviation ** q;
  }
  return farthest * (sum / n) ** (1 / q);
}

/**
 * The same v_q as `skillSpread`, for searches. The values are relative to a near origin, so it keeps precision without
 * the further passes of `skillSpread`. It is three to four times as fast and equal except for rounding, so it is only
 * used to compare games and never reported in one.
 */
export function skillSpreadOfRelative(values: Float64Array, q: number): number {
  const n = values.length;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i];
  const mean = sum / n;
  if (q === 2) {
    let squares = 0;
    for (let i = 0; i < n; i++) squares += (values[i] - mean) ** 2;
    return Math.sqrt(squares / n);
  }
  let farthest = 0;
  for (let i = 0; i < n; i++) farthest = Math.max(farthest, Math.abs(values[i] - mean));
  if (q === Number.POSITIVE_INFINITY || farthest === 0) return farthest;
  let powers = 0;
  for (let i = 0; i < n; i++) powers += (Math.abs(values[i] - mean) / farthest) ** q;
  return farthest * (powers / n) ** (1 / q);
}

/** f = α·d_p + v_q of a game's teams, with its two parts; d_p is the largest over all pairs of teams. */
export function imbalance(
  teams: readonly ArrayLike<number>[],
  rules: Pick<GameRules, 'alpha' | 'p' | 'q'>,
): { imbalance: number; teamGap: number; skillSpread: number } {
  const all: number[] = [];
  let d = 0;
  for (let t = 0; t < teams.length; t++) {
    for (let i = 0; i < teams[t].length; i++) all.push(teams[t][i]);
    for (let other = 0; other < t; other++) d = Math.max(d, teamGap(teams[other], teams[t], rules.p));
  }
  const v = skillSpread(all, rules.q);
  return { imbalance: rules.alpha * d + v, teamGap: d, skillSpread: v };
}

/** g = f − β × (longest wait in seconds): the value that a release minimises. */
export function priority(f: number, oldestEnqueuedAtMs: number, nowMs: number, beta: number): number {
  return beta === 0 ? f : f - beta * ((nowMs - oldestEnqueuedAtMs) / 1000);
}
