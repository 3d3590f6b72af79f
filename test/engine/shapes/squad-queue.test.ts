import { expect, it } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import { packingNumber } from '../../../lib/engine/model/packing-number.ts';
import { Balancer } from '../../../lib/engine/shapes/balancer.ts';
import { layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { poolShapeTicket } from '../../../lib/engine/shapes/shape-ticket.ts';
import { SizeLine } from '../../../lib/engine/shapes/size-line.ts';
import { SquadCells } from '../../../lib/engine/shapes/squad-cells.ts';
import { SquadDraft } from '../../../lib/engine/shapes/squad-draft.ts';
import { TicketLine } from '../../../lib/engine/shapes/ticket-line.ts';
import type { Ticket } from '../../../lib/engine/types.ts';
import { comparePacking } from '../packing-oracle.ts';
import { normal, seeded } from '../random-pool.ts';
import { squadCase } from '../random-shape.ts';

it('keeps as many games of squads possible as its price of lost games asks for, with valid bounds', () => {
  const random = seeded(5);
  for (let comparisons = 0; comparisons < 2500; ) {
    const lostGameCost = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1, 50][
      Math.floor(4 * random())
    ];
    comparisons += comparePacking(squadCase(random), { lostGameCost }, random);
  }
}, 60_000);

it('counts the squads of three that solo players, pairs and parties of three can form', () => {
  const most = (solos: number, pairs: number, trios: number): number => {
    let best = trios;
    for (let mixed = 0; mixed <= Math.min(solos, pairs); mixed++)
      best = Math.max(best, trios + mixed + Math.floor((solos - mixed) / 3));
    return best;
  };
  const shape = { teamSizes: [3, 3], seats: 6, seatsMin: 6 };
  for (let solos = 0; solos < 9; solos++)
    for (let pairs = 0; pairs < 6; pairs++)
      for (let trios = 0; trios < 4; trios++)
        expect(packingNumber(Uint32Array.of(0, solos, pairs, trios), shape)).toBe(
          Math.floor(most(solos, pairs, trios) / 2),
        );
});

it('matches all squads that the sizes of the waiting parties allow', () => {
  const random = seeded(9);
  const tickets = Array.from({ length: 500 }, (_, i): Ticket => {
    const u = random();
    const size = u < 0.6 ? 1 : u < 0.85 ? 2 : 3;
    const level = 1500 + 300 * normal(random);
    return {
      ticketId: `t${i}`,
      enqueuedAtMs: 0,
      players: Array.from({ length: size }, (_, p) => ({
        playerId: `t${i}.${p}`,
        skill: Math.max(0, level + 80 * normal(random)),
      })),
    };
  });
  const counts = [1, 2, 3].map((size) => tickets.filter(({ players }) => players.length === size).length);
  const squads = counts[2] + counts[1] + Math.floor((counts[0] - counts[1]) / 3);
  const drained = () => {
    const rules = { teamSize: 3, teams: 20, alpha: 1, p: 1, q: 2, beta: 0 };
    const pool = new GamePool(rules, { lostGameCost: Number.POSITIVE_INFINITY });
    for (const ticket of tickets) pool.insert(ticket);
    return [...pool.drain(0)];
  };
  const games = drained();
  expect(games).toHaveLength(Math.floor(squads / 20));
  expect(new Set(games.flatMap(({ ticketIds }) => ticketIds)).size).toBe(
    games.reduce((sum, { ticketIds }) => sum + ticketIds.length, 0),
  );
  const gaps = games.map(({ imbalance, lowerBound }) => (imbalance - lowerBound) / imbalance);
  expect(gaps.sort((a, b) => a - b)[games.length >> 1]).toBeLessThan(0.25);
  expect(drained()).toEqual(games);
});

it('makes a game after a limited search even where the team gap counts for nearly everything', () => {
  const random = seeded(9);
  const rules = { teamSize: 3, teams: 20, alpha: 1e6, p: 1, q: 2, beta: 0 };
  const layout = layoutOf(rules);
  const tickets = Array.from({ length: 600 }, (_, i) => {
    const u = random();
    const players = Array.from({ length: u < 0.6 ? 1 : u < 0.85 ? 2 : 3 }, (_, p) => ({
      playerId: `t${i}.${p}`,
      skill: Math.max(0, 1500 + 300 * normal(random)),
    }));
    return poolShapeTicket({ ticketId: `t${i}`, enqueuedAtMs: 0, players }, layout);
  });
  const line = new TicketLine(tickets);
  const counts = [0, 0, 0, 0];
  for (const { size } of tickets) counts[size]++;
  const sizes = [1, 2, 3].map((size) => new SizeLine(line, size));
  const draft = new SquadDraft(rules, layout, new Balancer(rules, undefined, undefined), sizes[0]);
  const cells = new SquadCells(line, sizes, counts, rules, layout, 0);
  for (let games = 0; games < 3; games++) {
    const before = cells.evaluations;
    const { game, bound } = cells.best((centre, slack, limit) => {
      const mix = cells.mixAt(centre, slack);
      return mix && draft.make(centre, mix, cells.nearest, counts[1], limit);
    });
    expect(cells.evaluations - before).toBeLessThan(10_000);
    expect(bound).toBeLessThanOrEqual(game!.imbalance);
    for (const member of game!.members) {
      line.remove(member);
      cells.removed(member.mean);
      counts[member.size]--;
    }
  }
});
