import { expect, it } from 'vitest';
import { GamePool } from '../../lib/engine/game-pool.ts';
import type { Game, Ticket } from '../../lib/engine/types.ts';
import { KeptSearches } from '../../lib/policies/kept-searches.ts';
import { gameRulesOf, planTick, type QueueRules, type TickMemory } from '../../lib/policies/plan.ts';
import { poissonArrivals } from '../../lib/simulation/arrivals.ts';
import type { Population } from '../../lib/simulation/population.ts';
import { seededRandom } from '../../lib/simulation/random.ts';

const ARENA: QueueRules = {
  teamSize: 5,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'option-value', waitCost: 5 },
  tickSeconds: 1,
  timeoutSeconds: 60,
};
const RAID: QueueRules = { ...ARENA, roles: { tank: 1, healer: 1, damage: 3 } };
const SKILLS = { kind: 'normal', mean: 1500, standardDeviation: 350 } as const;
const PARTIES: Population = { skills: SKILLS, partyWeights: [75, 15, 5, 2, 3] };
const ROLES: Population = {
  skills: SKILLS,
  roleWeights: { tank: 20, healer: 25, damage: 55 },
  roleFlexibility: 0.3,
};

it('keeps a pool of exactly the tickets given, also of those that the caller has removed in between', () => {
  const tickets = [1, 2, 50].map(
    (skill): Ticket => ({
      ticketId: `t${skill}`,
      enqueuedAtMs: 0,
      players: [{ playerId: `p${skill}`, skill }],
    }),
  );
  const kept = new KeptSearches();
  const make = () => new GamePool({ ...gameRulesOf(ARENA), teamSize: 1 });
  kept.all(make, tickets).remove('t1');
  expect(kept.all(make, tickets).best(0)!.ticketIds.toSorted()).toEqual(['t1', 't2']);
});

it.each<[string, QueueRules, Population]>([
  ['parties', ARENA, PARTIES],
  ['parties and β', { ...ARENA, beta: 5 }, PARTIES],
  ['roles', RAID, ROLES],
  ['roles, bots and percentiles', { ...RAID, fill: 'bots', skillScale: 'percentile' }, ROLES],
  ['the policy greedy', { ...ARENA, release: { policy: 'greedy' } }, PARTIES],
  ['the policy expanding', { ...RAID, release: { policy: 'expanding', tolerance: 60 } }, ROLES],
])('plans the same games with and without kept searches: %s', (_, rules, population) => {
  const kept = new KeptSearches();
  const arrivals = poissonArrivals(
    { population, rate: { kind: 'constant', perSecond: 5 }, players: 500 },
    seededRandom(7),
  );
  let waiting: Ticket[] = [];
  let memory: TickMemory | undefined;
  let games = 0;
  let next = arrivals.next();
  for (let nowMs = 1000; next.done !== true; nowMs += 1000) {
    while (next.done !== true && next.value.ticket.enqueuedAtMs <= nowMs) {
      waiting.push(next.value.ticket);
      next = arrivals.next();
    }
    // Somebody cancels between two ticks.
    if (nowMs % 7000 === 0) waiting.splice(waiting.length >> 1, 1);
    const input = { rules, tickets: waiting, nowMs, memory, reasons: false };
    const alone = planTick(input);
    const plan = planTick({ ...input, kept });
    expect(plan.matches.map(withoutBound)).toEqual(alone.matches.map(withoutBound));
    expect({ ...plan, matches: [] }).toEqual({ ...alone, matches: [] });
    if (rules.skillScale !== 'percentile') expectBounds(plan.matches, waiting, rules, nowMs);
    games += plan.matches.length;
    const left = new Set(plan.waiting.map(({ ticketId }) => ticketId));
    waiting = waiting.filter(({ ticketId }) => left.has(ticketId));
    memory = plan.memory;
  }
  expect(games).toBeGreaterThan(20);
});

function withoutBound({ lowerBound: _, optimal: __, ...game }: Game): object {
  return game;
}

/** The first bound of a tick holds for the best game of all waiting tickets. */
function expectBounds(
  [game]: readonly Game[],
  waiting: readonly Ticket[],
  rules: QueueRules,
  nowMs: number,
): void {
  if (game === undefined) return;
  const pool = new GamePool(gameRulesOf(rules), { nodeBudget: 20_000 });
  for (const ticket of waiting) pool.insert(ticket);
  expect(game.lowerBound).toBeLessThanOrEqual(pool.best(nowMs)!.priority + 1e-9);
}
