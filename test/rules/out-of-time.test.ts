import { expect, it } from 'vitest';
import { compileRules } from '../../lib/rules/rule-states.ts';
import type { Rule } from '../../lib/rules/rule-types.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';

const attributes = {
  mode: { type: 'string' },
  maps: { type: 'strings' },
  level: { type: 'number' },
} as const;
const rules: Rule[] = [
  { name: 'Mode', type: 'same', attribute: 'mode' },
  { name: 'Maps', type: 'common', attribute: 'maps' },
  { name: 'Level', type: 'within', attribute: 'level', max: 10 },
  { name: 'Met', type: 'recent', seconds: 60 },
  {
    name: 'Either',
    type: 'anyOf',
    rules: [
      { type: 'within', attribute: 'level', max: 1 },
      { type: 'same', attribute: 'mode' },
      { type: 'common', attribute: 'maps' },
    ],
  },
];
const tickets = [1, 2, 3, 4].map((level) => {
  const player: RuledPlayer = {
    playerId: `p${level}`,
    skill: 1500,
    attributes: { mode: 'x', maps: ['a', 'b'], level },
    avoid: ['nobody'],
  };
  return { ticketId: `t${level}`, enqueuedAtMs: 0, players: [player] };
});

/** Whether rules admit a ticket beside the first one when the time is over after so many looks; how often they look. */
function admitsAfter(looks: number) {
  let looked = 0;
  const outOfTime = () => ++looked > looks;
  const constraints = compileRules(
    { attributes, rules },
    { nowMs: 0, seats: 4, seatsMin: 4, outOfTime },
    true,
  )!();
  const [first, second] = tickets.map((ticket) => constraints.enter(ticket));
  constraints.start();
  const admitsFirst = constraints.admits(first!);
  constraints.join(first!);
  return { looked, admits: admitsFirst && constraints.admits(second!), cost: constraints.cost() };
}

it('looks at the clock before the state of each rule is prepared', () => {
  // Those of five rules, of three alternatives, and of the players who avoid others.
  expect(admitsAfter(Number.POSITIVE_INFINITY)).toEqual({ looked: 9, admits: true, cost: 0 });
});

it('admits no ticket when the time was over before all states were prepared', () => {
  // With one alternative, the last state admits what this one does.
  for (let looks = 0; looks < 7; looks++)
    expect(admitsAfter(looks), `${looks} looks`).toMatchObject({ admits: false, cost: 0 });
});
