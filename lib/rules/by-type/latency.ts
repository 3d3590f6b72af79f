import * as z from 'zod';
import { limitFaults } from '../attribute-faults.ts';
import { limit } from '../fields.ts';
import type { RuleType } from '../rule-type.ts';

const keys = {
  type: z.literal('latency'),
  max: limit.optional().meta({
    description: 'The most milliseconds of a player to the region of the match; absent with a cost alone',
  }),
};
export type LatencyRule = z.output<z.ZodObject<typeof keys>>;

/**
 * All players have at most `max` ms to one region; a cost counts the ms of the worst player in the region of the match. That is,
 * of the regions that every player reaches, the one with the least greatest latency; of equal ones the first by name.
 */
export const latency: RuleType<LatencyRule> = {
  keys,
  changes: { max: limit.optional() },
  // A match is played in a region that all of its players reach, whatever that costs.
  cost: 'beside',
  evaluate({ max = Number.POSITIVE_INFINITY }, { teams }) {
    const players = teams.flat().flatMap((ticket) => ticket.players.filter(({ bot }) => !bot));
    if (players.length === 0) return { holds: true, units: 0 };
    let best: { region: string; worst: number } | undefined;
    for (const region of Object.keys(players[0].latencyMs ?? {}).sort()) {
      const worst = players.reduce(
        (most, { latencyMs }) => Math.max(most, latencyMs?.[region] ?? Number.POSITIVE_INFINITY),
        0,
      );
      if (worst < Number.POSITIVE_INFINITY && (best === undefined || worst < best.worst))
        best = { region, worst };
    }
    if (best === undefined) return { holds: false, units: Number.POSITIVE_INFINITY };
    return { holds: best.worst <= max, units: best.worst, region: best.region };
  },
  faults: limitFaults,
  states: (rule) => [{ by: 'sets', rule }],
  unitsMax: (_rule, players) =>
    players.reduce((most, { latencyMs = {} }) => Math.max(most, ...Object.values(latencyMs)), 0),
};
