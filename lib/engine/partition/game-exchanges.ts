import { firstPlace } from '../collections/first-place.ts';
import { mayMeet } from '../model/forbids.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { ShapedGame } from '../shapes/shape-game.ts';
import type { ShapeGames } from '../shapes/shape-games.ts';
import { areAlike, type ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Forbids } from '../types.ts';

/**
 * Improves games by exchanging tickets of one size between neighbouring games, the worst game first, as long as the sum of
 * imbalances falls. A game for which no exchange lowers it tries the tickets in no game. Roles and refused pairs are respected.
 * Deterministic.
 *
 * @param start in order of skill, so that neighbours are near
 * @param rest the tickets in no game, in the pool's order
 * @param clock no game is divided once its time is over
 */
export function exchangeBetweenGames(
  start: readonly ShapedGame[],
  rest: readonly ShapeTicket[],
  alpha: number,
  divider: ShapeGames,
  forbids: Forbids | undefined,
  clock: SearchClock,
): ShapedGame[] {
  const games = [...start];
  const left = [...rest];
  let budget = divisionsMax;

  /** The game of these after one has joined, if it is allowed and its imbalance may be below the limit. */
  const divided = (members: readonly ShapeTicket[], joined: ShapeTicket, v: number, limit: number) => {
    if (v >= limit || budget <= 0 || !mayMeet(joined, members, forbids)) return undefined;
    const from = divider.steps;
    if (clock.isOver(stepsPerDivision)) budget = 0;
    const imbalance = alpha * divider.divide(members, (limit * (1 + 1e-9) - v) / alpha) + v;
    budget -= 1 + ((divider.steps - from) >> 5);
    return imbalance < limit ? { members, teams: divider.teams, imbalance } : undefined;
  };

  /** Makes the exchange of one ticket each that lowers the sum of two games most. */
  const exchange = (a: number, b: number): boolean => {
    const [x, y] = [games[a].members, games[b].members];
    let least = (games[a].imbalance + games[b].imbalance) * (1 - 1e-12);
    let best: [ShapedGame, ShapedGame] | undefined;
    x.forEach((ofX, i) => {
      y.forEach((ofY, j) => {
        if (ofX.size !== ofY.size || (ofX.mean === ofY.mean && areAlike(ofX, ofY))) return;
        const [nextX, nextY] = [x.with(i, ofY), y.with(j, ofX)];
        const [u, v] = [divider.skillSpread(nextX), divider.skillSpread(nextY)];
        const first = divided(nextX, ofY, u, least - v);
        const second = first && divided(nextY, ofX, v, least - first.imbalance);
        if (!second) return;
        best = [first, second];
        least = first.imbalance + second.imbalance;
      });
    });
    if (best) [games[a], games[b]] = best;
    return best !== undefined;
  };

  /** Makes the exchange of a ticket for one in no game that lowers the imbalance of a game most. */
  const exchangeWithRest = (a: number): boolean => {
    const x = games[a].members;
    let least = games[a].imbalance * (1 - 1e-12);
    let best: { game: ShapedGame; gone: ShapeTicket; joined: ShapeTicket } | undefined;
    for (const joined of near(left, x)) {
      x.forEach((gone, i) => {
        if (gone.size !== joined.size) return;
        const next = x.with(i, joined);
        const game = divided(next, joined, divider.skillSpread(next), least);
        if (!game) return;
        best = { game, gone, joined };
        least = game.imbalance;
      });
    }
    if (!best) return false;
    const { game, gone, joined } = best;
    left.splice(left.indexOf(joined), 1);
    left.splice(
      firstPlace(left, ({ mean }) => mean > gone.mean),
      0,
      gone,
    );
    games[a] = game;
    return true;
  };

  const improves = (game: number): boolean => {
    for (let distance = 1; distance <= neighbours && budget > 0; distance++)
      for (const other of [game - distance, game + distance])
        if (other >= 0 && other < games.length && exchange(game, other)) return true;
    return budget > 0 && exchangeWithRest(game);
  };
  for (let improved = true; improved && budget > 0; ) {
    improved = false;
    const worstFirst = games.map((_, game) => game);
    worstFirst.sort((a, b) => games[b].imbalance - games[a].imbalance || a - b);
    for (const game of worstFirst) if (improves(game)) improved = true;
  }
  return games;
}

/** The tickets in no game whose skill is nearest to the mean of a game. */
function near(left: readonly ShapeTicket[], members: readonly ShapeTicket[]): readonly ShapeTicket[] {
  let skill = 0;
  let players = 0;
  for (const { mean, size } of members) {
    skill += size * mean;
    players += size;
  }
  const low = firstPlace(left, ({ mean }) => mean * players >= skill);
  return left.slice(Math.max(0, low - leftNearby), low + leftNearby);
}

/** The games that may be divided, some 500,000 a second for teams of five; one that takes many steps counts as several. */
const divisionsMax = 20_000;
/** How many games on each side a game considers for an exchange. */
const neighbours = 3;
/** The work of a division in steps of a `SearchClock`: some microseconds to a millisecond. */
const stepsPerDivision = 32;
/** How many tickets in no game a game considers on each side of its mean skill. */
const leftNearby = 8;
