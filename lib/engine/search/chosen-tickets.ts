import { mayMeet } from '../model/forbids.ts';
import { type GameShape, shapeOf } from '../model/game-shape.ts';
import { fitsMix, mixesOf } from '../model/party-mixes.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import { RoleSeating } from '../model/role-seating.ts';
import type { RoleTable } from '../model/roles.ts';
import type { Forbids, GameRules } from '../types.ts';

/** The scope of a search: games of one ticket, the anchor, with others of these candidates. */
export interface Candidates {
  /** In ascending or descending order of mean skill, the anchor among them. */
  readonly tickets: readonly PooledTicket[];
  /** The anchor's place. */
  readonly anchor: number;
  /** For each candidate, the amount ≥ 0 by which its wait lowers the cost of a game with it. */
  readonly credits: ArrayLike<number>;
}

/**
 * The tickets that a search has chosen for a game. It reports which tickets may join them, by party sizes, roles and
 * refused pairs. The anchor is chosen first.
 */
export class ChosenTickets {
  /** In the order in which they were chosen. */
  readonly tickets: PooledTicket[] = [];
  /** The seats taken by their players. */
  readonly seating: RoleSeating;

  readonly #shape: GameShape;
  readonly #forbids: Forbids | undefined;
  /** The union of the full role sets before each of the tickets joined. */
  readonly #fullBefore: number[] = [];
  /** The tickets by size, and the party mixes that the candidates can form; not kept when all are solo players. */
  readonly #sizes: Uint8Array;
  #mixes: readonly Uint8Array[] = [];
  #hasParties = false;

  constructor(rules: GameRules, roles: RoleTable | undefined, forbids: Forbids | undefined) {
    this.#shape = shapeOf(rules);
    this.#forbids = forbids;
    this.seating = new RoleSeating(roles);
    this.#sizes = new Uint8Array(rules.teamSize + 1);
  }

  /** Clears the choice and chooses the anchor. Returns whether it can be seated. */
  start({ tickets, anchor }: Candidates): boolean {
    const available = new Uint32Array(this.#sizes.length);
    for (const { size } of tickets) available[size]++;
    this.#hasParties = available[1] < tickets.length;
    if (this.#hasParties) this.#mixes = mixesOf(available, tickets[anchor].size, this.#shape);
    this.#sizes.fill(0);
    this.#fullBefore.length = 0;
    this.tickets.length = 0;
    this.seating.clear();
    return this.join(tickets[anchor]);
  }

  /** Whether the chosen tickets plus one party of this size can still be completed to full teams. */
  fitsSize(size: number): boolean {
    if (!this.#hasParties) return true;
    this.#sizes[size]++;
    const fits = fitsMix(this.#sizes, this.#mixes);
    this.#sizes[size]--;
    return fits;
  }

  /** Whether one of the chosen tickets is refused with this ticket. */
  refuses(pooled: PooledTicket): boolean {
    return !mayMeet(pooled, this.tickets, this.#forbids);
  }

  /** Chooses the ticket. Returns whether all chosen can still be seated; if not, call `leave` next. */
  join(pooled: PooledTicket): boolean {
    this.tickets.push(pooled);
    this.#sizes[pooled.size]++;
    this.#fullBefore.push(this.seating.full);
    return this.seating.joinAll(pooled.masks);
  }

  /** Removes the ticket that was chosen last. */
  leave(): void {
    const pooled = this.tickets.pop()!;
    this.#sizes[pooled.size]--;
    this.seating.leave(pooled.masks, this.#fullBefore.pop()!);
  }
}
