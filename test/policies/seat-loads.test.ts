import { expect, it } from 'vitest';
import { seatLoads } from '../../lib/policies/option-value/seat-loads.ts';

const ROLES = ['tank', 'healer', 'damage'];

/** Tickets one unit of skill apart. `tank|damage` accepts both, `tank,damage` is a party of two. */
function loadsOf(...tickets: string[]): number[] {
  const masks = tickets.map((players) =>
    players
      .split(',')
      .map((roles) =>
        ROLES.reduce((mask, role, bit) => mask | (roles.split('|').includes(role) ? 1 << bit : 0), 0),
      ),
  );
  return [...seatLoads(Float64Array.from(tickets.keys()), [2, 2, 6], (place) => masks[place])];
}
const times = (count: number, ticket: string) => Array<string>(count).fill(ticket);
const near = (expected: readonly number[]) => expected.map((load) => expect.closeTo(load, 9));

it('is 1 for the players of one game, whichever roles they accept', () => {
  const game = [...times(2, 'tank'), ...times(2, 'healer|damage'), 'damage|tank', ...times(5, 'damage')];
  expect(loadsOf(...game)).toEqual(near(times(10, '').map(() => 1)));
});

it('is above 1 for a role that too many of the neighbours play, and below 1 for the others', () => {
  const loads = loadsOf('tank', 'healer', ...times(8, 'damage'));
  expect(loads).toEqual(near([0.5, 0.5, ...times(8, '').map(() => 8 / 6)]));
});

it('is that of the least crowded role for a player who accepts several', () => {
  const loads = loadsOf('tank|damage', 'tank', 'healer', 'healer', ...times(6, 'damage'));
  expect(loads).toEqual(near(times(10, '').map(() => 1)));
  expect(loadsOf('tank|damage', 'healer', ...times(8, 'damage'))[0]).toBeCloseTo(0.5, 9);
});

it('counts only the nearest players, as many as a game has', () => {
  const loads = loadsOf(...times(30, 'damage'), ...times(30, 'tank'));
  expect(loads[0]).toBeCloseTo(10 / 6, 9);
  expect(loads[59]).toBeCloseTo(5, 9);
});

it('is the mean of its players for a party', () => {
  const loads = loadsOf('tank,damage', 'healer', ...times(7, 'damage'));
  expect(loads[0]).toBeCloseTo((0.5 + 8 / 6) / 2, 9);
});

it('is 1 for a player who accepts none of the roles', () => {
  expect(loadsOf('dragon', ...times(9, 'damage'))[0]).toBe(1);
});
