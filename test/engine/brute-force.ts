import type { GameRules, Player } from '../../lib/engine/types.ts';

/** What the oracles compute in the same way, without code of the engine. */

/** Whether these players can take the seats of a team's roles, by trying every seat for each of them. */
export function canSeat(players: readonly Player[], roles: GameRules['roles']): boolean {
  if (!roles) return true;
  const left: Record<string, number> = { ...roles };
  const seat = (i: number): boolean =>
    i === players.length ||
    Object.keys(left).some((role) => {
      if (left[role] === 0 || !(players[i].roles?.includes(role) ?? true)) return false;
      left[role]--;
      const isSeated = seat(i + 1);
      left[role]++;
      return isSeated;
    });
  return seat(0);
}

/** v_q of skills by its definition, scaled so that powers of extreme skills neither overflow nor underflow. */
export function spreadOf(skills: readonly number[], q: number): number {
  const mean = skills.reduce((sum, s) => sum + s, 0) / skills.length;
  const distances = skills.map((s) => Math.abs(s - mean));
  const far = Math.max(1e-300, ...distances);
  if (q === Number.POSITIVE_INFINITY) return Math.max(...distances);
  return far * (distances.reduce((sum, d) => sum + (d / far) ** q, 0) / skills.length) ** (1 / q);
}
