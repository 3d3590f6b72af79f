import { describe, expect, it } from 'vitest';
import { sortedBy } from '../../../lib/engine/collections/sort-skills.ts';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { soloSkill } from '../../../lib/engine/model/pooled-ticket.ts';
import { SoloGames, SoloPool } from '../../../lib/engine/solo/solo-pool.ts';
import type { Ticket } from '../../../lib/engine/types.ts';
import { randomCase, seeded } from '../random-pool.ts';

const byId = (a: Ticket, b: Ticket) => (a.ticketId < b.ticketId ? -1 : 1);
const sorted = (tickets: readonly Ticket[]) => sortedBy(tickets, soloSkill, byId);

describe('a pool of solo players known by their places', () => {
  it('releases the games that a pool of tickets releases, to the byte', () => {
    const random = seeded(11);
    for (let run = 0; run < 200; run++) {
      const { rules, tickets, nowMs } = randomCase(random, {
        maxPlayers: 40,
        teamSizes: [1, 2, 3, 5],
        plain: true,
      });
      const line = sorted(tickets);
      const pool = new GamePool(rules);
      const solos = new SoloPool(rules, line, nowMs);
      for (const ticket of tickets) pool.insert(ticket);
      for (let game = pool.best(nowMs); game; game = pool.best(nowMs)) {
        expect(solos.bound()).toBe(game.lowerBound);
        const best = solos.best()!;
        expect(best.game).toEqual(game);
        expect(Array.from(best.places, (place) => line[place].ticketId).sort()).toEqual(game.ticketIds);
        for (const place of best.places) solos.remove(place);
        for (const ticketId of game.ticketIds) pool.remove(ticketId);
      }
      expect(solos.best()).toBeUndefined();
    }
  });

  it('rejects a skill that the engine cannot compute with', () => {
    const ticket = { ticketId: 'a', enqueuedAtMs: 0, players: [{ playerId: 'p', skill: -1 }] };
    expect(() => new SoloPool({ teamSize: 1, alpha: 1, p: 1, q: 2, beta: 0 }, [ticket], 0)).toThrow(
      RangeError,
    );
  });
});

describe('the game of as many solo players as it has seats', () => {
  it('is the one that a pool of these tickets finds, to the byte', () => {
    const random = seeded(12);
    let made = 0;
    for (let run = 0; run < 400; run++) {
      const { rules, tickets, nowMs } = randomCase(random, {
        maxPlayers: 16,
        teamSizes: [1, 2, 3, 5, 8],
        plain: true,
      });
      const line = sorted(tickets).slice(0, shapeOf(rules).seats);
      const game = new SoloGames(rules, nowMs).of(line);
      if (game === undefined) {
        expect(rules.p).toBe(Number.POSITIVE_INFINITY);
        continue;
      }
      made++;
      const pool = new GamePool(rules);
      for (const ticket of line) pool.insert(ticket);
      expect(game).toEqual(pool.best(nowMs));
    }
    expect(made).toBeGreaterThan(200);
  });

  it('is not made of too few tickets, of a party or of tickets in another order', () => {
    const games = new SoloGames({ teamSize: 1, alpha: 1, p: 1, q: 2, beta: 0 }, 0);
    const ticket = (ticketId: string, ...skills: number[]): Ticket => ({
      ticketId,
      enqueuedAtMs: 0,
      players: skills.map((skill, i) => ({ playerId: `${ticketId}${i}`, skill })),
    });
    expect(games.of([ticket('a', 1)])).toBeUndefined();
    expect(games.of([ticket('a', 1), ticket('b', 1, 1)])).toBeUndefined();
    expect(games.of([ticket('b', 1), ticket('a', 1)])).toBeUndefined();
    expect(games.of([ticket('a', 2), ticket('b', 1)])).toBeUndefined();
    expect(games.of([ticket('a', 1), ticket('b', 2)])?.imbalance).toBe(1.5);
  });
});

describe('items sorted by their values', () => {
  it.each([40, 2000])('ascend, and equal ones are in the given order, among %d', (count) => {
    const random = seeded(count);
    const items = Array.from({ length: count }, (_, id) => ({
      id,
      value: Math.floor((count / 4) * random()),
    }));
    const expected = items.toSorted((a, b) => a.value - b.value || b.id - a.id);
    const sort = (some: typeof items) =>
      sortedBy(
        some,
        ({ value }) => value,
        (a, b) => b.id - a.id,
      );
    expect(sort(items)).toEqual(expected);
    expect(sort(expected)).toEqual(expected);
  });
});
