import { expect, it } from 'vitest';
import { teamsOf } from '../../../lib/engine/model/division.ts';
import { imbalance } from '../../../lib/engine/model/imbalance.ts';
import { type PooledTicket, poolPlayer } from '../../../lib/engine/model/pooled-ticket.ts';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import { SoloExchanges } from '../../../lib/engine/search/solo-exchanges.ts';
import type { GameRules } from '../../../lib/engine/types.ts';
import { normal, seeded } from '../random-pool.ts';

it('exchanges make only playable games with the reported imbalance, never worse than the start', () => {
  const random = seeded(32);
  let improved = 0;
  for (let round = 0; round < 200; round++) {
    const rules: GameRules = {
      teamSize: 3,
      alpha: 1,
      p: [1, 2, Number.POSITIVE_INFINITY][round % 3],
      q: [1, 2, Number.POSITIVE_INFINITY][Math.floor(3 * random())],
      beta: 0,
      roles: { damage: 2, tank: 1 },
    };
    const roles = RoleTable.of(rules)!;
    const player = (i: number, mask: number) => poolPlayer(`t${i}`, 1500 + 50 * normal(random), mask);
    const basis = [1, 1, 1, 1, 2, 2].map((mask, i) => player(i, mask));
    const others = Array.from({ length: 12 }, (_, i) => player(6 + i, 1 + Math.floor(3 * random())));
    const enemies = (a: { ticketId: string }, b: { ticketId: string }) =>
      Math.abs(Number(a.ticketId.slice(1)) - Number(b.ticketId.slice(1))) === 1;
    const forbids =
      round % 2 === 0
        ? undefined
        : (a: { ticketId: string }, b: { ticketId: string }) => (enemies(a, b) ? 'neighbours' : undefined);
    const search = new SoloExchanges(rules, roles, forbids);
    if (!search.search(basis, others)) {
      expect(forbids).toBeDefined();
      continue;
    }
    const { members, division } = search;
    const [x, y] = teamsOf(members, division);
    expect(new Set(members).size).toBe(6);
    for (const each of [x, y]) {
      expect(each.length).toBe(3);
      expect(roles.canSeatTeam(each.map(({ masks }) => masks[0]))).toBe(true);
    }
    const skills = (of: readonly PooledTicket[]) => of.map(({ mean }) => mean);
    expect(search.imbalance).toBeCloseTo(imbalance([skills(x), skills(y)], rules).imbalance, 9);
    if (forbids) {
      expect(members.some((a) => members.some((b) => enemies(a.ticket, b.ticket)))).toBe(false);
      continue;
    }
    const start = new SoloExchanges(rules, roles, undefined);
    start.search(basis, []);
    expect(search.imbalance).toBeLessThanOrEqual(start.imbalance);
    if (search.imbalance < start.imbalance) improved++;
  }
  expect(improved).toBeGreaterThan(50);
});
