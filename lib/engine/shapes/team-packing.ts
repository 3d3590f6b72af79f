import type { Layout } from './layout.ts';

/** How many parties of each size a game has: `mix[size]`. */
export type Mix = ArrayLike<number>;

/**
 * Divides the parties of a game over its teams by their sizes alone: how many of each size every team has. Each team gets
 * about its share of every size, so that the teams are easy to balance. Undefined when no division was found within a
 * limit of steps, so nothing is proved.
 *
 * @param mix how many parties of each size the game has, as many players as the teams together
 * @param teamSizes the players of each team
 */
export function packTeams(mix: Mix, teamSizes: readonly number[]): Int32Array[] | undefined {
  const left = Int32Array.from(mix);
  const teams = teamSizes.map(() => new Int32Array(left.length));
  let seatsLeft = teamSizes.reduce((sum, size) => sum + size, 0);
  let steps = stepsMax;

  /** Fills the free seats of a team, and the teams after it, with parties of at most this size. */
  const fill = (team: number, free: number, size: number): boolean => {
    if (team === teams.length) return true;
    if (--steps < 0) return false;
    if (free === 0) {
      seatsLeft -= teamSizes[team];
      if (fill(team + 1, teamSizes[team + 1], left.length - 1)) return true;
      seatsLeft += teamSizes[team];
      return false;
    }
    if (size === 0) return false;
    if (size === 1) return left[1] >= free && take(team, free, 1, free);
    const most = Math.min(left[size], Math.floor(free / size));
    // The last team takes all that is left.
    const share = team === teams.length - 1 ? left[size] : (left[size] * teamSizes[team]) / seatsLeft;
    const wanted = Math.min(most, Math.round(share));
    for (let away = 0; away <= most; away++) {
      if (wanted + away <= most && take(team, free, size, wanted + away)) return true;
      if (away > 0 && wanted >= away && take(team, free, size, wanted - away)) return true;
    }
    return false;
  };

  const take = (team: number, free: number, size: number, count: number): boolean => {
    left[size] -= count;
    teams[team][size] += count;
    if (fill(team, free - count * size, size - 1)) return true;
    left[size] += count;
    teams[team][size] -= count;
    return false;
  };

  return fill(0, teamSizes[0], left.length - 1) ? teams : undefined;
}

/**
 * The solo players that these parties need to fill the teams, whatever team they play on: a team of 3 needs one
 * beside pairs. With fewer no game can be formed; with as many there may be none either.
 *
 * @param counts how many parties of each size there are
 */
export function solosNeeded(counts: ArrayLike<number>, { kinds }: Pick<Layout, 'kinds'>): number {
  let needed = 0;
  for (const { size, minSize, count } of kinds) {
    const canFill = seatsOfParties(counts, size);
    let fewest = size;
    for (let seats = 0; seats <= size; seats++)
      if (canFill[seats] === 1) fewest = Math.min(fewest, Math.max(0, minSize - seats));
    needed += count * fewest;
  }
  return needed;
}

/** By number of seats: 1 if parties of at least two players fill exactly this number. */
function seatsOfParties(counts: ArrayLike<number>, seats: number): Uint8Array {
  const canFill = new Uint8Array(seats + 1);
  canFill[0] = 1;
  for (let size = 2; size < counts.length && size <= seats; size++) {
    for (let party = 0; party < Math.min(counts[size], Math.floor(seats / size)); party++)
      for (let to = seats; to >= size; to--) if (canFill[to - size] === 1) canFill[to] = 1;
  }
  return canFill;
}

/** The steps after which it gives up. */
const stepsMax = 5000;
