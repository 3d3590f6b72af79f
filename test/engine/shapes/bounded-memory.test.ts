import { expect, it } from 'vitest';
import { layoutOf, poolShapeTicket, type ShapeTicket } from '../../../lib/engine/game-pool.ts';
import { Permit } from '../../../lib/engine/shapes/permit.ts';
import type { Constraints, GameRules } from '../../../lib/engine/types.ts';

const roles = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`r${i}`, 1]));
const rules: GameRules = { teamSize: 12, roles, alpha: 1, p: 1, q: 2, beta: 0 };

/** A player who accepts the roles of the bits of a number. */
function pooled(set: number): ShapeTicket {
  const accepted = Object.keys(roles).filter((_, at) => (set >> at) & 1);
  const player = { playerId: `p${set}`, skill: 1, roles: accepted };
  return poolShapeTicket({ ticketId: `t${set}`, enqueuedAtMs: 0, players: [player] }, layoutOf(rules));
}

it('shares the masks of players with the same roles, and forgets them when players choose very many sets', () => {
  const before = pooled(5).classes;
  expect(pooled(5).classes).toBe(before);
  for (let set = 1; set < 4000; set++) pooled(set);
  const after = pooled(5).classes;
  expect(after).not.toBe(before);
  expect(after).toEqual(before);
});

it('remembers which tickets may be mates, and forgets them when they are very many', () => {
  let asked = 0;
  const numbers = new Map<unknown, number>();
  const constraints = {
    judgesTeams: true,
    enter: (ticket: unknown) => numbers.get(ticket) ?? numbers.set(ticket, numbers.size).size - 1,
    nonMates: ([, b]: readonly number[]) => {
      asked++;
      return [b! % 2, 0];
    },
  } as unknown as Constraints;
  const permit = new Permit(constraints, undefined, 2);
  const tickets = Array.from({ length: 500 }, (_, i) => pooled(i + 1));
  const [a, b] = tickets as [ShapeTicket, ShapeTicket];
  const again = () => {
    const before = asked;
    expect(permit.mayBeMates(a, b)).toBe(false);
    return asked - before;
  };
  expect([again(), again()]).toEqual([1, 0]);
  for (const one of tickets) for (const other of tickets) permit.mayBeMates(one, other);
  expect(asked).toBeGreaterThan(100_000);
  expect(again()).toBe(1);
});
