import { imbalancePerRange, shapeOf } from '../engine/game-pool.ts';
import type { GameRules, Ticket } from '../engine/types.ts';
import { meanSkill } from './policy.ts';
import type { WaitingPool } from './waiting-pool.ts';

/** A new game is searched among neighbours with this many times the players that it needs. */
const TIMES_SEATS = 2;

/**
 * Whether no new game with a ticket has a lower imbalance than this, as far as its neighbours in skill show: they are the
 * nearest waiting tickets with which it may play. Cost: one search among few tickets, and none where the distances of the
 * neighbours decide.
 */
export function isBestGameAbove(
  pool: WaitingPool,
  rules: GameRules,
  ticket: Ticket,
  imbalance: number,
): boolean {
  const { seatsMin, seats } = shapeOf(rules);
  const group = [ticket];
  let players = ticket.players.length;
  let farthest = 0;
  for (const next of pool.near(ticket)) {
    group.push(next);
    players += next.players.length;
    if (players <= seatsMin) farthest = Math.abs(meanSkill(next) - meanSkill(ticket));
    if (players >= TIMES_SEATS * seats) break;
  }
  if (players < seatsMin) return true;
  // A game of all full seats reaches at least as far as its nearest neighbours (Lemma 6).
  if (seatsMin === seats && rules.teams === undefined && imbalancePerRange(rules) * farthest >= imbalance)
    return true;
  const game = pool.gameAmong(group, ticket);
  return game === undefined || game.game.imbalance >= imbalance;
}
