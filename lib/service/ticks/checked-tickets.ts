import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Ticket } from '../../engine/types.ts';
import { type StoredTicket, toEngineTicket } from '../domain/stored-ticket.ts';
import { misfits } from '../tickets/misfits.ts';

/** A waiting ticket as a tick needs it. */
export interface CheckedTicket {
  readonly ticket: Ticket;
  /** Why the ticket can no longer play in its queue; undefined when it can. */
  readonly misfit: string | undefined;
}

/** The maximum of queues whose checks are kept. Tickets of further queues are checked again. */
const QUEUES_MAX = 16;

/**
 * The tickets that a function has checked against the definition of their queue, and converted for the engine.
 *
 * A result is used again only for the same object, and while the queue's definition and its variants have the same text. The result depends on
 * nothing else, so a function without kept results finds the same. A result is dropped with its ticket.
 */
export class CheckedTickets {
  /** By the name of the queue, the one served last at the end. */
  readonly #queues = new Map<string, CheckedQueue>();

  /** Checks tickets of a queue with this definition, and with these variants of an experiment. */
  of(
    definition: QueueDefinition,
    variants: readonly QueueDefinition[] = [],
  ): (stored: StoredTicket) => CheckedTicket {
    const tickets = this.#ticketsOf(definition, variants);
    return (stored) => {
      let checked = tickets.get(stored);
      if (checked === undefined) {
        checked = check(stored, definition, variants);
        tickets.set(stored, checked);
      }
      return checked;
    };
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
