import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Ticket } from '../../engine/types.ts';
import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import { type StoredTicket, toEngineTicket } from '../domain/stored-ticket.ts';
import { misfits } from '../tickets/misfits.ts';

/** A waiting ticket, converted for the engine and checked against its queue. */
export interface CheckedTicket {
  readonly ticket: Ticket;
  /** Why the ticket can no longer play in its queue; undefined when it can. */
  readonly misfit: string | undefined;
}

/** The maximum of queues whose checks are kept. Tickets of further queues are checked again. */
const QUEUES_MAX = 16;

/**
 * Caches the tickets that a function has checked against the definition of their queue and converted for the engine.
 *
 * A result is reused only for the same object, while the texts of the definition and of its variants are the same. It depends on
 * nothing else, so an empty cache gives the same results. It is dropped with its ticket.
 */
export class CheckedTickets {
  /** By name of the queue; the most recently used one is last. */
  readonly #queues = new Map<string, CheckedQueue>();

  /** Returns the check for tickets of a queue with this definition and these variants of an experiment. */
  of(
    definition: QueueDefinition,
    variants: readonly QueueDefinition[] = [],
  ): (stored: StoredTicket) => CheckedTicket {
    const tickets = this.#ticketsOf(definition, variants);
    return (stored) => getOrCreate(tickets, stored, () => check(stored, definition, variants));
  }

  #ticketsOf(definition: QueueDefinition, variants: readonly QueueDefinition[]): CheckedQueue['tickets'] {
    const { name } = definition;
    const text = JSON.stringify([definition, ...variants]);
    const known = this.#queues.get(name);
    const queue = known?.text === text ? known : { text, tickets: new WeakMap() };
    this.#queues.delete(name);
    this.#queues.set(name, queue);
    if (this.#queues.size > QUEUES_MAX) this.#queues.delete(this.#queues.keys().next().value!);
    return queue.tickets;
  }
}

interface CheckedQueue {
  readonly text: string;
  readonly tickets: WeakMap<StoredTicket, CheckedTicket>;
}

function check(
  stored: StoredTicket,
  definition: QueueDefinition,
  variants: readonly QueueDefinition[],
): CheckedTicket {
  const [misfit] = misfits(stored, definition, variants);
  return {
    ticket: toEngineTicket(stored, definition),
    misfit: misfit && `${misfit.pointer}: ${misfit.detail}`,
  };
}
