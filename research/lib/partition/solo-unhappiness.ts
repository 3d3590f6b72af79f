import { type GameRules, shapeOf } from 'muster/engine';
import { BestGames } from './best-games.ts';
import { exchangeForWorst } from './group-exchanges.ts';
import { narrowestGroups } from './narrowest-groups.ts';
import { SoloGroups } from './solo-groups.ts';
import { sparesOf } from './spares.ts';
import { roundingOf, startsWith, unhappiness } from './unhappiness.ts';
import { unhappinessBound } from './unhappiness-bound.ts';

/**
 * The partition of least greatest unhappiness. Each player's best game costs a search. The search
 * also proves the best games of players far from all others.
 *
 * Exchanges rarely bring a player far from all others into its least unhappy game. So some starts have such games, and the
 * best of all is kept.
 *
 * @param order the index in the input of each player of `sorted`
 * @param swapBudget games that exchanges may try out for each start
 */
export function soloUnhappiness(
  sorted: Float64Array,
  order: Uint32Array,
  rules: GameRules,
  swapBudget = unhappinessSwaps,
): { groups: SoloGroups; reached: number; bound: number } {
  const size = shapeOf(rules).seats;
  const games = Math.floor(sorted.length / size);
  const newPool = () => soloPool(sorted, rules);
  const search = newPool();
  const best = games === 0 ? [] : Array.from(sorted, (_, place) => search.bestWith(place));
  const spares = sparesOf(new Array<number>(best.length).fill(1), size, games, undefined);
  const { bound, hardest } = unhappinessBound(best, spares, newPool, roundingOf(sorted.at(-1) ?? 0, rules));
  const least = new Float64Array(order.length);
  best.forEach(({ lowerBound }, place) => {
    least[order[place]] = lowerBound;
  });
  let kept: { groups: SoloGroups; reached: number; bound: number } | undefined;
  for (const fixed of startsWith(hardest)) {
    const groups = groupsAround(fixed, sorted, order, rules);
    const { ofGame, ofAll } = unhappinessOf(groups, least);
    exchangeForWorst(groups, ofGame, swapBudget, bound);
    const reached = ofAll();
    if (!kept || reached < kept.reached) kept = { groups, reached, bound: games === 0 ? 0 : bound };
    if (reached <= bound) break;
  }
  return kept!;
}

/** Players by their places in order of skill. */
function soloPool(sorted: Float64Array, rules: GameRules): BestGames {
  const tickets = Array.from(sorted, (skill, place) => ({
    ticketId: String(place),
    enqueuedAtMs: 0,
    players: [{ playerId: String(place), skill }],
  }));
  return new BestGames(tickets, rules, { nodeBudget });
}

/** Nodes of one search: among ten thousand players nearly all best games are proved. */
const nodeBudget = 20_000;

/** Games that exchanges may try out by default: fewer than the searches for the best games cost. */
const unhappinessSwaps = 200_000;

/** The groups of least greatest range, without the players of these games, and these games. */
function groupsAround(
  fixed: readonly (readonly number[])[],
  sorted: Float64Array,
  order: Uint32Array,
  rules: GameRules,
): SoloGroups {
  const size = shapeOf(rules).seats;
  const taken = new Uint8Array(sorted.length);
  for (const place of fixed.flat()) taken[place] = 1;
  const rest = Array.from(sorted.keys()).filter((place) => taken[place] === 0);
  const count = Math.floor(sorted.length / size) - fixed.length;
  const starts = narrowestGroups(
    Float64Array.from(rest, (place) => sorted[place]),
    count,
    size,
    'greatest',
  );
  const games = [...fixed, ...Array.from(starts, (start) => rest.slice(start, start + size))];
  const skillOf = new Map(games.map((game) => [game, game.reduce((sum, place) => sum + sorted[place], 0)]));
  games.sort((a, b) => skillOf.get(a)! - skillOf.get(b)!);
  for (const place of games.flat()) taken[place] = 1;
  const left = rest.filter((place) => taken[place] === 0);
  const places = [...games.flat(), ...left];
  return new SoloGroups(
    rules,
    Float64Array.from(places, (place) => sorted[place]),
    Uint32Array.from(places, (place) => order[place]),
    Int32Array.from(games, (_, game) => game * size),
  );
}

/** The greatest unhappiness of a player in a game, for the least imbalance that each player could have had. */
function unhappinessOf(
  groups: SoloGroups,
  best: Float64Array,
): { ofGame(group: number): number; ofAll(): number } {
  const ofGame = (group: number) => {
    let least = Number.POSITIVE_INFINITY;
    const end = (group + 1) * groups.size;
    for (let i = group * groups.size; i < end; i++) least = Math.min(least, best[groups.players[i]]);
    return unhappiness(groups.imbalances[group], least);
  };
  return {
    ofGame,
    ofAll: () => groups.imbalances.reduce((worst, _, group) => Math.max(worst, ofGame(group)), 0),
  };
}
