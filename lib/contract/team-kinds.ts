import type { TeamKind } from '../vocabulary/game.ts';

/** Teams of a queue that have the same size and roles. */
export interface TeamKindView {
  /** Undefined when the queue has a number of equal teams. */
  readonly name: string | undefined;
  readonly size: number;
  /** The minimum of players with which the team may start. */
  readonly minSize: number;
  readonly count: number;
  readonly roles: Readonly<Record<string, number>> | undefined;
}

/** The parts of a definition that describe its teams. */
export interface Teams {
  readonly teamSize?: number | undefined;
  readonly teams?: number | readonly TeamKind[] | undefined;
  readonly roles?: Readonly<Record<string, number>> | undefined;
}

/** The teams of a queue, in the order of its matches. */
export function teamKindsOf({ teamSize = 1, teams = 2, roles }: Teams): TeamKindView[] {
  if (typeof teams === 'number')
    return [{ name: undefined, size: teamSize, minSize: teamSize, count: teams, roles }];
  return teams.map(({ name, size, minSize = size, count = 1, roles: theirs }) => ({
    name,
    size,
    minSize,
    count,
    roles: theirs,
  }));
}

/** The teams of a match. */
export function teamCountOf(definition: Teams): number {
  return teamKindsOf(definition).reduce((sum, { count }) => sum + count, 0);
}

/** The teams of a queue in a few words: `5 v 5`, `4 teams of 3`, `1 killer v 4 survivors`, `12 players, free for all`. */
export function teamsText(definition: Teams): string {
  const kinds = teamKindsOf(definition);
  const [{ size, count }] = kinds as [TeamKindView];
  if (kinds.length > 1)
    return kinds
      .map((kind) => `${kind.count === 1 ? '' : `${kind.count} × `}${kind.size} ${kind.name ?? ''}`.trim())
      .join(' v ');
  if (count === 2) return `${size} v ${size}`;
  if (count === 1) return `one team of ${size}`;
  return size === 1 ? `${count} players, free for all` : `${count} teams of ${size}`;
}

/** The seats of a match. */
export function seatsOf(definition: Teams): number {
  return teamKindsOf(definition).reduce((sum, { size, count }) => sum + size * count, 0);
}

/** The largest party that may stay together. */
export function partyMaxOf(definition: Teams): number {
  return Math.max(...teamKindsOf(definition).map(({ size }) => size));
}

/** The seats of all teams by role; undefined when no team has roles. */
export function roleSeatsOf(definition: Teams): Record<string, number> | undefined {
  const seats: Record<string, number> = {};
  for (const { roles, count } of teamKindsOf(definition)) {
    for (const [role, perTeam] of Object.entries(roles ?? {}))
      seats[role] = (seats[role] ?? 0) + count * perTeam;
  }
  return Object.keys(seats).length > 0 ? seats : undefined;
}
