import { expect, it } from 'vitest';
import {
  planGames,
  planTick,
  type QueueRules,
  type TickInput,
  type TickPlan,
} from '../../lib/policies/plan.ts';

const rules: QueueRules = {
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 1,
  timeoutSeconds: 60,
};
const tickets = Array.from({ length: 20 }, (_, i) => ({
  ticketId: `t${i}`,
  enqueuedAtMs: 0,
  players: [{ playerId: `p${i}`, skill: 100 * i }],
}));
/** The plan of a tick whose time is over as soon as it has released so many games. */
function planFor(games: number, input: Omit<TickInput, 'outOfTime'>): TickPlan {
  let released = 0;
  const plan = planGames({ ...input, outOfTime: () => released >= games });
  let step = plan.next();
  for (; !step.done; step = plan.next()) released++;
  return step.value;
}

it('a tick that runs out of time returns the games made so far and leaves the other tickets waiting', () => {
  const plan = planFor(3, { rules, tickets, nowMs: 1_000 });
  expect(plan.matches).toHaveLength(3);
  expect(plan.waiting).toHaveLength(14);
});

it('a tick that runs out of time leaves overdue tickets waiting, so that the next tick fills their games with bots', () => {
  const late = { ...rules, fill: 'bots' as const };
  const plan = planFor(0, { rules: late, tickets, nowMs: 90_000 });
  expect(plan).toMatchObject({ matches: [], timedOut: [] });
  expect(plan.waiting).toHaveLength(20);
});

it('a plan made game by game is the plan made at once', () => {
  const input = { rules, tickets, nowMs: 1_000 };
  const games = planGames(input);
  const yielded = [];
  let step = games.next();
  for (; !step.done; step = games.next()) yielded.push(step.value);
  expect(step.value).toEqual(planTick(input));
  expect(yielded).toEqual(step.value.matches);
});

it('a game is known before the rest of the pool is searched', () => {
  const asksOf = (games: number) => {
    let asked = 0;
    const outOfTime = () => {
      asked++;
      return false;
    };
    const plan = planGames({ rules, tickets, nowMs: 1_000, outOfTime });
    for (let game = 0; game < games; game++) plan.next();
    return asked;
  };
  expect(5 * asksOf(1)).toBeLessThan(asksOf(10));
});
