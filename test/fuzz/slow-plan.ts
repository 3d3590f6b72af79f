import { KeptSearches } from '../../lib/policies/kept-searches.ts';
import { planGames, type TickPlan } from '../../lib/policies/plan.ts';
import { useCode } from '../../lib/rules/custom/code.ts';
import { BUCKET_LIMITS } from '../../lib/service/domain/bucket-limits.ts';
import { PartOfPool } from '../../lib/service/ticks/read-range.ts';
import { studio } from '../rules/by-type/custom.ts';
import { checkPlan } from './check-plan.ts';
import type { SlowCase } from './slow-case.ts';

/** How long a plan took that had to end within its search time. */
export interface Timed {
  /** CPU time of the plan, in milliseconds. */
  readonly ms: number;
  readonly games: number;
  readonly wasCut: boolean;
}

/**
 * Plans the tick of a case, all of it at once, by a clock that counts CPU time. As a tick does, it takes the part that it can
 * prepare. Throws when the plan is not valid.
 */
export function timedPlan(of: SlowCase, searchMs: number, nowMs: () => number): Timed {
  useCode(studio);
  const { definition: rules, backfills, reasons } = of;
  const part = new PartOfPool(rules, BUCKET_LIMITS.prepareWork);
  const tickets = of.tickets.filter((ticket) => part.takes(ticket));
  const startMs = nowMs();
  let wasCut = false;
  const plan = planGames({
    rules,
    tickets,
    backfills,
    nowMs: of.nowMs,
    reasons,
    outOfTime: () => {
      wasCut ||= nowMs() - startMs >= searchMs;
      return wasCut;
    },
    kept: new KeptSearches(),
  });
  const made = ended(plan);
  const ms = nowMs() - startMs;
  checkPlan({ ...of, tickets }, made);
  return { ms, games: made.matches.length + made.fillings.length, wasCut };
}

function ended(plan: Generator<unknown, TickPlan>): TickPlan {
  for (;;) {
    const step = plan.next();
    if (step.done) return step.value;
  }
}

/** The CPU time of this thread so far, in milliseconds. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
