import { describe, expect, it } from 'vitest';
import { LADDER_DEFAULTS } from '../../lib/contract/ladder.ts';
import { checkQueueDefinition } from '../../lib/contract/queue-definition.ts';
import { playRated, type RatedPlayOptions } from '../../lib/simulation/rated-play.ts';
import { generatedTraffic } from '../../lib/simulation/traffic.ts';
import { definition } from '../definition.ts';

const duel = definition({
  release: { policy: 'periodic', everySeconds: 10 },
  tickSeconds: 5,
  timeoutSeconds: 120,
});
const trafficOf = (players: number) =>
  generatedTraffic(
    {
      population: { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } },
      rate: { kind: 'constant', perSecond: 4 },
      players,
    },
    3,
  );

function played(options: Partial<RatedPlayOptions>, players = 6_000, definition = duel) {
  const { steps, result } = playRated(definition, trafficOf(players), {
    ladder: LADDER_DEFAULTS,
    skills: 'rated',
    community: 200,
    newcomers: 0.02,
    placement: 0,
    seed: 1,
    ...options,
  });
  for (const _ of steps);
  return result();
}

describe('players with true skills who are rated while they play', () => {
  const rated = played({});

  it('have matches of less true imbalance as their ratings settle, and never of less than with true skills', () => {
    const [first, , , later] = rated.settling;
    expect(later!.trueImbalance).toBeLessThan(0.7 * first!.trueImbalance);
    expect(later!.error).toBeLessThan(0.6 * first!.error);
    const known = played({ skills: 'true' });
    expect(known.settling[3]!.trueImbalance).toBeLessThan(later!.trueImbalance);
    // Without ratings in between there is nothing to settle.
    expect(known.settling[3]!.trueImbalance).toBeGreaterThan(0.8 * known.settling[2]!.trueImbalance);
  });

  it('are measured apart when they join later', () => {
    const [first, second, third] = rated.ofNewcomers;
    expect(rated.newcomers).toBeGreaterThan(80);
    expect(first!.count).toBeLessThanOrEqual(rated.newcomers);
    expect(first!.error).toBeGreaterThan(third!.error);
    expect(first!.count).toBeLessThan(second!.count);
  });

  it('come in the same way with the same seed', () => {
    expect(played({}, 500)).toEqual(played({}, 500));
    expect(played({ seed: 2 }, 500)).not.toEqual(played({}, 500));
  });

  it('meet only others of few matches in their placement', () => {
    const placed = played({ placement: 5 });
    const [first] = placed.ofNewcomers;
    // Two unknown players, instead of a stranger and a settled player.
    expect(first!.waitSeconds).toBeGreaterThan(rated.ofNewcomers[0]!.waitSeconds);
    expect(first!.trueImbalance).not.toBe(rated.ofNewcomers[0]!.trueImbalance);
  });

  it('are refused with a list of teams, or when more would wait than there are', () => {
    const lists = checkQueueDefinition(
      {
        name: 'hunt',
        teams: [
          { name: 'killer', size: 1 },
          { name: 'survivors', size: 4 },
        ],
        imbalance: { alpha: 1, p: 1, q: 2 },
        release: { policy: 'greedy' },
        tickSeconds: 1,
        timeoutSeconds: 120,
      },
      'hunt',
    );
    expect(() => played({}, 100, lists)).toThrow('--ladder: Expected a queue with equal teams, hunt has');
    expect(() => played({ community: 3 }, 100)).toThrow(
      '--community: Expected more players than wait at once, got 3',
    );
  });
});
