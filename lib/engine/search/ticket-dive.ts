import type { DividedGame } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import type { RoleTable } from '../model/roles.ts';
import { SearchClock } from '../model/search-clock.ts';
import type { Forbids, GameRules } from '../types.ts';
import { type Candidates, ChosenTickets } from './chosen-tickets.ts';
import { Incumbent } from './incumbent.ts';
import { exchangeTickets } from './ticket-exchanges.ts';

/**
 * Searches for any game of one ticket after the exact search has ended without one. It goes depth-first over the
 * candidates, those nearest in skill and with the least own spread first, to the first game, and improves it by
 * exchanges. It proves nothing.
 */
export class TicketDive {
  /** The nodes visited since construction, with other work converted to nodes. */
  nodes = 0;

  readonly #n: number;
  readonly #roles: RoleTable | undefined;
  readonly #forbids: Forbids | undefined;
  readonly #clock: SearchClock;
  readonly #chosen: ChosenTickets;
  readonly #incumbent: Incumbent;

  constructor(
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
    clock = new SearchClock(),
  ) {
    this.#n = shapeOf(rules).seats;
    this.#roles = roles;
    this.#forbids = forbids;
    this.#clock = clock;
    this.#chosen = new ChosenTickets(rules, roles, forbids);
    this.#incumbent = new Incumbent(rules, roles, clock);
  }

  /** A game with the anchor that costs less than `limit`, undefined if none was found among `nodeBudget` nodes. */
  run(candidates: Candidates, limit: number, nodeBudget: number): DividedGame | undefined {
    const { tickets, anchor, credits } = candidates;
    const chosen = this.#chosen;
    const incumbent = this.#incumbent;
    incumbent.start(limit);
    const order = nearestFirst(candidates);
    let nodesLeft = nodeBudget;
    const extend = (from: number, players: number, credit: number): void => {
      if (players === this.#n) {
        incumbent.offer(chosen.tickets, credit);
        return;
      }
      for (let at = from; at < order.length && !incumbent.game && nodesLeft > 0; at++) {
        const pooled = tickets[order[at]];
        if (this.#clock.isOver()) nodesLeft = 0;
        if (players + pooled.size > this.#n || !chosen.fitsSize(pooled.size)) continue;
        if (!chosen.seating.hasSeat(pooled.masks)) continue;
        nodesLeft--;
        if (chosen.refuses(pooled)) continue;
        if (chosen.join(pooled)) extend(at + 1, players + pooled.size, Math.max(credit, credits[order[at]]));
        chosen.leave();
      }
    };
    if (chosen.start(candidates)) extend(0, tickets[anchor].size, credits[anchor]);
    // Sorting the candidates counts as well.
    this.nodes += nodeBudget - nodesLeft + (tickets.length >> 2);
    if (incumbent.game)
      this.nodes += exchangeTickets(candidates, incumbent, this.#roles, this.#forbids, this.#clock);
    return incumbent.game;
  }
}

/** The places of all candidates except the anchor, by the least range of skills of a game with each. */
function nearestFirst({ tickets, anchor }: Candidates): number[] {
  const { mean } = tickets[anchor];
  const needs = tickets.map((pooled) => Math.max(Math.abs(pooled.mean - mean), pooled.high - pooled.low));
  const order = [...tickets.keys()].filter((i) => i !== anchor);
  return order.sort((a, b) => needs[a] - needs[b] || a - b);
}
