import { CentreBound } from '../../../lib/engine/bounds/centre-bound.ts';
import { imbalancePerRange, lemma1 } from '../../../lib/engine/bounds/range-bounds.ts';
import { orderBySkill } from '../../../lib/engine/collections/sort-skills.ts';
import { type DividedGame, teamsOf } from '../../../lib/engine/model/division.ts';
import { type PooledTicket, poolPlayer } from '../../../lib/engine/model/pooled-ticket.ts';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import { SoloExchanges } from '../../../lib/engine/search/solo-exchanges.ts';
import { TicketSearch } from '../../../lib/engine/search/ticket-search.ts';
import type { GameRules } from '../../../lib/engine/types.ts';

/** A game of players with roles, by their indices. */
export interface BestRoleGame {
  readonly imbalance: number;
  readonly teams: readonly [number[], number[]];
  /** No game of these players has less imbalance; equal to `imbalance` when the game is proved best. */
  readonly lowerBound: number;
}

/**
 * The best game of solo players with roles, from scratch; undefined if none can be formed.
 *
 * For each player, the shortest interval of skills that starts with it and has distinct representatives (Lemma 3)
 * bounds its games by Lemma 6. The searches start at the players with the least bounds and continue until the best game
 * found excludes all others. When the node budget ends first, the centre bound limits the distance to the best game.
 *
 * Cost: a sort, a pass per set of roles, and the searches.
 *
 * @param masks bit r is set when the player accepts the r-th role, roles in alphabetical order
 * @param options `nodeBudget`: the nodes that the searches may visit, 0.2 to 5 million a second. @default 20,000
 * @throws Error when the rules have no roles
 */
export function bestRoleGame(
  skills: Float64Array,
  masks: Uint8Array,
  rules: GameRules,
  options: { nodeBudget?: number } = {},
): BestRoleGame | undefined {
  const roles = RoleTable.of(rules);
  if (!roles) throw new Error('Expected rules with roles; without them use bestGame');
  const order = orderBySkill(skills);
  const n = order.length;
  const sorted = new Float64Array(n);
  const sortedMasks = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    sorted[i] = skills[order[i]];
    sortedMasks[i] = masks[order[i]];
  }
  const ranges = shortestIntervals(sorted, sortedMasks, roles);
  let narrowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < n; i++) if (ranges[i] < narrowest) narrowest = ranges[i];
  if (narrowest === Number.POSITIVE_INFINITY) return undefined;

  const perRange = imbalancePerRange(rules);
  const search = new TicketSearch(rules, roles, undefined);
  const nodeBudget = options.nodeBudget ?? 20_000;
  let best: DividedGame | undefined;
  const made: PooledTicket[] = [];
  const ticketsOf = (places: readonly number[]) =>
    places.map((place) => {
      made[place] ??= poolPlayer(String(order[place]), sorted[place], sortedMasks[place]);
      return made[place];
    });
  const window = (from: number, reach: number): number[] => {
    const places: number[] = [];
    for (let i = from; i < n && sorted[i] <= reach; i++) if (sortedMasks[i] !== 0) places.push(i);
    return places;
  };

  const certain = lemma1(narrowest, rules.alpha, sorted[n - 1] ?? 0);
  let proved = perRange * narrowest;
  while (!best || proved < best.imbalance) {
    const below = Math.min(certain, step * proved || certain);
    const anchors: number[] = [];
    for (let i = 0; i < n; i++) if (perRange * ranges[i] < below) anchors.push(i);
    anchors.sort((a, b) => ranges[a] - ranges[b] || a - b);
    for (const anchor of anchors) {
      const limit = Math.min(below, best?.imbalance ?? below);
      if (perRange * ranges[anchor] >= limit || search.nodes >= nodeBudget) break;
      const tickets = ticketsOf(window(anchor, sorted[anchor] + limit / perRange));
      const candidates = { tickets, anchor: 0, credits: new Float64Array(tickets.length) };
      best = search.run(candidates, limit, nodeBudget - search.nodes) ?? best;
    }
    if (search.nodes >= nodeBudget) break;
    proved = Math.min(below, best?.imbalance ?? below);
  }
  if (best && proved >= best.imbalance) return answer(best, best.imbalance);

  // The budget is spent: start from the best basis around a centre, and search the players near it.
  const centre = new CentreBound(sorted, sortedMasks, roles, rules);
  if (!centre.prove(best?.imbalance ?? Number.POSITIVE_INFINITY)) return undefined;
  const exchanges = new SoloExchanges(rules, roles, undefined);
  if (
    exchanges.search(ticketsOf(centre.basis), ticketsOf(centre.others())) &&
    !(best && best.imbalance <= exchanges.imbalance)
  )
    best = exchanges;
  return best && answer(best, Math.min(best.imbalance, Math.max(proved, centre.bound)));
}

/** The factor by which the limit of the next searches exceeds the proved bound; 1.1 and 2 are not faster. */
const step = 1.3;

function answer(best: DividedGame, lowerBound: number): BestRoleGame {
  const [first, second] = teamsOf(best.members, best.division).map((team) =>
    team.map(({ ticket }) => Number(ticket.ticketId)),
  );
  return { imbalance: best.imbalance, teams: [first, second], lowerBound };
}

/**
 * For each player, the range of the shortest interval that starts with it and has distinct representatives for all seats
 * of a game; ∞ if there is none. By Hall's theorem the interval must contain, for each set B of roles, as many players who
 * accept a role of B as the game has seats of these roles.
 */
function shortestIntervals(sorted: Float64Array, masks: Uint8Array, roles: RoleTable): Float64Array {
  const n = sorted.length;
  const ends = new Int32Array(n);
  const willing = new Int32Array(n);
  for (let set = 1; set <= roles.all; set++) {
    const needed = roles.gameSeatsOf[set];
    let count = 0;
    for (let i = 0; i < n; i++) if ((masks[i] & set) !== 0) willing[count++] = i;
    for (let i = 0, first = 0; i < n; i++) {
      const last = first + needed - 1;
      const end = last < count ? willing[last] : n;
      if (end > ends[i]) ends[i] = end;
      if (first < count && willing[first] === i) first++;
    }
  }
  const ranges = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    ranges[i] = ends[i] < n && masks[i] !== 0 ? sorted[ends[i]] - sorted[i] : Number.POSITIVE_INFINITY;
  }
  return ranges;
}
