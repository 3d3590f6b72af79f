import { describe, expect, it } from 'vitest';
import { GamePool, PreparedTickets } from '../../../lib/engine/game-pool.ts';
import { poolTicket } from '../../../lib/engine/model/pooled-ticket.ts';
import type { GameRules, Ticket } from '../../../lib/engine/types.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';

const RULES: GameRules = { teamSize: 3, alpha: 1, p: 1, q: 2, beta: 0, roles: { tank: 1, damage: 2 } };
const random = seededRandom(5);

function ticketOf(ticketId: string, size: number, split = false): Ticket {
  const players = Array.from({ length: size }, (_, i) => ({
    playerId: `${ticketId}.${i}`,
    skill: random.integer(400),
    ...(size === 1 && { roles: [random.uniform() < 0.4 ? 'tank' : 'damage'] }),
  }));
  return { ticketId, enqueuedAtMs: random.integer(9000), players, ...(split && { split: true }) };
}

describe('prepared tickets', () => {
  it('are prepared once, and again for another object with the same id', () => {
    const prepared = new PreparedTickets();
    const ann = ticketOf('ann', 2);
    let times = 0;
    const prepare = (ticket: Ticket) => {
      times++;
      return poolTicket(ticket, 3);
    };
    expect(prepared.of(ann, prepare)).toBe(prepared.of(ann, prepare));
    expect(times).toBe(1);
    expect(prepared.of({ ...ann, enqueuedAtMs: 1 }, prepare).ticket.enqueuedAtMs).toBe(1);
    expect(times).toBe(2);
  });

  it('are at most half as many more as those that still wait', () => {
    const prepared = new PreparedTickets();
    const prepare = (ticket: Ticket) => poolTicket(ticket, 3);
    const tickets = Array.from({ length: 30 }, (_, i) => ticketOf(`t${i}`, 1));
    for (const ticket of tickets) prepared.of(ticket, prepare);
    const first = prepared.of(tickets[0]!, prepare);
    prepared.keepOnly(tickets.slice(0, 20));
    expect(prepared.size).toBe(30);
    prepared.keepOnly(tickets.slice(0, 10));
    expect(prepared.size).toBe(10);
    expect(prepared.of(tickets[0]!, prepare)).toBe(first);
  });

  it('give the same games as tickets that each pool prepares, also where a split party changes the form of a pool', () => {
    const prepared = new PreparedTickets();
    const whole = Array.from({ length: 14 }, (_, i) => ticketOf(`t${i}`, 1 + (i % 3)));
    const split = ticketOf('split', 3, true);
    for (const tickets of [whole, [...whole, split], [split, ...whole], whole.slice(3), whole]) {
      const pools = [new GamePool(RULES, { prepared }), new GamePool(RULES)];
      for (const pool of pools) for (const ticket of tickets) pool.insert(ticket);
      const [shared, alone] = pools.map((pool) => [...pool.drain(10_000)]);
      expect(shared!.length).toBeGreaterThan(0);
      expect(shared).toEqual(alone);
    }
  });

  it('are not kept of a ticket that fits no team, which is refused each time', () => {
    const prepared = new PreparedTickets();
    for (let i = 0; i < 2; i++)
      expect(() => new GamePool(RULES, { prepared }).insert(ticketOf('large', 4))).toThrow(RangeError);
    expect(prepared.size).toBe(0);
  });
});
