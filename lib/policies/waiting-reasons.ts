import { playersNeeded, shapeOf } from '../engine/game-pool.ts';
import type { Ticket } from '../engine/types.ts';
import type { Backfills } from './backfills.ts';
import { meanSkill, type Policy, type PoolFacts } from './policy.ts';
import type { WaitingPool } from './waiting-pool.ts';
import type { WhatIf } from './what-if.ts';

/** What a plan knows at its end. */
interface EndOfPlan {
  readonly pool: WaitingPool;
  /** By ticket: why the policy has held a match with it. */
  readonly held: ReadonlyMap<string, string>;
  readonly policy: Policy;
  readonly facts: PoolFacts;
  readonly backfills: Backfills | undefined;
  readonly whatIf: WhatIf;
  readonly nowMs: number;
}

/** Why tickets wait that no match of a plan contains: what stands in the way, and until when. */
export function waitingReasons(plan: EndOfPlan): (ticket: Ticket) => string {
  const { pool, held, policy, facts, backfills, whatIf, nowMs } = plan;
  const { waiting } = pool;
  const players = waiting.reduce((sum, ticket) => sum + ticket.players.length, 0);
  const isTooFew = players < shapeOf(facts.rules).seatsMin;
  const obstacleOf = (ticket: Ticket): string | undefined => {
    if (isTooFew)
      return `A match needs ${playersNeeded(facts.rules, ' players')}; ${players} ${players === 1 ? 'is' : 'are'} waiting.`;
    const obstacle = pool.obstacle(ticket.ticketId);
    if (obstacle === undefined) return undefined;
    const tickets = whatIf.nearest(waiting, meanSkill(ticket));
    const find = (other: WaitingPool) => other.gameWith(ticket)?.tickets;
    return obstacle + whatIf.explain({ what: 'One is possible', ageing: tickets, tickets, find });
  };
  return (ticket) => {
    const wait = held.get(ticket.ticketId);
    if (!isTooFew && wait !== undefined) return wait;
    const obstacle = obstacleOf(ticket);
    if (obstacle !== undefined) return obstacle + (backfills?.wayIn(ticket) ?? '');
    if (pool.isOver()) return 'The search reached its limit before this ticket was looked at.';
    return (
      policy.reason?.(ticket, facts, nowMs) ??
      'It can be matched now, but better matches or the release policy take precedence.'
    );
  };
}
