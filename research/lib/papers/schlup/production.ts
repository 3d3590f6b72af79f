import type { Ticket } from 'muster/engine';
import { planTick, type QueueRules, type ReleaseOptions, type TickMemory } from 'muster/policies';
import type { Arrival, MakeGame, OnlineAlgorithm, Setting } from './model.ts';

/** A time unit of the paper in the service's time, so that τ_max = 5 is the usual time-out of 300 s. */
const MS_PER_TIME_UNIT = 60_000;
/** The criterion's 0 … 1 as skill. */
const SKILL_SCALE = 1_000;
/** The imbalance of two players one apart, for α = 1: their distance, and half of it as the spread. */
const PER_DIFFERENCE = 1.5;
/** Ticks run at every arrival, and at this interval while players wait. */
const TICK_SECONDS = 6;

/**
 * Schlup's cost of waiting as `waitCost`: the imbalance that one second of a player's wait is worth.
 * By formula (1) a game of two players d apart costs 2·d plus the sum of their waits over τ_max. For each player this is
 * d plus the own wait over τ_max, so τ_max is worth the whole scale. With α = 1 and any q the imbalance is 1.5·d. With D
 * criteria it is 1.5 times the sum of the differences, and τ_max is worth D times the scale.
 */
export function waitCostOf({ longestWait, criteria }: Setting): number {
  return (PER_DIFFERENCE * criteria * SKILL_SCALE) / ((longestWait * MS_PER_TIME_UNIT) / 1000);
}

/**
 * A release policy of the service, by the service's own tick, on the paper's arrivals (k = 2). The first criterion is the
 * skill; each further one is an attribute, whose range in the game a rule adds to the imbalance at its cost.
 */
export function production(release: ReleaseOptions) {
  return ({ longestWait, criteria }: Setting, makeGame: MakeGame): OnlineAlgorithm => {
    const timeoutMs = longestWait * MS_PER_TIME_UNIT;
    const rules: QueueRules = {
      teamSize: 1,
      imbalance: { alpha: 1, p: 1, q: 2 },
      release,
      tickSeconds: TICK_SECONDS,
      timeoutSeconds: timeoutMs / 1000,
      fill: 'bots',
      ...(criteria > 1 && furtherCriteria(criteria)),
    };
    /** In order of arrival. */
    const waiting = new Map<string, { arrival: Arrival; ticket: Ticket }>();
    let memory: TickMemory | undefined;
    let lastTickMs = 0;

    const tick = (nowMs: number): void => {
      lastTickMs = nowMs;
      const tickets = [...waiting.values()].map(({ ticket }) => ticket);
      const plan = planTick({ rules, tickets, nowMs, memory, reasons: false });
      memory = plan.memory;
      for (const { ticketIds } of plan.matches) {
        const members = ticketIds.flatMap((ticketId) => waiting.get(ticketId)?.arrival ?? []);
        for (const ticketId of ticketIds) waiting.delete(ticketId);
        makeGame(members, Math.max(nowMs / MS_PER_TIME_UNIT, ...members.map(({ time }) => time)));
      }
    };

    const nextTickMs = (): number => {
      const [oldest] = waiting.values();
      if (oldest === undefined) return Number.POSITIVE_INFINITY;
      return Math.min(oldest.ticket.enqueuedAtMs + timeoutMs, lastTickMs + 1000 * TICK_SECONDS);
    };

    return {
      onArrival(arrival) {
        const ticketId = String(arrival.index).padStart(9, '0');
        // Whole milliseconds, as the service has them; rounded down, so that no wait exceeds τ_max.
        const enqueuedAtMs = Math.floor(arrival.time * MS_PER_TIME_UNIT);
        const [skill, ...others] = arrival.criteria.map((value) => value * SKILL_SCALE);
        const attributes = Object.fromEntries(others.map((value, at) => [`criterion${at + 2}`, value]));
        const player = { playerId: ticketId, skill, ...(others.length > 0 && { attributes }) };
        waiting.set(ticketId, { arrival, ticket: { ticketId, enqueuedAtMs, players: [player] } });
        tick(enqueuedAtMs);
      },
      timer: () => nextTickMs() / MS_PER_TIME_UNIT,
      onTimer: () => tick(nextTickMs()),
    };
  };
}

/** One attribute for each criterion after the first, and a rule with a cost for each: what one point of its range is worth. */
function furtherCriteria(criteria: number): Pick<QueueRules, 'attributes' | 'rules'> {
  const names = Array.from({ length: criteria - 1 }, (_, at) => `criterion${at + 2}`);
  return {
    attributes: Object.fromEntries(names.map((name) => [name, { type: 'number' } as const])),
    rules: names.map((name) => ({ name, type: 'within', attribute: name, cost: PER_DIFFERENCE }) as const),
  };
}
