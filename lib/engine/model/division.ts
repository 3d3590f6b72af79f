/**
 * Which team each member of a game plays on, as a number: bit i is set when member i plays on team 0; otherwise it
 * plays on team 1. A game has at most 16 members, so a `Uint16Array` holds divisions. Only this file, `divisions.ts` and
 * the two dividers use the bits; other code calls `teamOf`.
 */
export type Division = number;

/** The team of the member at this index: 0 or 1. */
export function teamOf(division: Division, member: number): number {
  return ((division >> member) & 1) ^ 1;
}

/** The members of each team, in their order. */
export function teamsOf<T>(members: readonly T[], division: Division): [T[], T[]] {
  const teams: [T[], T[]] = [[], []];
  for (let i = 0; i < members.length; i++) teams[teamOf(division, i)].push(members[i]);
  return teams;
}
