import { expect, it } from 'vitest';
import { relaxableRules, relaxedRules } from '../../lib/rules/relaxed-rules.ts';
import type { Rule, RulesDefinition } from '../../lib/rules/rule-types.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';

const relax = [{ waitSeconds: 10, max: 50 }];
const level: Rule = { name: 'Level', type: 'within', attribute: 'level', max: 5, relax };
const rulesOf = (...rules: Rule[]): RulesDefinition => ({ attributes: { level: { type: 'number' } }, rules });

const ticket = (ticketId: string, changes: Partial<RuledPlayer> = {}) => ({
  ticketId,
  players: [{ playerId: `${ticketId}.p`, skill: 1500, ...changes }],
});
const gameOf = (...teams: string[][]) => ({
  teams: teams.map((ids) => ids.map((ticketId) => ({ ticketId, playerId: `${ticketId}.p` }))),
});

it('a rule has relaxed when the game breaks it as written', () => {
  const near = [ticket('a', { attributes: { level: 1 } }), ticket('b', { attributes: { level: 6 } })];
  const far = [ticket('a', { attributes: { level: 1 } }), ticket('b', { attributes: { level: 7 } })];
  expect(relaxedRules(rulesOf(level), gameOf(['a'], ['b']), near, 0)).toEqual([]);
  expect(relaxedRules(rulesOf(level), gameOf(['a'], ['b']), far, 0)).toEqual(['Level']);
});

it('a rule of one kind of team looks at the teams of this kind', () => {
  const healers: Rule = {
    name: 'Veterans',
    type: 'count',
    attribute: 'level',
    value: 9,
    atLeast: 1,
    team: 'hunters',
    relax: [{ waitSeconds: 5, atLeast: 0 }],
  };
  const definition = { ...rulesOf(healers), teams: [{ name: 'prey', count: 2 }, { name: 'hunters' }] };
  const tickets = [9, 1, 9].map((own, i) => ticket(`t${i}`, { attributes: { level: own } }));
  expect(relaxedRules(definition, gameOf(['t0'], ['t1'], ['t2']), tickets, 0)).toEqual([]);
  expect(relaxedRules(definition, gameOf(['t0'], ['t2'], ['t1']), tickets, 0)).toEqual(['Veterans']);
});

it('players who met break a recent rule until its seconds are over', () => {
  const recent: Rule = {
    name: 'Rematch',
    type: 'recent',
    seconds: 600,
    relax: [{ waitSeconds: 60, seconds: 60 }],
  };
  const tickets = [ticket('a', { met: [['b.p', 0]] }), ticket('b')];
  expect(relaxedRules(rulesOf(recent), gameOf(['a'], ['b']), tickets, 300_000)).toEqual(['Rematch']);
  expect(relaxedRules(rulesOf(recent), gameOf(['a'], ['b']), tickets, 600_000)).toEqual([]);
});

it('rules that only cost, and rules without steps, cannot relax', () => {
  const { relax: _, ...strict } = level as Rule & { relax: unknown };
  const costly: Rule = { name: 'Mixed', type: 'same', attribute: 'level', cost: 3 };
  expect(relaxableRules(rulesOf(strict as Rule, costly, level))).toEqual([level]);
});
