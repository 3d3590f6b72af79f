import type { Forbids, GameRules } from '../types.ts';
import { shapeOf } from './game-shape.ts';
import { mixesOf } from './party-mixes.ts';
import type { PooledTicket } from './pooled-ticket.ts';
import type { RoleTable } from './roles.ts';

/**
 * Why no game with this ticket can be formed, when a count shows it: too few players, a role that too few accept, a
 * party that cannot be seated or completed, everyone refused. Undefined when no such reason holds.
 * Linear in the tickets that wait.
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
      ? `it accepts none of the roles of this queue (${roles.names.join(', ')})`
      : `its party of ${pooled.size} cannot be seated in one team: too many of them want the same roles`;
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
  const apart = refusals > 0 ? ` (${refusals} more may not meet it: ${refused})` : '';
  if (players < seats) {
    return `not enough players: a game needs ${seats}, ${players} can play with it${apart}`;
  }

  if (roles) {
    for (let r = 0; r < roles.names.length; r++) {
      const needed = roles.gameSeatsOf[1 << r];
      let willing = 0;
      for (const { masks } of within) for (const mask of masks) willing += (mask >> r) & 1;
      if (willing < needed) {
        return `the role ${roles.names[r]} is missing: a game needs ${needed}, ${willing} accept it${apart}`;
      }
    }
    for (let set = 1; set <= roles.all; set++) {
      const needed = roles.gameSeatsOf[set];
      let willing = 0;
      for (const { masks } of within) for (const mask of masks) if ((mask & set) !== 0) willing++;
      if (willing < needed) {
        const names = roles.names.filter((_, r) => (set >> r) & 1).join(' and ');
        return `the roles ${names} are missing: a game needs ${needed}, ${willing} accept one of them${apart}`;
      }
    }
  }

  const sizes: number[] = new Array(rules.teamSize + 1).fill(0);
  for (const { size } of within) sizes[size]++;
  if (mixesOf(sizes, pooled.size, shape).length === 0) {
    const what = pooled.size === 1 ? 'it' : `its party of ${pooled.size}`;
    return `${what} cannot be completed: the parties that wait do not add up to two teams of ${rules.teamSize}${apart}`;
  }
  return undefined;
}
