import type { RoleTable } from '../model/roles.ts';

/** A choice of role sets for the scarce players of a game. */
export interface ScarcePlan {
  /** The role set of each scarce player, as an index in ascending order. */
  readonly sets: readonly number[];
  /**
   * The ways to divide them into two teams that can be seated, each once, with the first player on the first team: bit i is
   * set when player i plays on the first team.
   */
  readonly halves: readonly number[];
}

/**
 * All choices of scarce players that can be seated with dense ones on all other seats.
 *
 * @param masks the different role sets of the scarce players
 * @param seats the scarce seats of a game
 */
export function scarcePlans(masks: readonly number[], seats: number, roles: RoleTable): ScarcePlan[] {
  const plans: ScarcePlan[] = [];
  const sets: number[] = [];
  const extend = (from: number) => {
    if (sets.length === seats) {
      const halves = halvesOf(
        sets.map((set) => masks[set]),
        roles,
      );
      if (halves.length > 0) plans.push({ sets: [...sets], halves });
      return;
    }
    for (let set = from; set < masks.length; set++) {
      sets.push(set);
      if (roles.canSeatGame(sets.map((chosen) => masks[chosen]))) extend(set);
      sets.pop();
    }
  };
  extend(0);
  return plans;
}

function halvesOf(masks: readonly number[], roles: RoleTable): number[] {
  const halves: number[] = [];
  for (let half = 1; half < 2 ** masks.length; half += 2) {
    const team = (side: number) => masks.filter((_, i) => ((half >> i) & 1) === side);
    const [first, second] = [team(1), team(0)];
    if (first.length !== second.length) continue;
    if (roles.canSeatTeam(first) && roles.canSeatTeam(second)) halves.push(half);
  }
  return halves;
}
