import type { GamePool, GamePoolOptions } from '../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../lib/engine/types.ts';

/**
 * Inserts the tickets in their order and removes some at random. From a random ticket on, `check` runs after every insert and
 * removal. `waiting` follows the pool.
 */
export function live(
  pool: GamePool,
  waiting: Map<string, Ticket>,
  tickets: readonly Ticket[],
  random: () => number,
  check: () => void,
): void {
  const first = Math.floor(random() * (tickets.length + 1));
  tickets.forEach((ticket, i) => {
    pool.insert(ticket);
    waiting.set(ticket.ticketId, ticket);
    if (i < first) return;
    check();
    if (random() < 0.25) {
      const { ticketId } = [...waiting.values()][Math.floor(random() * waiting.size)];
      pool.remove(ticketId);
      waiting.delete(ticketId);
      check();
    }
  });
}

/** Removes the tickets of a game. */
export function release(
  pool: GamePool,
  waiting: Map<string, Ticket>,
  { ticketIds }: { readonly ticketIds: readonly string[] },
): void {
  for (const ticketId of ticketIds) {
    pool.remove(ticketId);
    waiting.delete(ticketId);
  }
}

/** @throws Error always: what is wrong, with the rules, the options of the pool and the tickets that wait */
export function failWith(
  what: string,
  rules: GameRules & GamePoolOptions & { readonly nowMs: number },
  waiting: ReadonlyMap<string, Ticket>,
): never {
  const text = JSON.stringify(rules, (_, value) => (value === Number.POSITIVE_INFINITY ? 'inf' : value));
  throw new Error(`${what}\n${text}\n${JSON.stringify([...waiting.values()])}`);
}
