import { fairness } from './imbalance.ts';
import type { PooledTicket } from './pooled-ticket.ts';
import type { RoleTable } from './roles.ts';
import type { GameRules } from './types.ts';

/** A division of a game's tickets into two teams. */
export interface Split {
  /** Bit i is set when ticket i plays on the first team. The first ticket always does. */
  readonly firstTeam: number;
  readonly fairness: number;
}

/**
 * The fairest division of these tickets into two full teams, no ticket split and every player in a
 * role it accepts, or undefined if there is none below `limit`. The first found of equally fair ones.
 * Cost: two to the number of tickets; PARTITION is NP-hard, and a game has at most 16 players.
 */
export function bestSplit(
  members: readonly PooledTicket[],
  rules: GameRules,
  roles: RoleTable | undefined,
  limit: number,
): Split | undefined {
  const k = rules.teamSize;
  let best: Split | undefined;
  let below = limit;
  const visit = (index: number, firstTeam: number, free: number) => {
    if (free === 0) {
      const d = fairness(skillsOf(members, firstTeam), skillsOf(members, ~firstTeam), rules.p);
      if (d >= below) return;
      if (roles && !(seatable(members, firstTeam, roles) && seatable(members, ~firstTeam, roles))) return;
      below = d;
      best = { firstTeam, fairness: d };
      return;
    }
    if (index === members.length) return;
    if (members[index].size <= free) visit(index + 1, firstTeam | (1 << index), free - members[index].size);
    visit(index + 1, firstTeam, free);
  };
  visit(1, 1, k - members[0].size);
  return best;
}

/** The skills of the tickets whose bit is set, in order. */
export function skillsOf(members: readonly PooledTicket[], team: number): number[] {
  return members.flatMap((member, i) => ((team >> i) & 1 ? [...member.skills] : []));
}

function seatable(members: readonly PooledTicket[], team: number, roles: RoleTable): boolean {
  return roles.canSeat(
    members.flatMap((member, i) => ((team >> i) & 1 ? [...member.masks] : [])),
    1,
  );
}
