import type { StoredTicket } from '../service/domain/stored-ticket.ts';

/** The default limit: a tick reads at most 20,000 tickets, and parties of five take about 2 KB each. */
const TICKETS_MAX = 40_000;

/**
 * The default limit of the characters in their items. A parsed ticket takes two to three times as many bytes with its item: 160
 * MB of the function's 1,769, even if each ticket has its maximum of 64 KB.
 */
const LETTERS_MAX = 64_000_000;

/**
 * Caches the tickets that a function has parsed from the index of the pool. A ticket that is still waiting has the same item at
 * the next tick, and need not be parsed again.
 *
 * The index is still read at every tick. A parsed ticket is used only for an item that is equal in every attribute, so a ticket
 * that left and returned, or that another version of Muster has written, is parsed again. Parsing depends on the item and the
 * queue alone, so an empty cache gives the same results.
 *
 * There are two generations. When the younger one reaches half of a limit, the older one is dropped. So tickets that were not
 * read for long are forgotten, and a function that serves many queues keeps those that it served last.
 */
export class ParsedTickets {
  readonly #generationMax: number;
  readonly #lettersMax: number;
  #young = new Map<string, Parsed>();
  #old = new Map<string, Parsed>();

  /** The characters in the items of the young generation. */
  #letters = 0;

  /**
   * @param ticketsMax the maximum of cached tickets, 2 or more
   * @param lettersMax the maximum of characters in their items, exceeded by at most two tickets
   */
  constructor(ticketsMax = TICKETS_MAX, lettersMax = LETTERS_MAX) {
    this.#generationMax = Math.max(1, Math.floor(ticketsMax / 2));
    this.#lettersMax = lettersMax / 2;
  }

  /** The number of cached tickets. A ticket may count twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The ticket that was parsed from this item in this queue; undefined when the item is new or has changed. */
  get(item: Item, queue: string): StoredTicket | undefined {
    const ticketId = item.ticketId as string;
    const young = this.#young.get(ticketId);
    const parsed = young ?? this.#old.get(ticketId);
    if (parsed === undefined || parsed.ticket.queue !== queue || !isSame(parsed.item, item)) return undefined;
    if (young === undefined) this.#keep(ticketId, parsed);
    return parsed.ticket;
  }

  /** Caches the ticket that was parsed from an item. Neither may be changed afterwards. */
  set(item: Item, ticket: StoredTicket): void {
    this.#keep(ticket.ticketId, { item, ticket });
  }

  #keep(ticketId: string, parsed: Parsed): void {
    if (this.#young.size >= this.#generationMax || this.#letters >= this.#lettersMax) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#letters = 0;
    }
    this.#young.set(ticketId, parsed);
    this.#letters += lettersOf(parsed.item);
  }
}

type Item = Readonly<Record<string, unknown>>;

interface Parsed {
  readonly item: Item;
  readonly ticket: StoredTicket;
}

/** The number of characters in an item. */
function lettersOf(item: Item): number {
  let letters = 0;
  for (const name in item) {
    const value = item[name];
    if (typeof value === 'string') letters += value.length;
  }
  return letters;
}

/**
 * Whether two items have the same attributes. An item with a list or a set counts as changed; items of this version have none.
 */
function isSame(a: Item, b: Item): boolean {
  let attributes = 0;
  for (const name in a) {
    if (a[name] !== b[name]) return false;
    attributes++;
  }
  for (const _ in b) attributes--;
  return attributes === 0;
}
