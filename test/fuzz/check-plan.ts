import type { Game } from '../../lib/engine/types.ts';
import { estimatesOf } from '../../lib/policies/memory.ts';
import { inPercentiles } from '../../lib/policies/percentile.ts';
import type { TickPlan } from '../../lib/policies/plan.ts';
import { byArrival } from '../../lib/policies/policy.ts';
import { gameRulesOf } from '../../lib/policies/queue-rules.ts';
import { botsOf } from '../policies/plan-oracle.ts';
import { oracleOf } from '../rules/oracle.ts';
import type { SlowCase } from './slow-case.ts';

/** The games of a plan that are checked in full. */
const GAMES_CHECKED = 20;

/**
 * Throws unless every ticket ends once, and the first games have full teams, roles that their players accept, whole parties,
 * and the imbalance and costs that the definition says.
 */
export function checkPlan({ definition, tickets, backfills, nowMs }: SlowCase, plan: TickPlan): void {
  const { matches, fillings, timedOut, waiting, memory } = plan;
  const released = [...matches, ...fillings].flatMap(({ ticketIds }) => ticketIds);
  const ended = [...released, ...timedOut, ...waiting.map(({ ticketId }) => ticketId)];
  if (new Set(ended).size !== ended.length) throw new Error('A ticket ends twice');
  if (ended.length !== tickets.length)
    throw new Error(`Expected an end of ${tickets.length} tickets, got ${ended.length}`);
  const filled = new Set(fillings.map(({ backfillId }) => backfillId));
  const asked = new Set(backfills.map(({ backfillId }) => backfillId));
  if (filled.size !== fillings.length || [...filled].some((id) => !asked.has(id)))
    throw new Error('A backfill is filled twice, or was not asked for');
  for (const game of matches.slice(0, GAMES_CHECKED)) {
    const ids = new Set(game.ticketIds);
    const own = tickets.filter(({ ticketId }) => ids.has(ticketId));
    const members = definition.skillScale === 'percentile' ? inPercentiles(own, estimatesOf(memory, 1)) : own;
    const bots = botsOf(game, members.toSorted(byArrival)[0]!);
    const kinds =
      typeof definition.teams === 'object'
        ? definition.teams.flatMap(({ name, count = 1 }) => new Array<string>(count).fill(name))
        : undefined;
    const oracle = oracleOf({
      rules: gameRulesOf(definition),
      definition,
      tickets: [...members, ...bots],
      nowMs,
      met: () => undefined,
      ...(kinds && { kinds }),
    });
    const ticketIds = [...ids, ...bots.map(({ ticketId }) => ticketId)].sort();
    oracle.check({ ...game, ticketIds } as Game, [...members, ...bots]);
  }
}
