import type { GameRules, Player } from '../../lib/engine/types.ts';

/** What the oracles compute in the same way, without code of the engine. */

/** A team of a game as the rules describe it. */
export interface Team {
  readonly name: string | undefined;
  /** The name of its kind. */
  readonly kind: string | undefined;
  readonly size: number;
  readonly minSize: number;
  readonly offset: number;
  readonly roles: Readonly<Record<string, number>> | undefined;
}

export function teamsOf({ teamSize, teams = 2, roles }: GameRules): Team[] {
  if (typeof teams === 'number') {
    const team = { name: undefined, kind: undefined, size: teamSize, minSize: teamSize, offset: 0, roles };
    return new Array<Team>(teams).fill(team);
  }
  return teams.flatMap(({ name: kind, size, minSize = size, count = 1, offset = 0, roles: own }) =>
    Array.from({ length: count }, (_, i) => {
      const name = count === 1 ? kind : `${kind}-${i + 1}`;
      return { name, kind, size, minSize, offset, roles: own };
    }),
  );
}

export function acceptsTeam({ teams }: Player, { kind }: Team): boolean {
  return teams === undefined || kind === undefined || teams.includes(kind);
}

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

/** What differs between the teams, given the skills in each. */
export function gapOf(
  skills: readonly (readonly number[])[],
  teams: readonly Team[],
  { p }: GameRules,
): number {
  const meanSize = skills.reduce((sum, team) => sum + team.length, 0) / teams.length;
  const values = skills.map((team, t) => {
    const top = Math.max(1e-300, ...team);
    const mean =
      p === Number.POSITIVE_INFINITY
        ? Math.max(...team)
        : top * (team.reduce((sum, s) => sum + (s / top) ** p, 0) / team.length) ** (1 / p);
    return mean * meanSize ** (1 / p) + teams[t].offset;
  });
  return Math.max(...values) - Math.min(...values);
}

/** What is the same in every division of players with these skills. */
export function fixedPart(
  skills: readonly number[],
  teams: readonly Team[],
  { q, short }: GameRules,
): number {
  const empty = teams.reduce((sum, { size }) => sum + size, -skills.length);
  return spreadOf(skills, q) + empty * (short?.cost ?? 0);
}
