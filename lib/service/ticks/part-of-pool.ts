import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { seatsOf } from '../../contract/team-kinds.ts';
import { Preparation } from '../../rules/preparation.ts';
import type { RuledPlayer } from '../../rules/types.ts';

/** A part has the players of so many matches at least, whatever their work: fewer may have none. */
const MATCHES_MIN = 2;

/**
 * The part of a pool that one tick searches: as many tickets as it can prepare, because a search that has not begun cannot be cut
 * short.
 */
export class PartOfPool {
  readonly #preparation: Preparation;
  readonly #workMax: number;
  readonly #playersMin: number;
  #players = 0;
  #work = 0;
  #isFull = false;

  /** @param workMax the maximum of work, in the units of `Preparation` */
  constructor(definition: QueueDefinition, workMax: number) {
    this.#preparation = new Preparation(definition);
    this.#workMax = workMax;
    this.#playersMin = MATCHES_MIN * seatsOf(definition);
  }

  /** The work of preparing the tickets that it takes, in the units of `Preparation`. */
  get work(): number {
    return this.#work;
  }

  /** Whether it takes the next ticket. After the first that it does not take, it takes none. */
  takes(ticket: { readonly players: readonly RuledPlayer[] }): boolean {
    if (this.#isFull) return false;
    const work = this.#preparation.add(ticket);
    this.#isFull = work > this.#workMax && this.#players >= this.#playersMin;
    if (this.#isFull) return false;
    this.#players += ticket.players.length;
    this.#work = work;
    return true;
  }
}
