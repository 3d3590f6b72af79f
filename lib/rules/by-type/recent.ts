import * as z from 'zod';
import { idleAlone, idleInOneTeam } from '../attribute-faults.ts';
import { isOverGame } from '../measures.ts';
import type { RuleType } from '../rule-type.ts';

const keys = {
  type: z.literal('recent'),
  seconds: z.number().positive().max(604_800).meta({ description: 'How long players who met stay apart' }),
  scope: z
    .enum(['game', 'opponents', 'teammates'])
    .optional()
    .meta({ description: 'Who must not have met: all, opponents or teammates (default game)' }),
};
export type RecentRule = z.output<z.ZodObject<typeof keys>>;

/**
 * No two players of different tickets met in a match of this queue in the last `seconds`; a cost counts the pairs, each with a
 * weight that falls linearly to 0.
 */
export const recent: RuleType<RecentRule> = {
  keys,
  changes: { seconds: z.number().min(0).max(604_800).optional() },
  cost: 'instead',
  evaluate({ seconds, scope = 'game' }, { teams }, { nowMs, meetings }) {
    const players = teams.flatMap((team, t) =>
      team.flatMap((ticket) => ticket.players.map(({ playerId }) => ({ playerId, ticket, t }))),
    );
    let units = 0;
    for (let i = 0; i < players.length; i++) {
      const a = players[i];
      const met = meetings.of(a.playerId);
      if (met === undefined || met.size === 0) continue;
      for (let j = 0; j < i; j++) {
        const b = players[j];
        if (a.ticket.ticketId === b.ticket.ticketId) continue;
        if (scope === 'opponents' && a.t === b.t) continue;
        if (scope === 'teammates' && a.t !== b.t) continue;
        units += freshness(met.get(b.playerId), nowMs, seconds);
      }
    }
    return { holds: units === 0, units };
  },
  idle: (rule, _cost, _attributes, surroundings) =>
    rule.scope === 'opponents'
      ? idleInOneTeam('opponents play in different teams', ['scope'], surroundings)
      : idleAlone(rule, surroundings),
  // During a search, only the loosest cost of a rule that depends on age is known.
  isFinal: ({ cost, relax }) => cost !== undefined && relax !== undefined,
  betweenMates: (rule) => (rule.scope === 'teammates' ? { ...rule, scope: undefined } : undefined),
  states: (rule) => (isOverGame(rule) ? [{ by: 'pairs', rule }] : []),
  unitsMax: (_rule, _players, seats) => (seats * seats) / 2,
};

/** 1 for players who have just met, fading linearly to 0 after `seconds`. */
export function freshness(metAtMs: number | undefined, nowMs: number, seconds: number): number {
  if (metAtMs === undefined || seconds === 0) return 0;
  return Math.max(0, 1 - Math.max(0, nowMs - metAtMs) / (1000 * seconds));
}
