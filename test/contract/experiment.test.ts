import { describe, expect, it } from 'vitest';
import { checkExperiment, scheduleOf } from '../../lib/contract/experiment.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { definition } from '../definition.ts';

const queue = definition({
  name: 'arena',
  teamSize: 5,
  beta: 2,
  release: { policy: 'option-value', waitCost: 2 },
  tickSeconds: 2,
  timeoutSeconds: 300,
});
const experiment = {
  name: 'wider',
  variants: [
    { name: 'today', changes: {} },
    { name: 'wider', changes: { release: { policy: 'greedy' }, beta: null } },
  ],
  blockMinutes: 20,
  days: 7,
};

/** What a rejection says, as pointers with details. */
function rejection(value: unknown): string[] {
  try {
    checkExperiment(value, queue, 'experiment.json');
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
    throw error;
  }
  return [];
}

describe('an experiment', () => {
  it('has the definition of each variant', () => {
    const { definitions } = checkExperiment(experiment, queue, 'experiment.json');
    expect(definitions[0]).toEqual(queue);
    const { beta: _, ...rest } = queue;
    expect(definitions[1]).toEqual({ ...rest, release: { policy: 'greedy' } });
  });

  it('burns in for the time-out of the queue, at most a quarter of a block', () => {
    const of = (changes: object, timeoutSeconds = 300) =>
      scheduleOf(
        checkExperiment({ ...experiment, ...changes }, queue, '').experiment,
        { timeoutSeconds },
        { seed: 1, startMs: 5 },
      );
    expect(of({})).toEqual({
      seed: 1,
      startMs: 5,
      blockMs: 1200_000,
      burnInMs: 300_000,
      variants: 2,
      rounds: 252,
    });
    expect(of({ burnInMinutes: 'auto' }, 900).burnInMs).toBe(300_000);
    expect(of({ burnInMinutes: 0 }).burnInMs).toBe(0);
    // Only whole rounds: 50 minutes are one of 40.
    expect(of({ days: 50 / 1440 }).rounds).toBe(1);
  });

  it.each([
    [
      'a change of what waiting tickets were checked against',
      { variants: [experiment.variants[0], { name: 'b', changes: { teamSize: 4 } }] },
      '#/variants/1/changes/teamSize',
    ],
    [
      'a variant that is no definition of a queue',
      {
        variants: [experiment.variants[0], { name: 'b', changes: { imbalance: { alpha: -1, p: 1, q: 2 } } }],
      },
      '#/variants/1/changes/imbalance/alpha: Expected a number above 0, got -1',
    ],
    [
      'a variant without what a queue needs',
      { variants: [experiment.variants[0], { name: 'b', changes: { release: null } }] },
      '#/variants/1/changes/release',
    ],
    [
      'variants that are equal',
      { variants: [experiment.variants[0], { name: 'b', changes: { beta: 2 } }] },
      '#/variants/1/changes: Expected a variant that differs from the others, got the same definition as that of "today"',
    ],
    [
      'two variants with one name',
      { variants: [experiment.variants[0], { ...experiment.variants[1], name: 'today' }] },
      '#/variants: Expected variants with distinct names',
    ],
    ['one variant', { variants: experiment.variants.slice(1) }, '#/variants'],
    [
      'blocks that are all burn-in',
      { burnInMinutes: 10 },
      '#/burnInMinutes: Expected less than half of blockMinutes (20), got 10: no ticket would count',
    ],
    [
      'a first rule of type latency, because waiting tickets have no latencies',
      {
        variants: [
          experiment.variants[0],
          { name: 'b', changes: { rules: [{ name: 'near', type: 'latency', max: 80 }] } },
        ],
      },
      '#/variants/1/changes/rules: Expected no rule of type latency, because the queue has none',
    ],
    [
      'a rule of type recent, because the meetings of waiting tickets were not read',
      {
        variants: [
          experiment.variants[0],
          { name: 'b', changes: { rules: [{ name: 'apart', type: 'recent', seconds: 600 }] } },
        ],
      },
      '#/variants/1/changes/rules: Expected rules of type recent with the longest `seconds` of the queue (it has no such rule)',
    ],
    ['blocks of some ticks', { blockMinutes: 1 }, '#/blockMinutes'],
    [
      'more blocks than a read of the results takes',
      { blockMinutes: 5, days: 8 },
      '#/days: Expected at most 2200 blocks, got 2304: set fewer days or longer blocks',
    ],
    [
      'less than a round',
      { days: 0.01 },
      '#/days: Expected at least a round of one block for each variant (40 minutes), got 14.4 minutes',
    ],
    ['an unknown key', { weeks: 1 }, '#/weeks'],
    ['nothing', { name: undefined }, '#/name'],
  ])('is rejected with %s', (_, changes, message) => {
    expect(rejection({ ...experiment, ...changes }).join('\n')).toContain(message);
  });
});
