import { pSkill, skillSpread } from '../model/imbalance.ts';
import type { GameRules } from '../types.ts';
import type { Layout } from './layout.ts';

/**
 * The value by which a team is compared: its p-mean times k̄^(1/p), plus the offset of its kind, where k̄ is the mean number
 * of players in the teams of the game. For teams of one size that is the paper's p-skill. For p = 1 skills are taken
 * relative to `origin`, which moves all teams of a game by the same amount and keeps their differences exact.
 */
export function teamValue(
  skills: ArrayLike<number>,
  meanSize: number,
  p: number,
  offset: number,
  origin: number,
): number {
  const size = skills.length;
  if (p === 1) {
    let sum = 0;
    for (let i = 0; i < size; i++) sum += skills[i] - origin;
    return (size === meanSize ? sum : (sum * meanSize) / size) + offset;
  }
  const skill = pSkill(skills, p);
  return (size === meanSize ? skill : skill * (meanSize / size) ** (1 / p)) + offset;
}

/** The imbalance of a game and its parts, from the skills of its teams in the order of the layout. */
export function shapeImbalance(
  teams: readonly ArrayLike<number>[],
  layout: Layout,
  { alpha, p, q }: Pick<GameRules, 'alpha' | 'p' | 'q'>,
): { imbalance: number; teamGap: number; skillSpread: number } {
  const all: number[] = [];
  for (const team of teams) for (let i = 0; i < team.length; i++) all.push(team[i]);
  const meanSize = all.length / teams.length;
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  teams.forEach((team, t) => {
    const value = teamValue(team, meanSize, p, layout.kinds[layout.kindOf[t]].offset, all[0]);
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  });
  const d = greatest - least;
  const v = skillSpread(all, q);
  const empty = (layout.seats - all.length) * layout.emptySeatCost;
  return { imbalance: alpha * d + v + empty, teamGap: d, skillSpread: v };
}
