import { priority } from '../model/imbalance.ts';
import { sortBySkill } from '../model/pooled-ticket.ts';
import { SearchClock } from '../model/search-clock.ts';
import { ShapeIndex } from '../queue/shape-index.ts';
import { exactSeatsMax, layoutOf } from '../shapes/layout.ts';
import { meanOf } from '../shapes/shape-game.ts';
import { ShapeGames } from '../shapes/shape-games.ts';
import { poolShapeTicket, type ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Constraints, Forbids, Game, GameRules, Ticket } from '../types.ts';
import {
  gamesBestFirst,
  gamesInOrder,
  hasMix,
  leftOut,
  type PartitionGame,
  scarcestFirst,
} from './game-by-game.ts';
import { exchangeBetweenGames } from './game-exchanges.ts';
import { canPack, packParties } from './party-packing.ts';

/** How everyone is put into games at once. */
export interface EveryoneOptions {
  /** Pairs of tickets that may not be in one game. @default no pair is refused */
  readonly forbids?: Forbids;
  /** Makes what games have to fulfil besides their shape, for each pool that is searched. @default nothing */
  readonly constraintsOf?: () => Constraints;
  /** When it returns true, the remaining tickets stay without a game. @default never out of time */
  readonly outOfTime?: () => boolean;
}

/**
 * Puts everyone into games at once: as many games as possible, with a low sum of imbalances. Waiting has no weight.
 *
 * `packParties` packs by the sizes of the parties, and the tickets that remain because of roles and refused pairs are matched
 * game by game. Where sizes do not decide, the best game of all is taken repeatedly. Small pools are also gone through in order of skill. Of these it keeps the one with the most games, then the one of the least sum of imbalances, after
 * exchanges between neighbouring games.
 *
 * @param nowMs the time at which priorities are computed
 */
export function everyoneAtOnce(
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  { forbids, constraintsOf, outOfTime = () => false }: EveryoneOptions = {},
): Game[] {
  const layout = layoutOf(rules);
  const sorted = sortBySkill(tickets.map((ticket) => poolShapeTicket(ticket, layout)));
  const clock = new SearchClock(outOfTime);
  // Games that are too large, may be short or are under constraints are not divided here.
  const isDivided = layout.seats <= exactSeatsMax && !rules.short && !constraintsOf;
  const divider = isDivided ? new ShapeGames(rules, layout, clock) : undefined;
  const packs = divider !== undefined && canPack(layout) && !sorted.some(({ isSplit }) => isSplit);
  const playable = divider ? sorted.filter((ticket) => divider.mayPlay(ticket)) : sorted;
  let kept: readonly PartitionGame[] = [];
  let least = Number.POSITIVE_INFINITY;
  const consider = (start: readonly PartitionGame[]) => {
    const inOrder = start.toSorted((a, b) => meanOf(a.members) - meanOf(b.members));
    const games = divider
      ? exchangeBetweenGames(inOrder, leftOut(playable, inOrder), rules.alpha, divider, forbids, clock)
      : inOrder;
    const sum = games.reduce((all, { imbalance }) => all + imbalance, 0);
    if (games.length > kept.length || (games.length === kept.length && sum < least)) {
      kept = games;
      least = sum;
    }
  };
  // Only balance counts: waiting has no weight where everyone plays.
  const searchOf = (some: readonly ShapeTicket[]) => ({ pool: poolOf(some, 0), nowMs, outOfTime });
  const poolOf = (some: readonly ShapeTicket[], beta: number) =>
    new ShapeIndex({ ...rules, beta }, some, { nodeBudget, forbids, constraints: constraintsOf?.(), clock });
  /** Adds all games that can be formed of the remaining tickets. */
  const withTheRest = (games: readonly PartitionGame[]): readonly PartitionGame[] => {
    const all = [...games];
    for (;;) {
      const left = scarcestFirst(leftOut(sorted, all), layout);
      const more = hasMix(left, layout) ? gamesInOrder(left, searchOf(left)) : [];
      if (more.length === 0) return all;
      all.push(...more);
    }
  };
  const inOrderOf = (order: readonly ShapeTicket[]) => gamesInOrder(order, searchOf(order));

  if (packs) consider(withTheRest(packParties(sorted, rules.alpha, layout, divider, forbids, clock)));
  else consider(gamesBestFirst(sorted, searchOf(sorted)));
  if (sorted.length <= (packs ? packedMax : searchedMax)) {
    for (const order of [sorted, sorted.toReversed()])
      consider(packs ? withTheRest(inOrderOf(order)) : inOrderOf(order));
  }
  // Found at the end, so that a proof that takes long costs no games.
  const bound =
    (outOfTime() ? undefined : poolOf(sorted, rules.beta).best(nowMs)?.lowerBound) ??
    priority(0, sorted.reduce(earlier, nowMs), nowMs, rules.beta);
  return kept.map((one) => {
    if (!one.game) return divider!.gameOf(one, nowMs, bound);
    const oldest = one.members.reduce(earlier, Number.POSITIVE_INFINITY);
    const g = priority(one.game.imbalance, oldest, nowMs, rules.beta);
    return { ...one.game, priority: g, lowerBound: Math.min(bound, g), optimal: bound >= g };
  });
}

/** Pools of at most this many tickets are also partitioned game by game, where packing is possible and where it is not. */
const packedMax = 200;
const searchedMax = 500;
/** The nodes of each search for a game. */
const nodeBudget = 1000;

function earlier(oldest: number, { ticket }: ShapeTicket): number {
  return Math.min(oldest, ticket.enqueuedAtMs);
}
