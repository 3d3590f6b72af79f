/** How many of the players who can take certain seats may stay without a game, because every game needs enough of them. */
export interface Spare {
  /** By ticket: how many of its players can take one of these seats. */
  readonly counts: ArrayLike<number>;
  readonly most: number;
}

/** The roles of a game, or other classes of seats that not every player can take. */
export interface SeatRoles {
  /** The seats of a game by role. */
  readonly seats: readonly number[];
  /** By ticket: the roles that each of its players accepts, as a bit set. */
  readonly masks: readonly ArrayLike<number>[];
}

/**
 * The spares of every partition into this many games. By Hall's theorem a game has, for every set of roles, at least as many
 * players who accept one of them as there are seats.
 *
 * @param sizes the players of each ticket
 * @param seatsMin the fewest players of a game
 */
export function sparesOf(
  sizes: readonly number[],
  seatsMin: number,
  games: number,
  roles: SeatRoles | undefined,
): Spare[] {
  if (!roles) return [spareOf(sizes, games * seatsMin)];
  const { seats, masks } = roles;
  return roleSets(seats.length).map((set) => {
    const counts = masks.map((of) => Array.from(of).filter((mask) => (mask & set) !== 0).length);
    const needed = seats.reduce((sum, count, role) => sum + ((set >> role) & 1) * count, 0);
    return spareOf(counts, games * needed);
  });
}

function spareOf(counts: readonly number[], needed: number): Spare {
  return { counts, most: counts.reduce((sum, count) => sum + count, 0) - needed };
}

/** All sets of a few roles; of many, each role and all of them. */
function roleSets(roles: number): number[] {
  const all = 2 ** roles - 1;
  if (roles <= fewRoles) return Array.from({ length: all }, (_, i) => i + 1);
  return [...Array.from({ length: roles }, (_, role) => 2 ** role), all];
}

const fewRoles = 5;
