import type { Layout } from '../shapes/layout.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { GameRules } from '../types.ts';

/** The teamGap of games of one player against a team, where it is known who plays alone. */
export interface LoneTeam {
  /** A lower bound on teamGap when the skills of the others, relative to the lone player's, sum to `from` to `to`. */
  gapOf(from: number, to: number): number;
  /** The sum from `from` to `to`, in either order, at which that bound is reached. */
  fairestOf(from: number, to: number): number;
  /** teamGap grows by this for each unit by which the sum moves away from the fairest. */
  readonly slope: number;
}

/**
 * Undefined unless the anchor plays alone, no other player may take its seat beside another one, and p = 1. With N seats the
 * teamGap is then |N·(m − a)/2 + Δ|, for the lone player's skill a, the mean m of the others, and the difference Δ of the
 * offsets of the teams.
 */
export function loneTeamOf(
  { kinds, teams, classes, seats }: Layout,
  { p }: Pick<GameRules, 'p'>,
  anchor: ShapeTicket,
  others: readonly { readonly ticket: ShapeTicket }[],
): LoneTeam | undefined {
  if (teams !== 2 || kinds.length !== 2 || p !== 1 || anchor.size > 1 || !classes) return undefined;
  const lone = kinds[0].size === 1 ? 0 : 1;
  const team = 1 - lone;
  if (kinds[lone].size !== 1 || kinds[team].size === 1) return undefined;
  let seat = 0;
  classes.forEach(({ kind }, c) => {
    if (kind === lone) seat |= 1 << c;
  });
  if ((anchor.classes![0] & ~seat) !== 0) return undefined;
  const mayTake = (mask: number) => (mask & seat) !== 0 && (mask & ~seat) !== 0;
  if (others.some(({ ticket }) => ticket.classes!.some(mayTake))) return undefined;
  const scale = seats / 2 / (seats - 1);
  const shift = kinds[team].offset - kinds[lone].offset;
  return {
    gapOf: (from, to) => gapBetween(scale * from + shift, scale * to + shift),
    fairestOf: (from, to) => Math.min(Math.max(-shift / scale, Math.min(from, to)), Math.max(from, to)),
    slope: scale,
  };
}

/** The least distance from 0 of a number between these two, in either order. */
function gapBetween(a: number, b: number): number {
  return Math.max(0, Math.min(a, b), -Math.max(a, b));
}
