import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';
import type { FormingMatch } from '../ports/match-store.ts';
import type { RangeStore } from '../ports/range-store.ts';

/** The maximum of tickets in a page. With the longest ids they take half of the maximum of an item. */
const PAGE_TICKETS = 1_500;

/**
 * The matches that a tick is going to form. A tick writes a match here before it claims its first ticket. So a function that
 * finds the lease of a crashed tick knows every ticket that the tick may have claimed.
 *
 * One page is written at a time, and matches that are added during a write go into the next page together. The first page waits
 * for the first games of the search. So pages have no gap, and a tick needs fewer writes than matches.
 */
export class Journal {
  readonly #ranges: Pick<RangeStore, 'putJournal'>;
  readonly #clock: Clock;
  readonly #queue: string;
  readonly #owner: string;
  #pages = 0;
  /** The outcome of the last page's write. After a failure all later pages fail. */
  #last: Promise<'stored' | 'closed'> = Promise.resolve('stored');
  /** The page that collects matches until its write starts. */
  #open: { matches: FormingMatch[]; tickets: number; written: Promise<'stored' | 'closed'> } | undefined;

  /** @param owner the owner of the tick's lease */
  constructor(deps: { ranges: Pick<RangeStore, 'putJournal'>; clock: Clock }, queue: string, owner: string) {
    this.#ranges = deps.ranges;
    this.#clock = deps.clock;
    this.#queue = queue;
    this.#owner = owner;
  }

  /**
   * Resolves when the match is stored. `closed`: another tick has settled this one, which can form no more matches.
   * @throws StoreBusy when the match may or may not be stored
   */
  add({ matchId, ticketIds }: FormingMatch): Promise<'stored' | 'closed'> {
    if (this.#open === undefined || this.#open.tickets + ticketIds.length > PAGE_TICKETS) this.#begin();
    const page = this.#open!;
    page.matches.push({ matchId, ticketIds });
    page.tickets += ticketIds.length;
    return page.written;
  }

  #begin(): void {
    const matches: FormingMatch[] = [];
    const page = this.#pages++;
    const written = this.#last
      .then((last) => turn(last))
      .then((last) => {
        if (this.#open?.matches === matches) this.#open = undefined;
        if (last === 'closed') return last;
        return this.#ranges.putJournal(this.#queue, this.#owner, page, matches, this.#clock.now());
      });
    // All callers that have added a match to the page get the failure.
    written.catch(() => {});
    this.#last = written;
    this.#open = { matches, tickets: 0, written };
  }
}
