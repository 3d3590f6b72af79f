import { describe, expect, it } from 'vitest';
import { type ExperimentResult, experimentText } from '../../lib/cli/simulate-experiment.ts';
import { checkExperiment, scheduleOf } from '../../lib/contract/experiment.ts';
import { compare, endedOf, meanOver } from '../../lib/experiments/block-totals.ts';
import { findingOf } from '../../lib/experiments/words.ts';
import { partOf, playAlone, playExperiment } from '../../lib/simulation/experiment.ts';
import { generatedTraffic } from '../../lib/simulation/traffic.ts';
import { definition } from '../definition.ts';

const queue = definition({
  release: { policy: 'expanding', tolerance: 50, growthPerSecond: 5 },
  tickSeconds: 10,
  timeoutSeconds: 120,
});
const { experiment, definitions } = checkExperiment(
  {
    name: 'wider',
    variants: [
      { name: 'today', changes: {} },
      { name: 'wider', changes: { release: { policy: 'expanding', tolerance: 50, growthPerSecond: 20 } } },
    ],
    blockMinutes: 15,
    days: 0.25,
  },
  queue,
  'experiment.json',
);
const schedule = scheduleOf(experiment, queue, { seed: 3, startMs: 0 });
const traffic = generatedTraffic(
  {
    population: { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } },
    rate: { kind: 'day', night: 0.1, peak: 0.3 },
    players: 4500,
  },
  3,
);

describe('an experiment on simulated traffic', () => {
  const { steps, result } = playExperiment(definitions, schedule, traffic);
  for (const _ of steps);
  const { counted, burntIn } = result();
  const alone = definitions.map((definition) => playAlone(definition, schedule, traffic));

  it('finds a shorter wait for more imbalance, with intervals that contain what each variant does alone', () => {
    for (const measure of ['waitSeconds', 'imbalance'] as const) {
      const effect = compare(schedule, counted, 1, measure)!;
      const difference = meanOver(alone[1].values(), measure) - meanOver(alone[0].values(), measure);
      expect(effect.low).toBeLessThan(difference);
      expect(effect.high).toBeGreaterThan(difference);
      expect(effect.pValue).toBeLessThan(0.01);
      expect(Math.sign(effect.difference)).toBe(measure === 'waitSeconds' ? -1 : 1);
      expect(effect.rounds).toBe(12);
    }
  });

  it('counts each player once: within a block, or in its burn-in', () => {
    const sum = (blocks: ReturnType<typeof playAlone>) =>
      [...blocks.values()].reduce((players, block) => players + endedOf(block), 0);
    const players = sum(counted) + sum(burntIn.beginning) + sum(burntIn.end);
    // Those who arrive after the last block belong to none.
    expect(Math.abs(players - sum(alone[0]))).toBeLessThan(20);
    // Two minutes of fifteen at each end: 13 %.
    for (const edge of [burntIn.beginning, burntIn.end]) {
      expect(sum(edge) / players).toBeGreaterThan(0.11);
      expect(sum(edge) / players).toBeLessThan(0.16);
    }
  });

  it('says so in words', () => {
    const effect = compare(schedule, counted, 1, 'waitSeconds')!;
    const { verdict, text } = findingOf('waitSeconds', 'wider', effect, 2 * schedule.blockMs, true);
    expect(verdict).toBe('real');
    expect(text).toMatch(
      /^"wider" changes the mean wait by -[\d.]+ s \(95 % interval -[\d.]+ s to -[\d.]+ s\): this is not by chance\.$/,
    );
    // Otherwise a daily look would call most differences real before the end.
    const early = findingOf('waitSeconds', 'wider', effect, 2 * schedule.blockMs, false);
    expect(early).toMatchObject({
      verdict: 'unclear',
      text: expect.stringMatching(/: this may be chance\. The experiment has not run to its end, /),
    });
  });

  it('gives a share in percentage points, also beside what each variant does alone', () => {
    const text = 'the sentence.';
    const line = experimentText({
      queue: 'duel',
      experiment: 'wider',
      seed: 1,
      interrupted: false,
      blockMinutes: 20,
      burnInMinutes: 2,
      rounds: 6,
      players: { counted: 100, burntIn: 20 },
      variants: [
        {
          name: 'wider',
          measures: {
            waitSeconds: { text, alone: -1.2345, splitPlayers: 2 },
            timedOut: { text, alone: -0.0281, splitPlayers: Number.NaN },
          } as unknown as ExperimentResult['variants'][number]['measures'],
        },
      ],
    });
    expect(line).toContain('Each variant alone: -1.23 s; players split: 2 s.');
    expect(line).toContain('Each variant alone: -2.81 percentage points; players split: –.');
  });

  it('shows a split of players wrong: a thinner pool makes both wait longer', () => {
    const halves = definitions.map((definition, at) =>
      playAlone(definition, schedule, partOf(traffic, at, 2, 3)),
    );
    const wait = (blocks: ReturnType<typeof playAlone>) => meanOver(blocks.values(), 'waitSeconds');
    expect(wait(halves[0])).toBeGreaterThan(1.2 * wait(alone[0]));
    expect(wait(halves[1])).toBeGreaterThan(1.2 * wait(alone[1]));
  });
});
