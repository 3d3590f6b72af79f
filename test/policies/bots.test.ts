import { expect, it } from 'vitest';
import { planTick, type QueueRules } from '../../lib/policies/plan.ts';
import { sample } from '../long.ts';
import { comparePlan } from './plan-oracle.ts';

it('plans with bots, roles, parties, percentiles and rules make valid games, with bounds on all games of people', () => {
  const counts = { games: 0, withBots: 0, fillings: 0, proved: 0 };
  for (let seed = 1; seed <= sample(60, 3000); seed++) comparePlan(seed, counts);
  expect(counts.games).toBeGreaterThan(40);
  expect(counts.withBots).toBeGreaterThan(20);
  expect(counts.fillings).toBeGreaterThan(6);
  expect(counts.proved).toBeGreaterThan(3);
});

const rules: QueueRules = {
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 2,
  timeoutSeconds: 60,
  fill: 'bots',
};
const ticket = (ticketId: string, skill: number, level = 0) => ({
  ticketId,
  enqueuedAtMs: 0,
  players: [{ playerId: ticketId, skill, attributes: { level } }],
});

it('proves a duel against games of people, although a bot of the same skill would cost nothing', () => {
  const { matches } = planTick({ rules, tickets: [ticket('ann', 100), ticket('bob', 140)], nowMs: 60_000 });
  expect(matches).toMatchObject([
    { ticketIds: ['ann', 'bob'], imbalance: 60, lowerBound: 60, optimal: true },
  ]);
});

it('seats everybody of a game with bots, where teams may also start short', () => {
  const short: QueueRules = {
    ...rules,
    teamSize: undefined,
    teams: [{ name: 'side', size: 2, minSize: 1, count: 2 }],
    short: { afterSeconds: 0, cost: 0 },
  };
  const tickets = [ticket('ann', 100), ticket('bob', 100), ticket('cy', 900)];
  const { matches } = planTick({ rules: short, tickets, nowMs: 60_000 });
  expect(matches.map(({ ticketIds }) => ticketIds)).toEqual([['ann', 'bob', 'cy']]);
  expect(matches[0]!.teams.flatMap((team) => team.map(({ playerId }) => playerId)).sort()).toEqual([
    'ann',
    'bob',
    'bot~1',
    'cy',
  ]);
});

it('relaxes the rules of a game with bots as those of its people', () => {
  const relaxing: QueueRules = {
    ...rules,
    teamSize: 2,
    attributes: { level: { type: 'number' } },
    rules: [
      { name: 'near', type: 'within', attribute: 'level', max: 1, relax: [{ waitSeconds: 30, max: 50 }] },
    ],
  };
  const tickets = [ticket('ann', 100), ticket('bob', 100, 40)];
  const { matches } = planTick({ rules: relaxing, tickets, nowMs: 60_000 });
  expect(matches.map(({ ticketIds }) => ticketIds)).toEqual([['ann', 'bob']]);
});
