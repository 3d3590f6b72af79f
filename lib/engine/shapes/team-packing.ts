import type { Mix } from './whole-parties.ts';

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

/** The steps after which it gives up. */
const stepsMax = 5000;
