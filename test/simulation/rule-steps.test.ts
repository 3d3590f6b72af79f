import { expect, it } from 'vitest';
import { checkQueueDefinition } from '../../lib/contract/queue-definition.ts';
import {
  relaxingRules,
  stepsOfEach,
  stepsTogether,
  withMovedSteps,
} from '../../lib/simulation/rule-steps.ts';

const queue = checkQueueDefinition(
  {
    name: 'arena',
    teamSize: 5,
    imbalance: { alpha: 1, p: 1, q: 2 },
    release: { policy: 'greedy' },
    tickSeconds: 2,
    timeoutSeconds: 300,
    attributes: { level: { type: 'number' }, map: { type: 'string' } },
    rules: [
      {
        name: 'Level',
        type: 'within',
        attribute: 'level',
        max: 5,
        relax: [
          { waitSeconds: 30, max: 10 },
          { waitSeconds: 90, max: 20 },
        ],
      },
      { name: 'Map', type: 'same', attribute: 'map' },
      {
        name: 'Either',
        type: 'anyOf',
        rules: [
          { type: 'same', attribute: 'map' },
          { type: 'within', attribute: 'level', max: 2, relax: [{ waitSeconds: 60, max: 4 }] },
        ],
      },
    ],
  },
  'arena',
);

it('moves the steps of the named rules, those in anyOf too, and gives a valid definition', () => {
  const moved = checkQueueDefinition(withMovedSteps(queue, { Level: 0.5, Either: 1.5 }), 'moved');
  expect(moved.rules).toMatchObject([
    {
      relax: [
        { waitSeconds: 15, max: 10 },
        { waitSeconds: 45, max: 20 },
      ],
    },
    { name: 'Map' },
    { rules: [{}, { relax: [{ waitSeconds: 90, max: 4 }] }] },
  ]);
  expect(withMovedSteps(queue)).toEqual(queue);
});

it('moves only rules that relax: all by one factor, then one at a time from where they are', () => {
  const names = relaxingRules(queue);
  expect(names).toEqual(['Level', 'Either']);
  expect(stepsTogether(names)).toContainEqual({ Level: 0.5, Either: 0.5 });
  expect(stepsOfEach(names, { Level: 0.5, Either: 0.5 })).toContainEqual({ Level: 0.5, Either: 1 });
  expect(stepsOfEach(['Level'])).toEqual([]);
});
