import { imbalancePerRange, shapeOf } from '../engine/game-pool.ts';
import type { GameRules, Ticket } from '../engine/types.ts';
import { type CandidateSource, meanSkill } from './policy.ts';

/** A new game is searched among neighbours with this many times the players that it needs. */
const TIMES_SEATS = 2;

/**
 * Whether no new game with a ticket has a lower imbalance than this, as far as its neighbours in skill show: they are the
 * nearest waiting tickets with which it may play. Cost: one search among few tickets, and none where the distances of the
 * neighbours decide.
 *
 * @param placeOf the place of each ticket in `pool.bySkill`
 */
export function isBestGameAbove(
  pool: CandidateSource,
  rules: GameRules,
  placeOf: ReadonlyMap<Ticket, number>,
  ticket: Ticket,
  imbalance: number,
): boolean {
  const { seatsMin, seats } = shapeOf(rules);
  const group = [ticket];
  const skill = meanSkill(ticket);
  const at = placeOf.get(ticket)!;
  let players = ticket.players.length;
  let below = at - 1;
  let above = at + 1;
  let farthest = 0;
  const sorted = pool.bySkill;
  while (players < TIMES_SEATS * seats && (below >= 0 || above < sorted.length) && !pool.isOver()) {
    const toBelow = below < 0 ? Number.POSITIVE_INFINITY : skill - meanSkill(sorted[below]);
    const toAbove = above === sorted.length ? Number.POSITIVE_INFINITY : meanSkill(sorted[above]) - skill;
    const next = sorted[toBelow <= toAbove ? below-- : above++];
    if (!pool.isWaiting(next) || !pool.mayMeet(ticket, next)) continue;
    group.push(next);
    players += next.players.length;
    if (players <= seatsMin) farthest = Math.min(toBelow, toAbove);
  }
  if (players < seatsMin) return true;
  // A game of all full seats reaches at least as far as its nearest neighbours (Lemma 6).
  if (seatsMin === seats && rules.teams === undefined && imbalancePerRange(rules) * farthest >= imbalance)
    return true;
  const game = pool.gameAmong(group, ticket);
  return game === undefined || game.game.imbalance >= imbalance;
}
