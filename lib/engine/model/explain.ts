import type { Forbids, GameRules } from '../types.ts';
import { shapeOf } from './game-shape.ts';
import { mixesOf } from './party-mixes.ts';
import type { PooledTicket } from './pooled-ticket.ts';
import type { RoleTable } from './roles.ts';

/**
 * Why no game with this ticket can be formed, when counting shows it: too few players, a role that too few accept, a
 * party that cannot be seated or completed, or all others refused. Undefined when none of these applies.
 * Cost: linear in the waiting tickets.
 */
export function explainWaiting(
  pooled: PooledTicket,
  waiting: Iterable<PooledTicket>,
  rules: GameRules,
  roles: RoleTable | undefined,
  forbids: Forbids | undefined,
): string | undefined {
  const shape = shapeOf(rules);
  const { seats } = shape;
  if (roles && !roles.canSeatTeam(pooled.masks)) {
    return pooled.size === 1
      ? `The player accepts none of the roles of this queue (${roles.names.join(', ')}).`
      : `This party of ${pooled.size} does not fit into one team: too many of its players accept only the same roles.`;
  }

  let refused: string | undefined;
  let refusals = 0;
  const others: PooledTicket[] = [];
  for (const other of waiting) {
    if (other === pooled) continue;
    const reason = forbids?.(pooled.ticket, other.ticket);
    if (reason === undefined) others.push(other);
    else {
      refusals++;
      refused ??= reason;
    }
  }
  const within = [pooled, ...others];
  const players = within.reduce((sum, { size }) => sum + size, 0);
  const apart = refusals > 0 ? ` (${refusals} more may not be matched with it: ${refused})` : '';
  if (players < seats) {
    return `Too few players: a match with this ticket needs ${seats}, ${players} available${apart}.`;
  }

  if (roles) {
    for (let r = 0; r < roles.names.length; r++) {
      const needed = roles.gameSeatsOf[1 << r];
      let willing = 0;
      for (const { masks } of within) for (const mask of masks) willing += (mask >> r) & 1;
      if (willing < needed) {
        return `Too few players accept the role ${roles.names[r]}: a match needs ${needed}, ${willing} available${apart}.`;
      }
    }
    for (let set = 1; set <= roles.all; set++) {
      const needed = roles.gameSeatsOf[set];
      let willing = 0;
      for (const { masks } of within) for (const mask of masks) if ((mask & set) !== 0) willing++;
      if (willing < needed) {
        const names = roles.names.filter((_, r) => (set >> r) & 1).join(' and ');
        return `Too few players accept one of the roles ${names}: a match needs ${needed}, ${willing} available${apart}.`;
      }
    }
  }

  const sizes: number[] = new Array(rules.teamSize + 1).fill(0);
  for (const { size } of within) sizes[size]++;
  if (mixesOf(sizes, pooled.size, shape).length === 0) {
    const what = pooled.size === 1 ? 'this ticket' : `this party of ${pooled.size}`;
    return `The waiting parties do not add up to two teams of ${rules.teamSize} with ${what}${apart}.`;
  }
  return undefined;
}
