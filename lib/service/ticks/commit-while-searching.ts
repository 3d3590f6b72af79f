import { setImmediate as turn } from 'node:timers/promises';
import type { OutOfTime, Released, TickPlan } from '../../policies/plan.ts';
import type { Clock } from '../ports/clock.ts';
import type { Pace } from './pace.ts';

/** The maximum of concurrent commits. */
const COMMITS_AT_ONCE = 16;
/** A search yields the CPU to writes in flight at this interval. */
const TURN_MS = 10;
/**
 * After a search for one game that took this long, the commits in flight are awaited before the next search. Otherwise their
 * writes would wait for that search, and a tick that is stopped during it would lose games that it has found.
 */
const SLOW_MS = 200;

/**
 * Commits games while the plan that produces them continues, a few concurrently and at a limited rate.
 *
 * After a failure no new commit starts. Commits in flight are awaited, so none is running on return.
 * @param planOf creates the plan, which ends soon after the given function reports that the time is up
 * @param untilMs no commit starts after this time
 * @returns the plan, the results of the commits, and whether the search was cut short because its time was up
 */
export async function commitWhileSearching<Commit>(
  clock: Clock,
  planOf: (outOfTime: OutOfTime) => Generator<Released, TickPlan>,
  commit: (released: Released) => Promise<Commit>,
  pace: Pace,
  untilMs: number,
): Promise<{ plan: TickPlan; commits: Commit[]; isCut: boolean }> {
  const commits: Promise<Commit>[] = [];
  const inFlight = new Set<Promise<void>>();
  let stopped = false;
  let isCut = false;
  const begin = (released: Released) => {
    const committed = commit(released);
    commits.push(committed);
    const over = committed
      .catch(() => {
        stopped = true;
      })
      .then(() => {
        inFlight.delete(over);
      });
    inFlight.add(over);
  };
  try {
    const startMs = clock.now();
    const games = planOf((share = 1) => {
      const nowMs = clock.now();
      isCut ||= nowMs >= untilMs;
      return stopped || isCut || nowMs >= startMs + share * (untilMs - startMs);
    });
    let turnMs = clock.now();
    let step = games.next();
    for (; !step.done; step = games.next()) {
      const isSlow = clock.now() - turnMs >= SLOW_MS;
      while (inFlight.size >= COMMITS_AT_ONCE) await Promise.race(inFlight);
      if (clock.now() - turnMs >= TURN_MS) {
        await turn();
        turnMs = clock.now();
      }
      if (!stopped && (await pace.admits(step.value.ticketIds.length, untilMs))) begin(step.value);
      else stopped = true;
      if (isSlow) {
        await Promise.all(inFlight);
        turnMs = clock.now();
      }
    }
    return { plan: step.value, commits: await Promise.all(commits), isCut };
  } finally {
    await Promise.all(inFlight);
  }
}
